//! `dispatch sessions reset`.

use super::changed::Which;
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::Args;
use dispatch_actors::command::HistoryChange;

/// Begin anew under the same name, with a new prompt
///
/// What was said stays readable; it is not sent to the model any more.
#[derive(Debug, Args)]
pub struct Reset {
    #[command(flatten)]
    which: Which,
}

impl Reset {
    /// Does it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let change = HistoryChange::Reset;
        self.which.change(context, "reset", change, "the conversation begins anew").await
    }
}
