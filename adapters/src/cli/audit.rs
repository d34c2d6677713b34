//! `dispatch audit`.

mod anchor;
mod prefix;
mod verify;

use super::{
    arguments::Needs,
    context::Context,
    exit::{Exit, Failure},
    not_built::{self, NotBuilt},
};
use clap::{Args, Subcommand};

/// Questions to the log: is it whole, does each request extend the one before
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Audit {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Verify(verify::Verify),
    Prefix(prefix::Prefix),
    Anchor(anchor::Anchor),
    /// A question in SQL to the catalog (not built yet)
    Sql(NotBuilt),
    /// A prepared report (not built yet)
    Report(NotBuilt),
}

impl Audit {
    /// What it needs of the data.
    pub(super) fn needs(&self) -> Needs {
        match self.verb {
            Verb::Verify(_) => Needs::Records,
            Verb::Prefix(_) => Needs::Payloads,
            _ => Needs::Folder,
        }
    }

    /// Asks it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        match &self.verb {
            Verb::Verify(verb) => verb.run(context).await,
            Verb::Prefix(verb) => verb.run(context).await,
            Verb::Anchor(verb) => verb.run(context).await,
            Verb::Sql(_) => not_built::answer("audit sql"),
            Verb::Report(_) => not_built::answer("audit report"),
        }
    }
}
