//! `dispatch audit prefix`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::words::{at, list, short},
};
use clap::Args;
use serde_json::Value;

/// Whether each request of a session repeats the one before it, byte for byte
#[derive(Debug, Args)]
pub struct Prefix {
    /// Session, by name or id
    session: String,
}

impl Prefix {
    /// Shows it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("audit prefix").await?;
        let view = door.prefix(&self.session).await;
        door.close().await;
        let (view, paper) = (view?, context.paper);
        if paper.json {
            paper.document(&view)?;
            return Ok(Exit::Done);
        }
        let requests = list(&view, "requests");
        if requests.is_empty() {
            paper.note("nothing was sent in this session yet");
            return Ok(Exit::Done);
        }
        let rows: Vec<[String; 6]> = requests
            .iter()
            .map(|row| {
                let proven = if row["proven"] == Value::Bool(false) { "NO" } else { "yes" };
                let extends = if row["extends_previous"] == true { "yes" } else { "NO" };
                [
                    at(row, "version"),
                    short(&at(row, "turn")),
                    at(row, "attempt"),
                    extends.to_owned(),
                    at(row, "diverged_at"),
                    format!("{proven} {}", at(row, "cause")).trim_end().to_owned(),
                ]
            })
            .collect();
        paper.table(["VERSION", "TURN", "ATTEMPT", "EXTENDS", "DIFFERS AT", "PROVEN, CAUSE"], &rows)?;
        Ok(Exit::Done)
    }
}
