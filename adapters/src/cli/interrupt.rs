//! `dispatch interrupt`.

use super::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;
use dispatch_events::TurnId;

/// Stop the running turn of a session, or give up an input whose outcome is unknown
///
/// A session pauses when nobody knows what a turn did, for example because the host was killed while a tool ran. Then
/// nothing else runs there: look at it with `dispatch replay`, then `interrupt` settles the input as interrupted, and the
/// inputs behind it go on.
#[derive(Debug, Args)]
pub struct Interrupt {
    /// Session, by name or id
    session: String,
    /// Stop this turn only; refused when it does not run
    #[arg(long, value_name = "ID")]
    turn: Option<TurnId>,
}

impl Interrupt {
    /// Stops it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("interrupt").await?;
        let answer = door.interrupt(&self.session, self.turn).await;
        door.close().await;
        let answer = answer?;
        if context.paper.json {
            context.paper.document(&answer)?;
        } else if at(&answer, "turn").is_empty() {
            context.paper.line("no turn runs")?;
        } else {
            context.paper.line(format_args!("stopped turn {}", at(&answer, "turn")))?;
        }
        Ok(Exit::Done)
    }
}
