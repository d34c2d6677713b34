//! A copy takes the log's place.
//!
//! The copy is made in `log.ENGINE-new`. Where the system can, the two folders change places in one step, and then the old
//! one gets its name, `log.ENGINE-old`; otherwise the old one is moved away first, and a start in between finds no log and
//! says so ([`cut_off`]). Whatever a cut left is finished by the same command ([`finish`]).
//!
//! A whole copy beside the log was cut off before both. The log may grow from there on, so the copy is marked unfinished
//! before anybody writes to the log ([`mark_stale`]): what stands in for a log that is gone is never older than it was.

use crate::config::DataFolder;
use dispatch_events::{
    copy::{self, MARKER},
    disk,
    store::EngineKind,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Where the copy for an engine is made.
pub(crate) fn fresh(folder: &DataFolder, to: EngineKind) -> PathBuf {
    folder.path().join(format!("log.{to}-new"))
}

/// A whole copy that was cut off before it took the log's place; the log is not there then.
pub(crate) fn cut_off(folder: &DataFolder) -> Option<EngineKind> {
    if EngineKind::found_in(&folder.log()).is_some() {
        return None;
    }
    EngineKind::ALL.iter().copied().find(|kind| is_whole(&fresh(folder, *kind), *kind))
}

/// Marks whole copies beside the log as unfinished: the next `log copy` goes on with them, and verifies them again.
pub(crate) fn mark_stale(folder: &DataFolder) -> io::Result<()> {
    if EngineKind::found_in(&folder.log()).is_none() {
        return Ok(());
    }
    let copies = EngineKind::ALL.iter().map(|kind| (fresh(folder, *kind), *kind));
    copies.filter(|(copy, kind)| is_whole(copy, *kind)).try_for_each(|(copy, kind)| copy::mark(&copy, kind))
}

fn is_whole(copy: &Path, engine: EngineKind) -> bool {
    EngineKind::found_in(copy) == Some(engine) && !copy.join(MARKER).exists()
}

/// Puts the verified copy in the place of the log, and tells where the old one is.
pub(crate) fn swap(folder: &DataFolder, from: EngineKind, to: EngineKind) -> io::Result<PathBuf> {
    let (log, fresh) = (folder.log(), fresh(folder, to));
    if exchange(&log, &fresh)? {
        disk::sync_dir(folder.path())?;
        return put_aside(folder, &fresh, from);
    }
    let old = put_aside(folder, &log, from)?;
    fs::rename(&fresh, &log)?;
    disk::sync_dir(folder.path())?;
    Ok(old)
}

/// Finishes a swap that was cut off.
pub(crate) fn finish(folder: &DataFolder) -> io::Result<()> {
    if let Some(kind) = cut_off(folder) {
        fs::rename(fresh(folder, kind), folder.log())?;
        disk::sync_dir(folder.path())?;
    }
    mark_stale(folder)?;
    for kind in EngineKind::ALL {
        let fresh = fresh(folder, *kind);
        // Under the name of the one is the log of the other: they have changed places already.
        if let Some(old) = EngineKind::found_in(&fresh).filter(|found| found != kind) {
            put_aside(folder, &fresh, old)?;
        }
    }
    Ok(())
}

/// Names what was the log after its engine. No older one is overwritten.
fn put_aside(folder: &DataFolder, what: &Path, engine: EngineKind) -> io::Result<PathBuf> {
    let names = std::iter::once(String::new()).chain((2..).map(|number: u32| format!("-{number}")));
    let mut places = names.map(|number| folder.path().join(format!("log.{engine}-old{number}")));
    let old = places.find(|place| place.symlink_metadata().is_err());
    let old = old.ok_or_else(|| io::Error::other("there is no free name for the old log"))?;
    fs::rename(what, &old)?;
    disk::sync_dir(folder.path())?;
    Ok(old)
}

/// Whether the two changed places in one step.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::{
        fs::{CWD, RenameFlags, renameat_with},
        io::Errno,
    };
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        // The file system has no such step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dispatch_events::{Log, SystemClock};
    use std::sync::Arc;

    /// A data folder with a log in sled, and a whole copy of it beside.
    fn copied(data: &Path) -> DataFolder {
        let folder = DataFolder::at(data);
        let log = Log::open(data, EngineKind::Sled, Arc::new(SystemClock)).unwrap();
        copy::copy(&log, &fresh(&folder, EngineKind::Sqlite), EngineKind::Sqlite, |_, _, _| {}).unwrap();
        folder
    }

    fn stands(folder: &DataFolder) {
        assert_eq!(EngineKind::found_in(&folder.log()), Some(EngineKind::Sqlite));
        assert_eq!(EngineKind::found_in(&folder.path().join("log.sled-old")), Some(EngineKind::Sled));
        assert!(!fresh(folder, EngineKind::Sqlite).exists());
        assert_eq!(cut_off(folder), None);
    }

    #[test]
    fn the_copy_takes_the_logs_place_and_the_old_one_is_kept() {
        let data = tempfile::tempdir().unwrap();
        let folder = copied(data.path());
        let old = swap(&folder, EngineKind::Sled, EngineKind::Sqlite).unwrap();
        assert_eq!(old, data.path().join("log.sled-old"));
        stands(&folder);
        finish(&folder).unwrap();
        stands(&folder);
    }

    #[test]
    fn a_cut_between_any_two_steps_is_finished() {
        // In one step, before the old one has its name.
        let data = tempfile::tempdir().unwrap();
        let folder = copied(data.path());
        if exchange(&folder.log(), &fresh(&folder, EngineKind::Sqlite)).unwrap() {
            assert_eq!(cut_off(&folder), None);
            finish(&folder).unwrap();
            stands(&folder);
        }
        // In two steps, between them.
        let data = tempfile::tempdir().unwrap();
        let folder = copied(data.path());
        put_aside(&folder, &folder.log(), EngineKind::Sled).unwrap();
        assert_eq!(cut_off(&folder), Some(EngineKind::Sqlite));
        finish(&folder).unwrap();
        stands(&folder);
    }

    #[test]
    fn a_whole_copy_beside_the_log_is_copied_to_again_and_never_stands_in_for_a_newer_log() {
        let data = tempfile::tempdir().unwrap();
        let folder = copied(data.path());
        let fresh = fresh(&folder, EngineKind::Sqlite);
        for mark in [mark_stale, finish] {
            mark(&folder).unwrap();
            let gone = put_aside(&folder, &folder.log(), EngineKind::Sled).unwrap();
            assert_eq!(cut_off(&folder), None);
            fs::rename(gone, folder.log()).unwrap();
            let log = Log::open(data.path(), EngineKind::Sled, Arc::new(SystemClock)).unwrap();
            copy::copy(&log, &fresh, EngineKind::Sqlite, |_, _, _| {}).unwrap();
        }
        swap(&folder, EngineKind::Sled, EngineKind::Sqlite).unwrap();
        stands(&folder);
    }

    #[test]
    fn half_a_copy_takes_no_place_and_an_older_log_is_not_overwritten() {
        let data = tempfile::tempdir().unwrap();
        let folder = copied(data.path());
        fs::write(fresh(&folder, EngineKind::Sqlite).join(MARKER), "sqlite").unwrap();
        let old = put_aside(&folder, &folder.log(), EngineKind::Sled).unwrap();
        assert_eq!(cut_off(&folder), None);
        fs::create_dir(folder.log()).unwrap();
        let second = put_aside(&folder, &folder.log(), EngineKind::Sled).unwrap();
        assert!(old != second && second.ends_with("log.sled-old-2"));
    }
}
