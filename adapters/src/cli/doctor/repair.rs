//! `dispatch doctor --repair-indexes`.

use crate::cli::{
    context::Context,
    door::inside::hold,
    exit::{Exit, Failure},
    paper::{Paper, words::grouped},
};
use dispatch_actors::handle::Step;
use dispatch_events::{
    SystemClock,
    repair::{Difference, RepairError, Repaired, Stage, repair_indexes},
    store::{EngineKind, OpenError, ReadError},
};
use serde_json::json;
use std::sync::Arc;

/// Makes the indexes again where they differ from the records, and checks the log.
pub(super) fn run(context: &Context, force: bool) -> Result<Exit, Failure> {
    let folder = &context.folder;
    let Some(engine) = EngineKind::found_in(&folder.log()) else {
        return Err(Failure::new(Exit::NotFound, format!("there is no log in {}", folder.path().display())));
    };
    let _lock = hold(folder, "dispatch doctor --repair-indexes")?;
    let mut progress = context.paper.progress();
    let done = repair_indexes(folder.path(), engine, force, Arc::new(SystemClock), |stage, at| {
        let stage = if stage == Stage::Comparing { "comparing" } else { "indexes" };
        progress.tell(Step { stage, done: at.0, of: 0 });
    });
    drop(progress);
    let done = done.map_err(|error| refused(&error))?;
    if context.paper.json {
        context.paper.document(&json!({
            "engine": engine.name(),
            "found": done.found,
            "written": done.written,
            "verified": crate::audit::VerifyReport::from(done.report.clone()),
        }))?;
    } else {
        show(context.paper, &done)?;
    }
    Ok(if done.report.is_sound() { Exit::Done } else { Exit::Damaged })
}

fn refused(error: &RepairError) -> Failure {
    let exit = match error {
        RepairError::NoLog { .. } => Exit::NotFound,
        RepairError::Records { .. }
        | RepairError::LostEnd { .. }
        | RepairError::Open(OpenError::Damaged { .. })
        | RepairError::Read(ReadError::Damaged { .. } | ReadError::Missing { .. }) => Exit::Damaged,
        RepairError::Open(OpenError::Unfinished { .. }) => Exit::Refused,
        _ => Exit::Failed,
    };
    let forced = matches!(error, RepairError::LostEnd { .. });
    let how = if forced { " (`--force`)" } else { "" };
    Failure::new(exit, format!("{error}{how}"))
}

fn show(paper: Paper, done: &Repaired) -> Result<(), Failure> {
    let found = &done.found;
    let indexes = [("event ids", &found.ids), ("heads", &found.heads), ("names", &found.names), ("open", &found.open)];
    let rows: Vec<[String; 5]> = indexes.iter().map(|(name, difference)| row(name, difference)).collect();
    if found.any() {
        paper.table(["INDEX", "MISSING", "WRONG", "EXTRA", "NOT READABLE"], &rows)?;
    }
    if done.written {
        paper.line(paper.good("the indexes were made again from the events"))?;
    } else {
        paper.line("the indexes fit the events: nothing was changed")?;
    }
    let report = &done.report;
    if report.is_sound() {
        let events = grouped(report.events);
        return paper.line(format_args!("the log is sound: {events} events, up to position {}", report.position));
    }
    paper.line(paper.bad(format_args!("the log is DAMAGED all the same: {} problems", report.problems.count())))?;
    paper.note("`dispatch audit verify` names them");
    Ok(())
}

fn row(name: &str, difference: &Difference) -> [String; 5] {
    [
        name.to_owned(),
        grouped(difference.missing),
        grouped(difference.wrong),
        grouped(difference.extra),
        difference.unreadable.clone().unwrap_or_default(),
    ]
}
