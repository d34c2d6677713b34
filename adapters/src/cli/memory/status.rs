//! `dispatch memory status`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::{at, list, number},
};
use clap::Args;
use serde_json::json;

/// The backend, what leaves the machine, and how memory writes are kept
#[derive(Debug, Args)]
pub struct Status {}

impl Status {
    /// Shows it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let settings = context.settings()?.memory;
        let door = context.door("memory status").await?;
        let view = door.memory().await;
        door.close().await;
        let (view, paper) = (view?, context.paper);
        let mode = serde_json::to_value(settings.mode).unwrap_or_default();
        if paper.json {
            let files: Vec<_> = list(&view, "files")
                .iter()
                .map(|file| json!({"file": file["file"], "entries": list(file, "entries").len(), "characters": file["characters"]}))
                .collect();
            paper.document(&json!({
                "agent": view["agent"], "backend": view["backend"], "mode": mode,
                "recall_timeout_ms": settings.recall_timeout_ms, "drain_timeout_ms": settings.drain_timeout_ms,
                "files": files,
            }))?;
            return Ok(Exit::Done);
        }
        let mut rows = vec![("agent".to_owned(), at(&view, "agent"))];
        for file in list(&view, "files") {
            let entries = list(file, "entries").len();
            rows.push((at(file, "file"), format!("{entries} entries, {} characters", number(file, "characters"))));
        }
        if view["backend"].is_null() {
            rows.push(("backend".to_owned(), "none: nothing leaves the machine".to_owned()));
        } else {
            rows.push(("backend".to_owned(), at(&view, "backend/name")));
            rows.push(("leaves".to_owned(), at(&view, "backend/destination")));
            rows.push(("mode".to_owned(), mode.as_str().unwrap_or_default().to_owned()));
            rows.push(("recall".to_owned(), format!("at most {} ms before a turn", settings.recall_timeout_ms)));
            rows.push(("drain".to_owned(), format!("at most {} ms at a stop", settings.drain_timeout_ms)));
        }
        for (label, value) in rows {
            paper.line(format_args!("{}  {value}", paper.dim(format_args!("{label:<10}"))))?;
        }
        Ok(Exit::Done)
    }
}
