//! `dispatch sessions restore`.

use super::changed::Which;
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::Args;
use dispatch_actors::command::HistoryChange;

/// Bring back what the last rewind or undo left out, as long as nothing was said since
#[derive(Debug, Args)]
pub struct Restore {
    #[command(flatten)]
    which: Which,
}

impl Restore {
    /// Does it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let change = HistoryChange::Restore;
        self.which.change(context, "restore", change, "what was left out is there again").await
    }
}
