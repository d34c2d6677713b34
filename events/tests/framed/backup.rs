//! A backup of a running log makes the same data folder again, on any engine.

use crate::{
    subject::{Writer, block_on, opened},
    written::{MARKER, Written, assert_same, open},
};
use dispatch_events::{
    Log, SystemClock,
    backup::{Along, BackupError, Stage, backup, restore},
    framed::{FramedError, keys_beside},
    log::OpenLogError,
    store::{EngineKind, OpenError, StartError},
};
use std::{
    collections::BTreeMap,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

fn along(folder: &Path) -> Vec<Along> {
    let names = ["config.toml", "memories/main/MEMORY.md", "empty"];
    names.map(|name| Along { name: name.into(), path: folder.join(name.replace('/', "_")) }).into()
}

/// A folder with a backup in it, and the log as it was then.
pub fn backed_up(engine: EngineKind) -> Written {
    let written = Written::new(engine);
    let along = along(written.folder.path());
    // More than one piece, and exactly none.
    for (file, bytes) in along.iter().zip(["a = 1".to_owned(), "m".repeat(2 * 1024 * 1024), String::new()]) {
        fs::write(&file.path, bytes).unwrap();
    }
    let done = backup(&written.log(), &written.path(), &along, |_, _, _| {}).unwrap();
    assert_eq!((done.exported.trailer.blobs, done.exported.trailer.files), (3, 3));
    assert_eq!((done.report.events, done.report.unreadable), (14, 0));
    written
}

pub fn restored(
    written: &Written,
    data: &Path,
    engine: EngineKind,
) -> Result<dispatch_events::backup::Restored, BackupError> {
    restore(&written.path(), data, engine, None, Arc::new(SystemClock), |_, _, _| {})
}

fn opened_log(data: &Path, engine: EngineKind) -> Result<Log, OpenLogError> {
    Log::open(data, engine, Arc::new(SystemClock))
}

#[test]
fn a_backup_is_the_same_folder_on_any_engine() {
    for from in EngineKind::ALL {
        let written = backed_up(*from);
        for to in EngineKind::ALL {
            let data = tempfile::tempdir().unwrap();
            let data = data.path().join("new");
            let done = restored(&written, &data, *to).unwrap();
            assert_eq!((done.copied.events, done.blobs, done.files, done.erased.len()), (14, 3, 3, 0));
            let log = opened_log(&data, *to).unwrap();
            assert_same(&written.log(), &log);
            for given in along(written.folder.path()) {
                assert_eq!(fs::read(data.join(&given.name)).unwrap(), fs::read(&given.path).unwrap());
            }
            // The host goes on where the backup ended.
            let tip = log.tip(written.one).unwrap().unwrap();
            block_on(Writer { log: &log, tip }.write(vec![crate::subject::sized(200_000)]));
            assert_eq!(log.store().named(MARKER).unwrap(), Some(written.one));
            assert!(restored(&written, &data, *to).is_err(), "a folder that holds a log is no target");
        }
    }
}

#[test]
fn a_log_that_goes_on_is_backed_up_to_where_it_was() {
    let written = Written::new(EngineKind::Sled);
    let log = written.log();
    let mut stages = BTreeMap::new();
    let done = backup(&log, &written.path(), &[], |stage, _, _| {
        if *stages.entry(format!("{stage:?}")).and_modify(|told| *told += 1).or_insert(1) == 1 && stage == Stage::Log {
            std::thread::scope(|scope| {
                let late = || block_on(Writer::new(&log).write(vec![opened("late")]));
                scope.spawn(late).join().unwrap()
            });
        }
    })
    .unwrap();
    assert_eq!(log.store().log_head().position.0, 15);
    assert_eq!((done.exported.trailer.records, done.report.events), (14, 14));
    assert_eq!(
        stages.into_iter().collect::<Vec<_>>(),
        [("Blobs".into(), 3), ("Log".into(), 9), ("Verifying".into(), 1)]
    );
    assert_eq!(open(&written.path()).unwrap().store().named("late").unwrap(), None);
}

#[test]
fn a_restore_that_was_cut_off_is_no_log_and_goes_on() {
    let written = backed_up(EngineKind::Sqlite);
    for stop_at in [0, 2, 3, 5, 7, 8, 12] {
        let data = tempfile::tempdir().unwrap();
        let mut told = 0;
        let cut = catch_unwind(AssertUnwindSafe(|| {
            restore(&written.path(), data.path(), EngineKind::Sled, None, Arc::new(SystemClock), |_, _, _| {
                assert!(told < stop_at, "the cut");
                told += 1;
            })
        }));
        assert!(cut.is_err(), "{stop_at}");
        let refused = opened_log(data.path(), EngineKind::Sled).err().expect("it is not complete");
        let unfinished = matches!(refused, OpenLogError::Store(StartError::Open(OpenError::Unfinished { .. })));
        assert!(unfinished, "{refused}");
        restored(&written, data.path(), EngineKind::Sled).unwrap();
        assert_same(&written.log(), &opened_log(data.path(), EngineKind::Sled).unwrap());
    }
}

#[test]
fn what_is_not_whole_or_not_empty_is_refused() {
    let written = backed_up(EngineKind::Sqlite);
    let data = tempfile::tempdir().unwrap();
    fs::write(data.path().join("config.toml"), "mine").unwrap();
    let refused = restored(&written, data.path(), EngineKind::Sqlite).unwrap_err();
    assert!(matches!(&refused, BackupError::Holds { found, .. } if found.contains("config.toml")), "{refused}");
    fs::remove_file(data.path().join("config.toml")).unwrap();

    let (path, beside) = (written.path(), keys_beside(&written.path()));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let refused = restored(&written, data.path(), EngineKind::Sqlite).unwrap_err();
    assert!(matches!(refused, BackupError::Framed(FramedError::Damaged { .. })), "{refused}");
    fs::write(&path, &whole).unwrap();
    fs::rename(&beside, written.folder.path().join("elsewhere")).unwrap();
    let refused = restored(&written, data.path(), EngineKind::Sqlite).unwrap_err();
    assert!(matches!(refused, BackupError::NoKeys(_)), "{refused}");
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0, "nothing was begun");

    let secret = [Along { name: "token".into(), path: path.clone() }];
    let refused = backup(&written.log(), &written.folder.path().join("c"), &secret, |_, _, _| {}).unwrap_err();
    assert!(matches!(refused, BackupError::Unfit(_)), "{refused}");
}

/// One bad file, or one lost key, is no reason to lose all the rest.
#[test]
fn a_backup_of_damaged_blobs_and_lost_keys_is_restored() {
    let written = Written::new(EngineKind::Sqlite);
    let blob = fs::read_dir(written.data.path().join("blobs").join(written.one.to_string())).unwrap();
    let mut files: Vec<_> = blob.map(|entry| entry.unwrap().path()).collect();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(20).unwrap();
        }
    }
    let done = backup(&written.log(), &written.path(), &[], |_, _, _| {}).unwrap();
    assert_eq!((done.exported.damaged_blobs, done.report.unreadable), (1, 1), "{done:?}");
    let data = tempfile::tempdir().unwrap();
    let back = restored(&written, data.path(), EngineKind::Sled).unwrap();
    assert_eq!((back.blobs, back.damaged_blobs, back.report.unreadable), (2, 1, 1), "{back:?}");

    for slab in fs::read_dir(written.data.path().join("keys")).unwrap().map(|entry| entry.unwrap().path()) {
        if slab.extension().is_some_and(|extension| extension == "keys") {
            fs::remove_file(slab).unwrap();
        }
    }
    fs::remove_file(written.path()).unwrap();
    fs::remove_file(keys_beside(&written.path())).unwrap();
    backup(&written.log(), &written.path(), &[], |_, _, _| {}).unwrap();
    let data = tempfile::tempdir().unwrap();
    let back = restored(&written, data.path(), EngineKind::Sled).unwrap();
    assert_eq!((back.copied.events, back.copied.unread_names, back.copied.open), (14, 3, 1), "{back:?}");
}

#[test]
fn a_backup_that_fails_leaves_no_keys_behind() {
    let written = Written::new(EngineKind::Sqlite);
    let take_away = |_: Stage, _: u64, _: u64| {
        for entry in fs::read_dir(written.folder.path()).unwrap().map(Result::unwrap) {
            fs::remove_file(entry.path()).unwrap();
        }
    };
    backup(&written.log(), &written.path(), &[], take_away).unwrap_err();
    assert_eq!(fs::read_dir(written.folder.path()).unwrap().count(), 0);
    backup(&written.log(), &written.path(), &[], |_, _, _| {}).unwrap();
}
