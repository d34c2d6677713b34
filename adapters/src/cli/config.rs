//! `dispatch config`.

mod check;
mod init;
mod show;

use super::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::{Args, Subcommand};

/// Settings: set up, show, check
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub struct Config {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Init(init::Init),
    Show(show::Show),
    Check(check::Check),
}

impl Config {
    /// Carries it out.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        match &self.verb {
            Verb::Init(verb) => verb.run(context).await,
            Verb::Show(verb) => verb.run(context),
            Verb::Check(verb) => verb.run(context),
        }
    }
}
