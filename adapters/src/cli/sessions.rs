//! `dispatch sessions`.

mod archive;
mod cancel;
mod changed;
mod configure;
mod erase;
mod export;
mod fork;
mod list;
mod new;
mod reconcile;
mod rename;
mod reset;
mod restore;
mod retry;
mod rewind;
pub(super) mod show;
mod undo;

use super::{
    arguments::Needs,
    context::Context,
    exit::{Exit, Failure},
    not_built::{self, NotBuilt},
};
use clap::{Args, Subcommand};

/// Sessions: make, list, fork, rewind, settle, erase
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
    Fork(fork::Fork),
    Rewind(rewind::Rewind),
    Undo(undo::Undo),
    Restore(restore::Restore),
    Retry(retry::Retry),
    Reset(reset::Reset),
    Archive(archive::Archive),
    Configure(configure::Configure),
    Cancel(cancel::Cancel),
    Reconcile(reconcile::Reconcile),
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
        match &self.verb {
            Verb::New(verb) => verb.run(context).await,
            Verb::List(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context).await,
            Verb::Rename(verb) => verb.run(context).await,
            Verb::Export(verb) => verb.run(context).await,
            Verb::Erase(verb) => verb.run(context).await,
            Verb::Fork(verb) => verb.run(context).await,
            Verb::Rewind(verb) => verb.run(context).await,
            Verb::Undo(verb) => verb.run(context).await,
            Verb::Restore(verb) => verb.run(context).await,
            Verb::Retry(verb) => verb.run(context).await,
            Verb::Reset(verb) => verb.run(context).await,
            Verb::Archive(verb) => verb.run(context).await,
            Verb::Configure(verb) => verb.run(context).await,
            Verb::Cancel(verb) => verb.run(context).await,
            Verb::Reconcile(verb) => verb.run(context).await,
            Verb::Import(_) => not_built::answer("sessions import"),
        }
    }
}
