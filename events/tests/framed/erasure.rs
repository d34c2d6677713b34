//! What was erased stays erased, however old the backup.

use crate::{
    backup::{backed_up, restored},
    written::{Written, open},
};
use dispatch_events::{
    Body, Log, StreamId, SystemClock, Version,
    backup::restore,
    keys::{KeyError, KeyId, erased},
    store::EngineKind,
    verify::verify,
};
use std::{fs, path::Path, sync::Arc};

/// Erases the first session, after the backup.
fn erase(written: &Written) -> KeyId {
    let log = written.log();
    let key = log.tip(written.one).unwrap().unwrap().key;
    log.keys().destroy(key).unwrap();
    log.blobs().purge(written.one).unwrap();
    key
}

fn assert_erased(data: &Path, stream: StreamId, key: KeyId) {
    let log = Log::open(data, EngineKind::Sqlite, Arc::new(SystemClock)).unwrap();
    assert!(matches!(log.keys().get(key), Err(KeyError::Destroyed(_))));
    for event in log.read_stream(stream, Version(1), 99).unwrap() {
        assert_eq!(event.body, Body::Erased);
    }
    assert!(!data.join("blobs").join(stream.to_string()).exists(), "its blobs are not written");
    assert_eq!(erased::read(&data.join("keys").join(erased::FILE)).unwrap(), [key], "and the list goes on");
    let report = verify(&log).unwrap();
    assert_eq!((report.is_sound(), report.erased, report.unreadable), (true, 7, 0), "{report:?}");
    assert_eq!(log.store().named(crate::written::MARKER).unwrap(), None);
    assert!(log.store().open_streams().unwrap().contains(&stream), "the next start finishes the erasure");
}

#[test]
fn a_destroyed_key_is_erased_in_the_file_too() {
    let written = Written::new(EngineKind::Sqlite);
    erase(&written);
    let file = open(&written.export(true)).unwrap();
    let report = verify(&file).unwrap();
    assert_eq!((report.erased, report.unreadable, report.is_sound()), (7, 0, true), "{report:?}");
}

#[test]
fn an_older_backup_does_not_bring_it_back() {
    let written = backed_up(EngineKind::Sled);
    let key = erase(&written);
    let list = written.data.path().join("keys").join(erased::FILE);
    // The backup alone still has it: that is what the lists are for.
    let naive = tempfile::tempdir().unwrap();
    assert_eq!(restored(&written, naive.path(), EngineKind::Sqlite).unwrap().erased, []);

    let data = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock);
    let done = restore(&written.path(), data.path(), EngineKind::Sqlite, Some(&list), clock.clone(), |_, _, _| {});
    let done = done.unwrap();
    assert_eq!((done.erased, done.blobs), (vec![written.one], 2));
    assert_erased(data.path(), written.one, key);

    // A list that stands in the folder applies by itself.
    let data = tempfile::tempdir().unwrap();
    fs::create_dir(data.path().join("keys")).unwrap();
    fs::copy(&list, data.path().join("keys").join(erased::FILE)).unwrap();
    assert_eq!(restored(&written, data.path(), EngineKind::Sqlite).unwrap().erased, [written.one]);
    assert_erased(data.path(), written.one, key);

    // A list that was named and is not there, or is damaged, stops everything.
    let refused = restore(
        &written.path(),
        &data.path().join("x"),
        EngineKind::Sqlite,
        Some(&list.join("no")),
        clock,
        |_, _, _| {},
    );
    assert!(refused.is_err());
}

/// The secret itself: no file of the restored folder has it.
#[test]
fn a_destroyed_secret_never_reaches_the_new_folder() {
    let written = backed_up(EngineKind::Sqlite);
    let slab = |data: &Path| {
        let entries = fs::read_dir(data.join("keys")).unwrap().map(|entry| entry.unwrap().path());
        let mut slabs = entries.filter(|path| path.extension().is_some_and(|extension| extension == "keys"));
        fs::read(slabs.next().unwrap()).unwrap()
    };
    let before = slab(written.data.path());
    let key = erase(&written);
    let after = slab(written.data.path());
    let start = before.iter().zip(&after).position(|(one, other)| one != other).unwrap();
    let secret = &before[start..start + 16];
    let list = written.data.path().join("keys").join(erased::FILE);
    let data = tempfile::tempdir().unwrap();
    restore(&written.path(), data.path(), EngineKind::Sqlite, Some(&list), Arc::new(SystemClock), |_, _, _| {})
        .unwrap();
    assert_erased(data.path(), written.one, key);
    let mut folders = vec![data.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                assert!(!bytes.windows(16).any(|window| window == secret), "{entry:?} has the secret");
            }
        }
    }
}
