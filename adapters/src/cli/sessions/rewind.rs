//! `dispatch sessions rewind`.

use super::changed::Which;
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::Args;
use dispatch_actors::command::HistoryChange;
use dispatch_events::Version;

/// Go on from an earlier place: everything from a message on is left out
///
/// Nothing is removed: what is left out stays in the log and in `replay --at`, and `sessions restore` brings it back.
#[derive(Debug, Args)]
pub struct Rewind {
    #[command(flatten)]
    which: Which,
    /// Version of the message from which on everything is left out, as `replay --view transcript --json` shows it
    #[arg(long, value_name = "VERSION")]
    to: u64,
}

impl Rewind {
    /// Does it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let change = HistoryChange::Rewind { to: Version(self.to) };
        self.which.change(context, "rewind", change, &format!("rewound to before version {}", self.to)).await
    }
}
