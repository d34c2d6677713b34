//! A change of a session's history: asked for, and told in a line.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::{at, number},
};
use clap::Args;
use dispatch_actors::command::HistoryChange;
use serde_json::Value;

/// The session that is changed, and what of it was seen.
#[derive(Debug, Args)]
pub struct Which {
    /// Session, by name or id
    pub session: String,
    /// Only if the session is at this revision: refused if somebody changed it since you looked
    #[arg(long, value_name = "N")]
    pub expected_revision: Option<u64>,
}

impl Which {
    /// Changes it and says so.
    pub async fn change(
        &self,
        context: &Context,
        verb: &str,
        change: HistoryChange,
        done: &str,
    ) -> Result<Exit, Failure> {
        let door = context.door(&format!("sessions {verb}")).await?;
        let changed = door.change(&self.session, change, self.expected_revision).await;
        door.close().await;
        show(context, &changed?, done)
    }
}

/// Tells of a change.
pub fn show(context: &Context, changed: &Value, done: &str) -> Result<Exit, Failure> {
    if context.paper.json {
        context.paper.document(changed)?;
    } else {
        context.paper.line(done)?;
        context.paper.note(format_args!(
            "version {}, revision {}",
            number(changed, "version"),
            at(changed, "revision")
        ));
    }
    Ok(Exit::Done)
}
