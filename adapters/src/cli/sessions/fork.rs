//! `dispatch sessions fork`.

use crate::cli::{
    context::Context,
    door::control::Fork as Wanted,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;

/// Begin a session that goes on from a version of another one
///
/// The new session refers to what it inherits; nothing is copied, and the first turn is as cheap as the next one of the
/// old session would have been.
#[derive(Debug, Args)]
pub struct Fork {
    /// Session, by name or id
    session: String,
    /// The last version that it inherits; the newest if none is given
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    /// Its name; without one it gets a name of its own
    #[arg(long)]
    name: Option<String>,
    /// Model profile that it uses instead of the old session's
    #[arg(long, value_name = "PROFILE")]
    model: Option<String>,
}

impl Fork {
    /// Forks it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions fork").await?;
        let wanted = Wanted { at: self.at, name: self.name.as_deref(), profile: self.model.as_deref() };
        let child = door.fork(&self.session, wanted).await;
        door.close().await;
        let child = child?;
        if context.paper.json {
            context.paper.document(&child)?;
        } else {
            context.paper.line(at(&child, "name"))?;
            context.paper.note(format_args!("talk in it with `dispatch chat {}`", at(&child, "name")));
        }
        Ok(Exit::Done)
    }
}
