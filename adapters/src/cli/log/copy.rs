//! `dispatch log copy`.

use super::beside;
use crate::{
    assemble::AssembleError,
    cli::{
        context::Context,
        door::inside::hold,
        exit::{Exit, Failure},
        paper::{
            Paper,
            words::{at, grouped, number},
        },
    },
    config::{DataFolder, Loaded},
    log_swap::{finish, fresh, swap},
};
use clap::Args;
use dispatch_actors::handle;
use dispatch_events::{
    Log, SystemClock,
    copy::{self, Copied, CopyError, Step},
    store::{EngineKind, OpenError, ReadError, UnknownEngine},
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Copy the log to another engine, verified stream by stream
///
/// Without --into the copy takes the place of the log in the data folder, and the old one stays beside it. A copy that was
/// cut off goes on when the same command is given again. No host may run meanwhile.
#[derive(Debug, Args)]
pub struct Copy {
    /// The engine: sled or sqlite
    #[arg(long, value_name = "ENGINE")]
    to: String,
    /// Make another data folder, with keys, blobs, memories and settings, instead of changing this one
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

impl Copy {
    /// Copies it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let to = self.to.parse().map_err(|UnknownEngine(name)| {
            Failure::usage(format!("no engine is called `{name}`: give --to sled or --to sqlite"))
        })?;
        let loaded = context.loaded()?;
        let _lock = hold(&context.folder, "dispatch log copy")?;
        let report = match &self.into {
            None => in_place(context, &loaded, to)?,
            Some(into) => beside::copy(context, &loaded, to, into)?,
        };
        let paper = context.paper;
        if paper.json {
            paper.document(&report)?;
            return Ok(Exit::Done);
        }
        show(paper, &report)?;
        Ok(Exit::Done)
    }
}

fn in_place(context: &Context, loaded: &Loaded, to: EngineKind) -> Result<Value, Failure> {
    let folder = &context.folder;
    finish(folder)
        .map_err(|error| Failure::failed(format!("{} can't be put in order: {error}", folder.path().display())))?;
    let Some(from) = EngineKind::found_in(&folder.log()) else {
        return Err(Failure::new(Exit::NotFound, format!("there is no log in {} to copy", folder.path().display())));
    };
    let settings = settings_to_change(loaded, to);
    if from == to {
        return Ok(json!({"from": from.name(), "to": to.name(), "copied": false, "settings": settings}));
    }
    let fresh = fresh(folder, to);
    let copied = copy_log(context, folder, from, &fresh, to)?;
    let old = swap(folder, from, to).map_err(|error| {
        Failure::failed(format!(
            "the copy in {} is whole, but could not take the log's place: {error}. Give the same command again",
            fresh.display()
        ))
    })?;
    let mut report = told(from, to, &folder.log(), &copied, settings);
    report["old"] = json!(old);
    Ok(report)
}

/// Copies the log of `folder` to `target`, with its progress on the terminal.
pub(super) fn copy_log(
    context: &Context,
    folder: &DataFolder,
    from: EngineKind,
    target: &Path,
    to: EngineKind,
) -> Result<Copied, Failure> {
    let source = Log::open(folder.path(), from, Arc::new(SystemClock)).map_err(AssembleError::from)?;
    let mut progress = context.paper.progress();
    let copied = copy::copy(&source, target, to, |step, at, of| {
        let stage = if step == Step::Writing { "log" } else { "verifying" };
        progress.tell(handle::Step { stage, done: at.0, of: of.0 });
    });
    copied.map_err(|error| not_copied(&error))
}

/// Why a log was not copied, with the exit code.
pub(in crate::cli) fn not_copied(error: &CopyError) -> Failure {
    let exit = match error {
        CopyError::Source(ReadError::Damaged { .. }) => Exit::Damaged,
        CopyError::Holds { .. } | CopyError::OtherLog { .. } | CopyError::Open(OpenError::OtherEngine { .. }) => {
            Exit::Refused
        }
        _ => Exit::Failed,
    };
    Failure::new(exit, error.to_string())
}

/// The place in the settings that still names another engine.
pub(super) fn settings_to_change(loaded: &Loaded, to: EngineKind) -> Option<String> {
    let named = loaded.settings.log.engine != to.name();
    loaded
        .origins
        .get("log.engine")
        .filter(|origin| named && **origin != crate::config::Origin::Log)
        .map(ToString::to_string)
}

/// The report.
pub(super) fn told(from: EngineKind, to: EngineKind, log: &Path, copied: &Copied, settings: Option<String>) -> Value {
    json!({
        "from": from.name(),
        "to": to.name(),
        "copied": true,
        "log": log,
        "resumed_behind": copied.resumed_behind,
        "events": copied.events,
        "appends": copied.appends,
        "streams": copied.streams,
        "names": copied.names,
        "open": copied.open,
        "position": copied.head.position,
        "log_hash": copied.head.hash,
        "settings": settings,
    })
}

fn show(paper: Paper, report: &Value) -> Result<(), Failure> {
    if report["copied"] == false {
        paper.line(format_args!("the log is in {} already", at(report, "to")))?;
    } else {
        paper.line(format_args!(
            "copied from {} to {}: {} events in {} streams, each with the same head, up to position {}",
            at(report, "from"),
            at(report, "to"),
            grouped(number(report, "events")),
            grouped(number(report, "streams")),
            at(report, "position")
        ))?;
        paper.line(format_args!("the log is in {}", at(report, "log")))?;
    }
    if number(report, "resumed_behind") > 0 {
        paper.note(format_args!("it went on behind position {}, where it was cut off", at(report, "resumed_behind")));
    }
    if !at(report, "old").is_empty() {
        paper.line(format_args!("the old one is kept in {}: remove it when you don't need it", at(report, "old")))?;
    }
    if !at(report, "settings").is_empty() {
        paper.line(paper.odd(format_args!(
            "change `engine` in `[log]` to \"{}\" ({}), or the next start is refused",
            at(report, "to"),
            at(report, "settings")
        )))?;
    }
    Ok(())
}
