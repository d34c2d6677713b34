//! `dispatch log`: the log as a whole.

mod beside;
mod copy;
mod export;

pub(super) use copy::not_copied;
pub(super) use export::{show, whole};

use super::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::{Args, Subcommand};

/// The log as a whole: to another engine, or into one file
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct LogCare {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Copy(copy::Copy),
    Export(export::Export),
}

impl LogCare {
    /// Carries it out.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        match &self.verb {
            Verb::Copy(verb) => verb.run(context).await,
            Verb::Export(verb) => verb.run(context).await,
        }
    }
}
