//! `dispatch audit verify`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::{
        Paper,
        words::{at, grouped, list, number},
    },
};
use clap::Args;
use serde_json::Value;

/// Read the whole log, and check that it is what was written (exit 5 if not)
#[derive(Debug, Args)]
pub struct Verify {}

impl Verify {
    /// Checks it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("audit verify").await?;
        let report = door.verify(context).await;
        door.close().await;
        let report = report?;
        if context.paper.json {
            context.paper.document(&report)?
        } else {
            show(context.paper, &report)?
        }
        let sound = list(&report, "problems").is_empty() && number(&report, "more_problems") == 0;
        Ok(if sound { Exit::Done } else { Exit::Damaged })
    }
}

fn show(paper: Paper, report: &Value) -> Result<(), Failure> {
    let (events, streams) = (grouped(number(report, "events")), grouped(number(report, "streams")));
    let problems = list(report, "problems");
    if problems.is_empty() {
        paper.line(paper.good(format_args!("the log is sound: {events} events in {streams} streams")))?;
    } else {
        paper.line(paper.bad(format_args!("the log is DAMAGED ({events} events in {streams} streams were read)")))?;
        for problem in problems {
            let stream = at(problem, "stream");
            let stream = if stream.is_empty() { stream } else { format!(", stream {stream}") };
            paper.line(format_args!("  position {}{stream}: {}", at(problem, "position"), at(problem, "what")))?;
        }
        if number(report, "more_problems") > 0 {
            paper.line(format_args!("  and {} more", at(report, "more_problems")))?;
        }
        paper.note("keep the folder as it is, and restore the last backup beside it");
    }
    paper.line(format_args!("up to position {}, log hash {}", at(report, "position"), at(report, "log_hash")))?;
    for (key, what) in [
        ("erased", "payloads were erased on purpose"),
        ("unknown", "payloads are of another release"),
        ("unreadable", "payloads can't be opened: a key or a blob is missing"),
    ] {
        if number(report, key) > 0 {
            paper.line(paper.odd(format_args!("{} {what}", at(report, key))))?;
        }
    }
    Ok(())
}
