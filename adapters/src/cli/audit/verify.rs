//! `dispatch audit verify`.

use crate::{
    audit::Check,
    cli::{
        context::Context,
        door::Door,
        exit::{Exit, Failure},
        log::whole,
        paper::{
            Paper,
            words::{at, grouped, list, number, time},
        },
    },
};
use clap::Args;
use dispatch_events::anchor::PublicKey;
use serde_json::Value;
use std::path::PathBuf;

/// Check that the log is what was written (exit 5 if not)
///
/// Reads all of it: checksums, the chain of each stream and of the log, positions, indexes. A session that was erased on
/// purpose is no damage. Needs no keys; with them it also counts payloads that can't be opened. Who can write all of the
/// data folder can make a log that agrees with itself: an anchor that lies elsewhere shows that too.
#[derive(Debug, Args)]
pub struct Verify {
    /// All of the log; this is what happens without a flag
    #[arg(long, conflicts_with = "since_last")]
    full: bool,
    /// Only what came after the last check that found the log sound
    #[arg(long)]
    since_last: bool,
    /// Compare the log with this anchor of `audit anchor` too
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// The key that the anchor has to be signed with, as `audit anchor --public-key` prints it
    #[arg(long, value_name = "HEX", requires = "anchor")]
    public_key: Option<PublicKey>,
}

impl Verify {
    /// Checks it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let check = Check {
            since_last: self.since_last,
            anchor: self.anchor.as_deref().map(whole).transpose()?,
            public_key: self.public_key,
            folder: context.file.is_none().then(|| context.folder.path().to_owned()),
        };
        // Before anything is opened: a file that is no anchor is the caller's matter alone.
        check.believed_anchor()?;
        let door = Door::open_to_look(context, "audit verify").await?;
        let report = door.verify(context, &check).await;
        door.close().await;
        let report = report?;
        if context.paper.json {
            context.paper.document(&report)?
        } else {
            show(context.paper, &report)?
        }
        Ok(if report["sound"] == true { Exit::Done } else { Exit::Damaged })
    }
}

fn show(paper: Paper, report: &Value) -> Result<(), Failure> {
    let (events, streams) = (grouped(number(report, "events")), grouped(number(report, "streams")));
    let since = match number(report, "since") {
        0 => String::new(),
        since => format!(" behind position {}, where the last check ended", grouped(since)),
    };
    if report["sound"] == true {
        paper.line(paper.good(format_args!("the log is sound: {events} events in {streams} streams{since}")))?;
    } else {
        paper.line(
            paper.bad(format_args!("the log is DAMAGED ({events} events in {streams} streams were read{since})")),
        )?;
    }
    paper.line(format_args!("up to position {}, log hash {}", at(report, "position"), at(report, "log_hash")))?;
    verdicts(paper, report)?;
    problems(paper, report)?;
    for (key, what) in [
        ("erased", "payloads were erased on purpose"),
        ("unknown", "payloads are of another release"),
        ("unreadable", "payloads can't be opened: a key or a blob is missing"),
    ] {
        if number(report, key) > 0 {
            paper.line(paper.odd(format_args!("{} {what}", grouped(number(report, key)))))?;
        }
    }
    anchor(paper, &report["anchor"])?;
    if report["sound"] != true {
        paper.note("keep the folder as it is, and restore the last backup beside it");
    }
    Ok(())
}

/// How many streams have which verdict, then those that are not intact.
fn verdicts(paper: Paper, report: &Value) -> Result<(), Failure> {
    let counts = report["verdicts"].as_object().into_iter().flatten();
    let counts: Vec<[String; 2]> = counts
        .filter(|(_, count)| count.as_u64() > Some(0))
        .map(|(verdict, count)| [words(verdict), grouped(count.as_u64().unwrap_or(0))])
        .collect();
    if counts.len() > 1 || report["sound"] != true {
        paper.table(["VERDICT", "STREAMS"], &counts)?;
    }
    let rows: Vec<[String; 4]> = list(report, "not_intact")
        .iter()
        .map(|row| [at(row, "stream"), words(&at(row, "verdict")), at(row, "version"), at(row, "position")])
        .collect();
    if !rows.is_empty() {
        paper.table(["STREAM", "VERDICT", "LAST VERSION", "POSITION"], &rows)?;
    }
    match number(report, "more_not_intact") {
        0 => Ok(()),
        more => paper.line(format_args!("and {} streams more", grouped(more))),
    }
}

fn words(verdict: &str) -> String {
    match verdict {
        "erased" => "erased on purpose".to_owned(),
        "index" => "index damaged".to_owned(),
        other => other.replace('_', " "),
    }
}

fn problems(paper: Paper, report: &Value) -> Result<(), Failure> {
    for problem in list(report, "problems") {
        let stream = at(problem, "stream");
        let stream = if stream.is_empty() { stream } else { format!(", stream {stream}") };
        paper.line(format_args!("  position {}{stream}: {}", at(problem, "position"), at(problem, "what")))?;
    }
    match number(report, "more_problems") {
        0 => {}
        more => paper.line(format_args!("  and {} problems more", grouped(more)))?,
    }
    let only_indexes = at(report, "verdict") == "index";
    if only_indexes {
        paper.note("the events are whole: `dispatch doctor --repair-indexes` makes the indexes again");
    }
    Ok(())
}

fn anchor(paper: Paper, anchor: &Value) -> Result<(), Failure> {
    if anchor.is_null() {
        return Ok(());
    }
    let (position, made) = (at(anchor, "position"), time(&at(anchor, "made_at")));
    if list(anchor, "problems").is_empty() {
        paper.line(paper.good(format_args!("the log holds all that was anchored at position {position} ({made})")))?;
    } else {
        paper.line(paper.bad(format_args!("the log is NOT what was anchored at position {position} ({made})")))?;
        problems(paper, anchor)?;
    }
    if anchor["trusted"] != true {
        paper.note(format_args!(
            "the anchor is signed with {}: compare that with the key that you keep, or give it as --public-key",
            at(anchor, "public_key")
        ));
    }
    Ok(())
}
