//! `dispatch models`. Needs no log, so it takes no folder: without a running host the settings answer.

mod list;
pub(super) mod probe;
mod test;

use super::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::{Args, Subcommand};

/// The models: what is there, and whether it answers
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Models {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::List),
    Test(test::Test),
}

impl Models {
    /// Carries it out.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        match &self.verb {
            Verb::List(verb) => verb.run(context).await,
            Verb::Test(verb) => verb.run(context).await,
        }
    }
}
