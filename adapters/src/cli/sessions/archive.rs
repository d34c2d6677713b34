//! `dispatch sessions archive`.

use super::changed::Which;
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::Args;
use dispatch_actors::command::HistoryChange;

/// Put a session out of `sessions list`, or back
///
/// An archived session can still be read and spoken to; `sessions list --archived` shows it.
#[derive(Debug, Args)]
pub struct Archive {
    #[command(flatten)]
    which: Which,
    /// Put it back
    #[arg(long)]
    undo: bool,
}

impl Archive {
    /// Does it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let change = if self.undo { HistoryChange::Unarchive } else { HistoryChange::Archive };
        self.which
            .change(context, "archive", change, if self.undo { "it is in lists again" } else { "it is out of lists" })
            .await
    }
}
