//! `dispatch restore`.

use super::{
    context::Context,
    door::inside::hold,
    exit::{Exit, Failure},
    log::{not_copied, whole},
    paper::{
        Paper,
        words::{at, grouped, list, number},
    },
};
use crate::config::DataFolder;
use clap::Args;
use dispatch_events::{
    SystemClock,
    backup::{self, BackupError, Restored},
    framed::{FramedError, reader::Frames},
    store::{EngineKind, ReadError, UnknownEngine},
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Make a data folder of a backup, and erase again what was erased since
///
/// The keys are read from FILE.keys. The folder is new or empty, but for a list of erased keys (`keys/erased`) that may
/// stand in it. A restore that was cut off goes on when the same command is given again.
#[derive(Debug, Args)]
pub struct Restore {
    /// The backup
    file: PathBuf,
    /// Folder to make; without it the one that --data names
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Engine of the new log; without it the one that the backup came from
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// A list of erased keys that knows more than the backup: `keys/erased` of a data folder that is newer
    #[arg(long, value_name = "FILE")]
    erased: Option<PathBuf>,
}

impl Restore {
    /// Restores it.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let file = whole(&self.file)?;
        let target = match &self.into {
            Some(into) => DataFolder::at(whole(into)?),
            None => context.folder.clone(),
        };
        let engine = self.engine(&file)?;
        let _lock = hold(&target, "dispatch restore")?;
        let mut progress = context.paper.progress();
        let done = backup::restore(
            &file,
            target.path(),
            engine,
            self.erased.as_deref(),
            Arc::new(SystemClock),
            |stage, done, of| progress.tell((stage, done, of).into()),
        );
        drop(progress);
        let report = told(target.path(), engine, &done.map_err(not_restored)?);
        if context.paper.json {
            context.paper.document(&report)?;
        } else {
            show(context.paper, &report)?;
        }
        Ok(Exit::Done)
    }

    fn engine(&self, file: &Path) -> Result<EngineKind, Failure> {
        let unknown = |UnknownEngine(name)| {
            Failure::usage(format!("no engine is called `{name}`: give --engine sled or --engine sqlite"))
        };
        match &self.engine {
            Some(named) => named.parse().map_err(unknown),
            None => {
                let frames = Frames::open(file).map_err(|error| not_restored(BackupError::Framed(error)))?;
                // One that this build does not have: any that it has will do.
                Ok(frames.header().engine.parse().unwrap_or_default())
            }
        }
    }
}

fn not_restored(error: BackupError) -> Failure {
    let exit = match &error {
        BackupError::Framed(FramedError::Damaged { .. } | FramedError::Read(ReadError::Damaged { .. }))
        | BackupError::NotSound { .. } => Exit::Damaged,
        BackupError::Framed(FramedError::Foreign { .. }) => Exit::Usage,
        BackupError::Holds { .. } => Exit::Refused,
        BackupError::NoKeys(_) => Exit::NotFound,
        BackupError::Copy(error) => not_copied(error).exit,
        _ => Exit::Failed,
    };
    Failure::new(exit, error.to_string())
}

fn told(data: &Path, engine: EngineKind, done: &Restored) -> Value {
    json!({
        "data": data,
        "engine": engine.name(),
        "events": done.copied.events,
        "streams": done.copied.streams,
        "blobs": done.blobs,
        "damaged_blobs": done.damaged_blobs,
        "unread_names": done.copied.unread_names,
        "files": done.files,
        "position": done.copied.head.position,
        "log_hash": done.copied.head.hash,
        "resumed_behind": done.copied.resumed_behind,
        "erased_again": done.erased,
        "verified": crate::audit::VerifyReport::from(done.report.clone()),
    })
}

fn show(paper: Paper, report: &Value) -> Result<(), Failure> {
    paper.line(format_args!(
        "{}: {} events in {} streams, {} blobs and {} files, in {}",
        at(report, "data"),
        grouped(number(report, "events")),
        grouped(number(report, "streams")),
        grouped(number(report, "blobs")),
        grouped(number(report, "files")),
        at(report, "engine")
    ))?;
    paper
        .line(paper.good(format_args!("it was read again, and is sound up to position {}", at(report, "position"))))?;
    for (what, field) in [
        ("blobs are damaged in the backup and were left out", "damaged_blobs"),
        ("names can't be read", "unread_names"),
    ] {
        if number(report, field) > 0 {
            paper.line(paper.odd(format_args!("{} {what}", number(report, field))))?;
        }
    }
    let erased = list(report, "erased_again");
    if !erased.is_empty() {
        paper.line(format_args!("{} streams stay erased: their keys were not brought back", erased.len()))?;
    }
    paper.note("the next start makes a new token; `secrets.toml` is not in a backup");
    Ok(())
}
