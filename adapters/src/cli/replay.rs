//! `dispatch replay`: any view of a session, as of any event.

mod ledgers;
mod memory;
mod prompt;
mod transcript;
mod wire;

use super::{
    context::Context,
    door::Door,
    exit::{Exit, Failure},
    paper::{Paper, words::at},
    sessions::show::header,
};
use clap::Args;
use dispatch_projections::view::ViewName;
use serde_json::Value;

/// Any view of a session, as of any event
#[derive(Debug, Args)]
pub struct Replay {
    /// Session, by name or id
    session: String,
    /// As of this version; without it, now
    #[arg(long, value_name = "VERSION")]
    at: Option<u64>,
    /// transcript, wire (the exact requests), queue, lease, prompt, memory, tools, obligations, usage, all
    #[arg(long, value_name = "VIEW")]
    view: Option<ViewName>,
}

impl Replay {
    /// Shows it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("replay").await?;
        let read = self.read(&door, context.paper.json).await;
        door.close().await;
        let (summary, view) = read?;
        let (paper, name) = (context.paper, self.view.unwrap_or(ViewName::Transcript));
        if paper.json {
            paper.document(&view)?;
            return Ok(Exit::Done);
        }
        if let Some(summary) = summary {
            header(paper, &summary)?;
            paper.line("")?;
        }
        show(paper, name, &view)?;
        Ok(Exit::Done)
    }

    /// The head, where one is shown, and the view; both as of the same version.
    async fn read(&self, door: &Door, json: bool) -> Result<(Option<Value>, Value), Failure> {
        let name = self.view.unwrap_or(ViewName::Transcript);
        if json || self.view.is_some() {
            return Ok((None, door.view(&self.session, name, self.at).await?));
        }
        if self.at.is_some() {
            let mut all = door.view(&self.session, ViewName::All, self.at).await?;
            return Ok((Some(all["session"].take()), all["transcript"].take()));
        }
        Ok((Some(door.summary(&self.session).await?), door.view(&self.session, name, None).await?))
    }
}

fn show(paper: Paper, name: ViewName, view: &Value) -> Result<(), Failure> {
    match name {
        ViewName::Transcript => transcript::show(paper, view),
        ViewName::Wire => wire::show(paper, view),
        ViewName::Queue => ledgers::queue(paper, view),
        ViewName::Lease => ledgers::lease(paper, view),
        ViewName::Prompt => prompt::show(paper, view),
        ViewName::Memory => memory::show(paper, view),
        ViewName::Tools => ledgers::tools(paper, view),
        ViewName::Obligations => ledgers::obligations(paper, view),
        ViewName::Usage => ledgers::usage(paper, view),
        ViewName::All => all(paper, view),
    }
}

pub(super) use memory::show as show_moments;

fn all(paper: Paper, view: &Value) -> Result<(), Failure> {
    header(paper, &view["session"])?;
    for name in ViewName::EVERY.into_iter().filter(|name| *name != ViewName::All) {
        paper.line("")?;
        paper.line(paper.bold(name.as_str().to_uppercase()))?;
        show(paper, name, &view[name.as_str()])?;
    }
    Ok(())
}

/// `label  value`, where there is a value.
fn field(paper: Paper, label: &str, value: &Value, path: &str) -> Result<(), Failure> {
    let text = at(value, path);
    if text.is_empty() {
        return Ok(());
    }
    paper.line(format_args!("{}  {text}", paper.dim(format_args!("{label:<12}"))))
}
