//! `dispatch sessions retry`.

use super::changed::{Which, show};
use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    submit,
};
use clap::Args;
use dispatch_actors::command::HistoryChange;

/// Take the last exchange back and submit its input again
#[derive(Debug, Args)]
pub struct Retry {
    #[command(flatten)]
    which: Which,
    /// Wait until the turn is done, and print its answer
    #[arg(long)]
    wait: bool,
}

impl Retry {
    /// Retries.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions retry").await?;
        let changed = door.change(&self.which.session, HistoryChange::Retry, self.which.expected_revision).await;
        let done = match changed {
            Ok(changed) if self.wait => submit::answer(context, &door, &self.which.session, &changed["receipt"]).await,
            Ok(changed) => {
                let shown = show(context, &changed, "the last input is submitted again");
                submit::carry_out(context, &door, &self.which.session, &changed["receipt"]).await.and(shown)
            }
            Err(failure) => Err(failure),
        };
        door.close().await;
        done
    }
}
