//! `dispatch memory`.

mod edit;
mod show;
mod status;
mod timeline;

use super::{
    arguments::Needs,
    context::Context,
    exit::{Exit, Failure},
};
use clap::{Args, Subcommand};

/// What the agent remembers: its two files, and the backend
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Memory {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Show(show::Show),
    Add(edit::Add),
    Replace(edit::Replace),
    Remove(edit::Remove),
    Timeline(timeline::Timeline),
    Status(status::Status),
}

impl Memory {
    /// What it needs of the data. The memory files themselves are not in the log.
    pub(super) fn needs(&self) -> Needs {
        if matches!(self.verb, Verb::Timeline(_)) { Needs::Payloads } else { Needs::Folder }
    }

    /// Carries it out.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        match &self.verb {
            Verb::Show(verb) => verb.run(context).await,
            Verb::Add(verb) => verb.run(context).await,
            Verb::Replace(verb) => verb.run(context).await,
            Verb::Remove(verb) => verb.run(context).await,
            Verb::Timeline(verb) => verb.run(context).await,
            Verb::Status(verb) => verb.run(context).await,
        }
    }
}
