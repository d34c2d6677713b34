//! Verbs of the contract that this build does not have yet: they say so, and exit 4.

use super::exit::{Exit, Failure};
use clap::Args;

/// Takes whatever the verb will take one day.
#[derive(Debug, Args)]
pub struct NotBuilt {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// The answer.
pub fn answer(verb: &str) -> Result<Exit, Failure> {
    Err(Failure::not_built(&format!("`dispatch {verb}`")))
}
