//! `dispatch sessions rename`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;

/// Give a session another name
#[derive(Debug, Args)]
pub struct Rename {
    /// Session, by name or id
    session: String,
    /// The new name
    name: String,
}

impl Rename {
    /// Renames it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions rename").await?;
        let renamed = door.rename(&self.session, &self.name).await;
        door.close().await;
        let renamed = renamed?;
        if context.paper.json {
            context.paper.document(&renamed)?
        } else {
            context.paper.line(at(&renamed, "name"))?
        }
        Ok(Exit::Done)
    }
}
