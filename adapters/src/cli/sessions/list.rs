//! `dispatch sessions list`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::{
        Paper,
        words::{at, grouped, number, safe, time},
    },
};
use clap::Args;
use dispatch_actors::handle::Besides;
use serde_json::{Value, json};

/// Sessions are asked for in pages of so many.
const PAGE: usize = 200;

/// List sessions, oldest first
#[derive(Debug, Args)]
pub struct List {
    /// Most rows to show
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: usize,
    /// Sessions that were archived or erased too: of an erased one nothing is left but an id and times
    #[arg(long)]
    all: bool,
    /// Sessions that were archived too
    #[arg(long)]
    archived: bool,
}

impl List {
    /// Lists them.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions list").await?;
        let mut found: Vec<Value> = Vec::new();
        let besides = Besides { erased: self.all, archived: self.archived || self.all };
        let done = loop {
            let after = found.last().map(|last| at(last, "id"));
            let want = PAGE.min(self.limit - found.len());
            match door.sessions(after.as_deref(), want, besides).await {
                Err(failure) => break Err(failure),
                Ok(page) => {
                    let last = page.len() < want;
                    found.extend(page);
                    if last || found.len() >= self.limit {
                        break Ok(());
                    }
                }
            }
        };
        door.close().await;
        done?;
        show(context.paper, &found)?;
        Ok(Exit::Done)
    }
}

fn show(paper: Paper, found: &[Value]) -> Result<(), Failure> {
    if paper.json {
        return paper.document(&json!({"sessions": found}));
    }
    if found.is_empty() {
        paper.note("there are no sessions yet; begin one with `dispatch chat`");
        return Ok(());
    }
    let rows: Vec<[String; 7]> = found
        .iter()
        .map(|row| {
            [
                // The name of an erased session is gone with it.
                if at(row, "name").is_empty() { at(row, "id") } else { safe(&at(row, "name")) },
                at(row, "status"),
                grouped(number(row, "turns")),
                grouped(number(row, "messages")),
                grouped(number(row, "pending")),
                at(row, "source"),
                time(&at(row, "updated_at")),
            ]
        })
        .collect();
    paper.table(["NAME", "STATUS", "TURNS", "MESSAGES", "WAITING", "FROM", "LAST EVENT (UTC)"], &rows)
}
