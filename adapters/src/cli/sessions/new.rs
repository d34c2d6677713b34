//! `dispatch sessions new`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;

/// Make a session
#[derive(Debug, Args)]
pub struct New {
    /// Its name; without one it gets a name of its own
    name: Option<String>,
}

impl New {
    /// Makes it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions new").await?;
        let made = door.new_session(self.name.as_deref()).await;
        door.close().await;
        let made = made?;
        if context.paper.json {
            context.paper.document(&made)?;
        } else {
            context.paper.line(at(&made, "name"))?;
            context.paper.note(format_args!("talk in it with `dispatch chat {}`", at(&made, "name")));
        }
        Ok(Exit::Done)
    }
}
