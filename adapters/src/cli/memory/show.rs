//! `dispatch memory show`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::{at, grouped, list, number, safe},
};
use clap::Args;

/// Show the entries of both files
#[derive(Debug, Args)]
pub struct Show {}

impl Show {
    /// Shows them.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("memory show").await?;
        let view = door.memory().await;
        door.close().await;
        let (view, paper) = (view?, context.paper);
        if paper.json {
            paper.document(&view)?;
            return Ok(Exit::Done);
        }
        for (index, file) in list(&view, "files").iter().enumerate() {
            if index > 0 {
                paper.line("")?;
            }
            let size = grouped(number(file, "characters"));
            let limit = match number(file, "limit") {
                0 => String::new(),
                limit => format!(" of {}", grouped(limit)),
            };
            let note = paper.dim(format_args!("{size}{limit} characters"));
            paper.line(format_args!("{}  {note}", paper.bold(at(file, "file"))))?;
            let entries = list(file, "entries");
            if entries.is_empty() {
                paper.line(paper.dim("  no entries"))?;
            }
            for entry in entries {
                let text = safe(entry.as_str().unwrap_or_default());
                paper.line(format_args!("  · {}", text.trim_end().replace('\n', "\n    ")))?;
            }
        }
        Ok(Exit::Done)
    }
}
