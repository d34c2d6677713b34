//! The grammar of the command line.

use super::{
    audit::Audit, backup::Backup, chat::Chat, completions::Completions, config::Config, doctor::Doctor, events::Events,
    interrupt::Interrupt, log::LogCare, memory::Memory, models::Models, not_built::NotBuilt, replay::Replay,
    restore::Restore, serve::Serve, sessions::Sessions, submit::Submit, tools::Tools,
};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A durable host for LLM agent sessions: every state change is an event, and every view is a fold of the log.
#[derive(Debug, Parser)]
#[command(
    name = "dispatch",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 refused, 5 the log is damaged.\n\
                  Begin with `dispatch chat`: without a key, the built-in rehearsal model answers."
)]
pub struct Arguments {
    /// Accepted before and after the verb.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// Flags that every verb has.
#[derive(Clone, Debug, Default, Args)]
pub struct Global {
    /// Data folder; else $DISPATCH_HOME, else the user's data folder `dispatch`. Verbs that only read also take a file
    /// that `log export` or `backup` wrote
    #[arg(long, value_name = "DIR", global = true, help_heading = "Everywhere")]
    pub data: Option<PathBuf>,
    /// One JSON document on stdout, or one per line where the output goes on
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// Results and errors only, no notes
    #[arg(long, short, global = true, help_heading = "Everywhere")]
    pub quiet: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[expect(missing_docs, reason = "each variant's text is the help of its struct")]
pub enum Verb {
    Serve(Serve),
    Chat(Chat),
    Submit(Submit),
    Interrupt(Interrupt),
    Sessions(Sessions),
    Replay(Replay),
    Events(Events),
    Audit(Audit),
    Memory(Memory),
    Models(Models),
    Tools(Tools),
    Doctor(Doctor),
    Config(Config),
    Completions(Completions),
    /// Full text over all transcripts (not built yet)
    Search(NotBuilt),
    /// What waits for a person (not built yet)
    Approvals(NotBuilt),
    Log(LogCare),
    /// Rebuild the SQL catalog, or show its state (not built yet)
    Catalog(NotBuilt),
    Backup(Backup),
    Restore(Restore),
}

/// What a verb needs of the data: a log file has less than a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The records as they are, sealed or not.
    Records,
    /// The records, and the keys that open them.
    Payloads,
    /// A data folder.
    Folder,
}

impl Verb {
    /// What it needs. Only what a verb reads can come from a file.
    pub fn needs(&self) -> Needs {
        match self {
            Self::Events(_) => Needs::Records,
            Self::Replay(_) => Needs::Payloads,
            Self::Sessions(verb) => verb.needs(),
            Self::Audit(verb) => verb.needs(),
            Self::Memory(verb) => verb.needs(),
            _ => Needs::Folder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn global_flags_stand_before_and_after_the_verb() {
        for line in [
            "dispatch --data /d --json --quiet sessions list",
            "dispatch sessions --data /d list --json --quiet",
            "dispatch sessions list --data /d --json --quiet",
        ] {
            let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
            let global = arguments.global;
            assert_eq!(global.data.as_deref(), Some(std::path::Path::new("/d")), "{line}");
            assert!(global.json && global.quiet, "{line}");
        }
    }

    #[test]
    fn every_verb_of_the_contract_is_there() {
        let command = Arguments::command();
        for verb in [
            "serve",
            "chat",
            "submit",
            "interrupt",
            "sessions",
            "replay",
            "events",
            "audit",
            "search",
            "memory",
            "approvals",
            "models",
            "tools",
            "log",
            "catalog",
            "backup",
            "restore",
            "doctor",
            "config",
            "completions",
        ] {
            assert!(command.find_subcommand(verb).is_some(), "{verb}");
        }
        for (verb, parts) in [
            ("sessions", "new list show rename fork rewind undo retry reset archive erase reconcile export import"),
            ("audit", "sql report verify prefix anchor"),
            ("memory", "show add replace remove timeline status"),
            ("models", "list test"),
            ("tools", "list"),
            ("log", "copy export"),
            ("config", "init show check"),
        ] {
            let verb = command.find_subcommand(verb).unwrap();
            for part in parts.split(' ') {
                assert!(verb.find_subcommand(part).is_some(), "{} {part}", verb.get_name());
            }
        }
    }

    #[test]
    fn a_verb_that_is_not_built_takes_whatever_it_will_take() {
        for line in ["dispatch search --limit 3 some words", "dispatch sessions import a --yes", "dispatch audit sql q"]
        {
            Arguments::try_parse_from(line.split(' ')).unwrap();
        }
    }

    #[test]
    fn every_argument_says_what_it_is() {
        fn look(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                assert!(argument.get_help().is_some(), "{} of {}", argument.get_id(), command.get_name());
            }
            command.get_subcommands().for_each(look);
        }
        look(&Arguments::command());
    }
}
