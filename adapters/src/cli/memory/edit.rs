//! `dispatch memory add|replace|remove`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
};
use clap::{Args, ValueEnum};
use dispatch_actors::ports::MemoryOperation;
use dispatch_events::catalogue::memory::MemoryTarget;
use serde_json::json;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum File {
    /// MEMORY.md: the agent's notes
    Memory,
    /// USER.md: what it knows of the person
    User,
}

#[derive(Debug, Args)]
struct Target {
    /// Which file
    #[arg(long, value_enum, default_value_t = File::Memory)]
    target: File,
}

/// Add an entry
#[derive(Debug, Args)]
pub struct Add {
    /// The entry
    content: String,
    #[command(flatten)]
    target: Target,
}

/// Put another text in the place of an entry
#[derive(Debug, Args)]
pub struct Replace {
    /// Words that exactly one entry holds
    old_text: String,
    /// The new text
    content: String,
    #[command(flatten)]
    target: Target,
}

/// Remove an entry
#[derive(Debug, Args)]
pub struct Remove {
    /// Words that exactly one entry holds
    old_text: String,
    #[command(flatten)]
    target: Target,
}

impl Add {
    /// Adds it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        edit(context, &self.target, MemoryOperation::Add { content: self.content.clone() }).await
    }
}

impl Replace {
    /// Replaces it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let (old_text, content) = (self.old_text.clone(), self.content.clone());
        edit(context, &self.target, MemoryOperation::Replace { old_text, content }).await
    }
}

impl Remove {
    /// Removes it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        edit(context, &self.target, MemoryOperation::Remove { old_text: self.old_text.clone() }).await
    }
}

async fn edit(context: &Context, target: &Target, operation: MemoryOperation) -> Result<Exit, Failure> {
    let target = match target.target {
        File::Memory => MemoryTarget::Memory,
        File::User => MemoryTarget::User,
    };
    let door = context.door("memory").await?;
    let summary = door.memory_edit(target, operation).await;
    door.close().await;
    let summary = summary?;
    if context.paper.json {
        context.paper.document(&json!({"summary": summary}))?;
    } else {
        context.paper.line(summary)?;
        context.paper.note("tools see it now; a prompt takes it when one is built next, in a new session");
    }
    Ok(Exit::Done)
}
