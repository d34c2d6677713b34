//! `dispatch log export`.

use crate::cli::{
    context::Context,
    door::Door,
    exit::{Exit, Failure},
    paper::{
        Paper,
        words::{at, grouped, number},
    },
};
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Write the whole log to a file that checks itself; every reading verb takes it as --data
///
/// The payloads in it are sealed as they are in the log. The keys are written to FILE.keys, apart, so that they can go
/// another way: who has both reads everything.
#[derive(Debug, Args)]
pub struct Export {
    /// The file; it must not be there yet
    file: PathBuf,
    /// Leave the keys out: the chains still verify, and nothing can be read
    #[arg(long)]
    no_keys: bool,
}

impl Export {
    /// Writes it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let file = whole(&self.file)?;
        let door = Door::open_to_look(context, "log export").await?;
        let done = door.export_log(context, &file, !self.no_keys).await;
        door.close().await;
        let done = done?;
        if context.paper.json {
            context.paper.document(&done)?;
        } else {
            show(context.paper, &done)?;
        }
        Ok(Exit::Done)
    }
}

/// The whole path of a file: the host has another working folder.
pub(in crate::cli) fn whole(file: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(file).map_err(|error| Failure::usage(format!("{} is no path: {error}", file.display())))
}

/// What was written.
pub(in crate::cli) fn show(paper: Paper, done: &Value) -> Result<(), Failure> {
    paper.line(format_args!(
        "{}: {} events and {} blobs, up to position {}",
        at(done, "file"),
        grouped(number(done, "events")),
        grouped(number(done, "blobs")),
        at(done, "position")
    ))?;
    if !at(done, "keys").is_empty() {
        paper.line(at(done, "keys"))?;
        paper.note("the second file holds the keys: who has both reads everything, so keep them in two places");
    }
    Ok(())
}
