//! `dispatch sessions`.

mod erase;
mod export;
mod list;
mod new;
mod rename;
pub(super) mod show;

use super::{
    arguments::Needs,
    context::Context,
    exit::{Exit, Failure},
    not_built::{self, NotBuilt},
};
use clap::{Args, Subcommand};

/// Sessions: make, list, show, rename, export, erase
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Sessions {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    New(new::New),
    List(list::List),
    Show(show::Show),
    Rename(rename::Rename),
    Export(export::Export),
    Erase(erase::Erase),
    /// Begin a session from another one's past (not built yet)
    Fork(NotBuilt),
    /// Go back to an earlier message (not built yet)
    Rewind(NotBuilt),
    /// Take the last exchange back (not built yet)
    Undo(NotBuilt),
    /// Ask for the last answer again (not built yet)
    Retry(NotBuilt),
    /// Begin anew under the same name (not built yet)
    Reset(NotBuilt),
    /// Put a session aside (not built yet)
    Archive(NotBuilt),
    /// List and settle unknown outcomes (not built yet)
    Reconcile(NotBuilt),
    /// Bring an exported session in (not built yet)
    Import(NotBuilt),
}

impl Sessions {
    /// What it needs of the data.
    pub(super) fn needs(&self) -> Needs {
        match self.verb {
            Verb::List(_) | Verb::Show(_) | Verb::Export(_) => Needs::Payloads,
            _ => Needs::Folder,
        }
    }

    /// Carries it out.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let name = match &self.verb {
            Verb::New(verb) => return verb.run(context).await,
            Verb::List(verb) => return verb.run(context).await,
            Verb::Show(verb) => return verb.run(context).await,
            Verb::Rename(verb) => return verb.run(context).await,
            Verb::Export(verb) => return verb.run(context).await,
            Verb::Erase(verb) => return verb.run(context).await,
            Verb::Fork(_) => "fork",
            Verb::Rewind(_) => "rewind",
            Verb::Undo(_) => "undo",
            Verb::Retry(_) => "retry",
            Verb::Reset(_) => "reset",
            Verb::Archive(_) => "archive",
            Verb::Reconcile(_) => "reconcile",
            Verb::Import(_) => "import",
        };
        not_built::answer(&format!("sessions {name}"))
    }
}
