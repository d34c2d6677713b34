//! A long history: what of it a start, a session, a reader and a writer feel.
//!
//! `cargo bench --bench table -- million [--engine sled|sqlite] [--events 100000] [--keep]`. Without `--events` it is a
//! million, without `--engine` each in turn. `--keep` leaves the data folder in `target/tmp` and takes the one that a run
//! before left there: filling takes minutes. Sessions of 200 events and one of 10,000, about 1 KiB of payload each.

mod disk;
mod fill;
mod host;
mod library;

use crate::{Scale, cpu::timed, host::ROOT, report::Report};
use dispatch_events::{Log, SystemClock, store::EngineKind};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

/// What the arguments say.
pub struct Wanted {
    engines: Vec<EngineKind>,
    events: usize,
    keep: bool,
}

impl Wanted {
    /// Reads the arguments of this section.
    pub fn of(arguments: &[String], scale: Scale) -> Self {
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            Some(arguments.get(at + 1).expect("a value behind the option"))
        };
        Self {
            engines: value("--engine").map_or(EngineKind::ALL.to_vec(), |name| vec![name.parse().unwrap()]),
            events: value("--events").map_or(scale.of(1_000_000, 20_000), |number| number.parse().unwrap()),
            keep: arguments.iter().any(|argument| argument == "--keep"),
        }
    }
}

/// A data folder that is filled, removed at the end unless it is kept.
struct Filled {
    path: PathBuf,
    _temporary: Option<TempDir>,
}

/// Each engine in turn.
pub async fn measure(report: &mut Report, wanted: &Wanted) {
    report.section("million", "a long history: start, rehydrating, reading, appending");
    for engine in &wanted.engines {
        report.note(&format!("  {engine}:"));
        let filled = filled(report, *engine, wanted).await;
        let empty = tempfile::tempdir_in(ROOT).unwrap();
        disk::sled_alone(report, *engine, &filled.path);
        host::start(report, *engine, "start on a new folder", empty.path());
        host::start(report, *engine, "start on the history", &filled.path);
        host::rehydrate(report, *engine, &filled.path).await;
        let (log, opening) = timed(|| open(&filled.path, *engine));
        report.row("the log alone opened").number("wall_ms", ms(opening.wall), 1, "ms").number(
            "cpu_ms",
            ms(opening.cpu),
            1,
            "ms CPU",
        );
        library::rehydrate(report, &log);
        library::read(report, &log);
        library::append(report, &log).await;
    }
}

async fn filled(report: &mut Report, engine: EngineKind, wanted: &Wanted) -> Filled {
    let (path, temporary) = if wanted.keep {
        (Path::new(ROOT).join(format!("million-{engine}-{}", wanted.events)), None)
    } else {
        let folder = tempfile::tempdir_in(ROOT).unwrap();
        (folder.path().join("data"), Some(folder))
    };
    if path.join(fill::DONE).exists() {
        report.note(&format!("  as a run before filled it: {}", path.display()));
    } else {
        // What a run that was stopped in the middle left is of no use.
        if path.exists() {
            std::fs::remove_dir_all(&path).unwrap();
        }
        fill::fill(report, engine, &path, wanted.events).await;
    }
    disk::bytes(report, &path);
    Filled { path, _temporary: temporary }
}

/// Opens the log of a data folder.
fn open(data: &Path, engine: EngineKind) -> Arc<Log> {
    Arc::new(Log::open(data, engine, Arc::new(SystemClock)).unwrap())
}

/// A time in milliseconds.
fn ms(length: std::time::Duration) -> f64 {
    length.as_secs_f64() * 1e3
}
