//! `dispatch interrupt`.

use super::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;

/// Stop the running turn of a session
#[derive(Debug, Args)]
pub struct Interrupt {
    /// Session, by name or id
    session: String,
}

impl Interrupt {
    /// Stops it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("interrupt").await?;
        let answer = door.interrupt(&self.session).await;
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
