//! `dispatch memory timeline`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    replay,
};
use clap::Args;

/// When each memory may shape the agent, over all sessions
#[derive(Debug, Args)]
pub struct Timeline {}

impl Timeline {
    /// Shows it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("memory timeline").await?;
        let view = door.memory_timeline().await;
        door.close().await;
        let view = view?;
        if context.paper.json {
            context.paper.document(&view)?
        } else {
            replay::show_moments(context.paper, &view)?
        }
        Ok(Exit::Done)
    }
}
