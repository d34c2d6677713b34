//! What only the sled engine has: the limits that keep it durable, and what opening cures or refuses.

use crate::subject::{Sled, Subject, Writer, everything, opened, owed, sized, small};
use dispatch_events::{
    ObligationId, StreamId,
    store::{AppendError, EventStore, NameSecret, OpenError, Store, sled::SledEngine},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder without the engine. sled gives its lock back a moment after its last handle is dropped.
pub fn raw(folder: &Path) -> sled::Db {
    for _ in 0..100 {
        if let Ok(db) = sled::Config::new().path(folder).open() {
            return db;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    sled::Config::new().path(folder).open().unwrap()
}

async fn filled() -> (Sled, StreamId) {
    let subject = Sled::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    writer.write(vec![opened("a"), owed(ObligationId::fresh())]).await;
    for _ in 0..30 {
        writer.write(vec![small(), sized(9_000)]).await;
    }
    (subject, writer.stream())
}

#[tokio::test]
async fn no_value_is_above_the_limit_and_no_blob_file_appears() {
    let subject = Sled::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    for length in [0, 3_000, 3_700, 3_800, 4_000, 8_000, 65_000, 65_400, 2_000_000] {
        writer.write(vec![sized(length)]).await;
        writer.write((0..50).map(|_| sized(length)).collect()).await;
    }
    writer.write((0..1000).map(|_| sized(20_000)).collect()).await;
    drop(log);
    let db = raw(&subject.folder());
    let (mut values, mut longest) = (0, 0);
    for name in db.tree_names() {
        for row in &db.open_tree(name).unwrap() {
            let (key, value) = row.unwrap();
            assert!(key.len() <= 512, "a key of {} bytes", key.len());
            longest = longest.max(value.len());
            values += 1;
        }
    }
    assert!(values > 6_000, "{values} values");
    assert_eq!(longest, 4_000);
    assert!(fs::read_dir(subject.folder().join("blobs")).map_or(0, Iterator::count) == 0);
}

#[tokio::test]
async fn a_blob_file_stops_appends_and_is_named() {
    let (subject, stream) = filled().await;
    let log = subject.log();
    let mut writer = Writer::new(&log);
    writer.write(vec![small()]).await;
    let planted = subject.folder().join("blobs").join("1");
    fs::create_dir_all(planted.parent().unwrap()).unwrap();
    fs::write(&planted, b"what sled never syncs").unwrap();
    match writer.append(vec![small()]).await {
        Err(AppendError::Unavailable(why)) => assert!(why.contains("blob files"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(log.store().refusal().unwrap().contains("blob files"));
    assert_eq!(log.store().read_stream(stream, dispatch_events::Version(1), 100).unwrap().len(), 62);
    assert_eq!(everything(&**log.store()).len(), 63);
    drop(log);
    let refused = SledEngine::open(&subject.folder()).err().unwrap();
    assert!(matches!(refused, OpenError::Damaged { .. }) && refused.to_string().contains("blob files"), "{refused}");
    fs::remove_file(planted).unwrap();
    let log = subject.log();
    assert_eq!(log.store().refusal(), None);
    Writer::new(&log).write(vec![small()]).await;
}

fn snapshots(folder: &Path) -> Vec<PathBuf> {
    let is_snapshot = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("snap.");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_snapshot).collect()
}

#[tokio::test]
async fn a_damaged_snapshot_file_is_cured() {
    let (subject, _) = filled().await;
    let reference = everything(&subject.store());
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("emptied", |snap| fs::write(snap, b"").unwrap()),
        ("halved", |snap| {
            let bytes = fs::read(snap).unwrap();
            fs::write(snap, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("flipped", |snap| {
            let mut bytes = fs::read(snap).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 16;
            fs::write(snap, bytes).unwrap();
        }),
        ("half-written", |snap| {
            let bytes = fs::read(snap).unwrap();
            fs::write(snap.with_file_name("snap.00000000000F0000.generating"), &bytes[..bytes.len() / 3]).unwrap();
        }),
        ("gone", |snap| fs::remove_file(snap).unwrap()),
    ];
    for (name, damage) in damages {
        let found = snapshots(&subject.folder());
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        damage(&found[0]);
        let engine = SledEngine::open(&subject.folder()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let store = Store::start(engine, NameSecret::new([7; 32]));
        let store = store.unwrap();
        assert_eq!(everything(&store), reference, "{name}");
        drop(store);
        // Once more, to see that the cure lasts.
        assert_eq!(everything(&subject.store()), reference, "{name}");
    }
}

#[tokio::test]
async fn a_second_open_is_told_so_and_touches_nothing() {
    let (subject, _) = filled().await;
    let store = subject.store();
    let writing = subject.folder().join("snap.00000000000F0000.generating");
    fs::write(&writing, b"the first one is writing this").unwrap();
    let refused = SledEngine::open(&subject.folder()).err().unwrap();
    assert!(matches!(refused, OpenError::InUse { .. }), "{refused}");
    assert!(refused.to_string().contains("is open already"), "{refused}");
    assert!(writing.exists(), "a file of the process that has the log was moved");
    assert_eq!(everything(&store).len(), 62);
    drop(store);
    subject.store();
}

#[tokio::test]
async fn a_row_that_is_gone_at_the_end_is_noticed() {
    type Remove = fn(&sled::Db, StreamId);
    let removals: [(&str, &str, Remove); 8] = [
        ("the last position", "does not know it", |db, _| drop(db.open_tree("positions").unwrap().pop_max().unwrap())),
        ("a position", "not contiguous", |db, _| {
            drop(db.open_tree("positions").unwrap().remove(51_u64.to_be_bytes()).unwrap());
        }),
        ("the first position", "not contiguous", |db, _| drop(db.open_tree("positions").unwrap().pop_min().unwrap())),
        ("an id", "index of event ids", |db, _| drop(db.open_tree("ids").unwrap().pop_min().unwrap())),
        ("all ids", "index of event ids", |db, _| db.open_tree("ids").unwrap().clear().unwrap()),
        ("the head", "index of heads", |db, stream| {
            drop(db.open_tree("heads").unwrap().remove(stream.bytes()).unwrap())
        }),
        ("the last part", "cut off", |db, _| drop(db.open_tree("frames").unwrap().pop_max().unwrap())),
        ("the first part", "", |db, _| drop(db.open_tree("frames").unwrap().pop_min().unwrap())),
    ];
    for (name, why, remove) in removals {
        let (subject, stream) = filled().await;
        let db = raw(&subject.folder());
        remove(&db, stream);
        db.flush().unwrap();
        drop(db);
        // The witness knows of a lost end too; this is about the rows.
        fs::remove_file(subject.folder().join("end")).unwrap();
        match SledEngine::open(&subject.folder()) {
            Err(error @ OpenError::Damaged { .. }) => assert!(error.to_string().contains(why), "{name}: {error}"),
            Err(error) => panic!("{name}: {error}"),
            Ok(_) => panic!("{name} is gone, and nobody noticed"),
        }
    }
}

/// Damage that lies too far back for the check at opening is an error where it is read, never a shorter stream.
#[tokio::test]
async fn an_append_that_is_gone_further_back_is_an_error_where_it_is_read() {
    let subject = Sled::new();
    let log = subject.log();
    let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
    for _ in 0..4 {
        one.write(vec![small(), small()]).await;
    }
    for _ in 0..70 {
        two.write(vec![small()]).await;
    }
    let stream = one.stream();
    drop(log);
    for (gone, forward, back) in [(1_u64, 0, 6), (3, 2, 4), (7, 6, 0)] {
        let mut key = [0; 26];
        key[..16].copy_from_slice(&stream.bytes());
        key[16..24].copy_from_slice(&gone.to_be_bytes());
        let db = raw(&subject.folder());
        let frames = db.open_tree("frames").unwrap();
        let part = frames.remove(key).unwrap().unwrap();
        db.flush().unwrap();
        drop((frames, db));
        let store = subject.store();
        let version = dispatch_events::Version;
        assert!(store.read_stream(stream, version(1), 100).is_err(), "version {gone}");
        assert!(store.read_stream(stream, version(gone + 1), 100).is_err(), "version {gone}");
        assert!(store.read_stream_back(stream, version(8), 100).is_err(), "version {gone}");
        assert!(store.read_all(dispatch_events::Position(1), 100).is_err(), "version {gone}");
        // What lies before it is there.
        if forward > 0 {
            assert_eq!(store.read_stream(stream, version(1), forward).unwrap().len(), forward);
        }
        if back > 0 {
            assert_eq!(store.read_stream_back(stream, version(8), back).unwrap().len(), back);
        }
        drop(store);
        let db = raw(&subject.folder());
        db.open_tree("frames").unwrap().insert(key, part).unwrap();
        db.flush().unwrap();
    }
}

/// Without the witness sled's silence would be ours: this is what it is for.
#[tokio::test]
async fn a_log_that_lost_its_end_says_where_it_should_be() {
    let (subject, _) = filled().await;
    let folder = subject.folder();
    let db = fs::read(folder.join("db")).unwrap();
    fs::write(folder.join("db"), &db[..db.len() / 2]).unwrap();
    for snapshot in snapshots(&folder) {
        fs::remove_file(snapshot).unwrap();
    }
    let refused = SledEngine::open(&folder).err().unwrap().to_string();
    assert!(refused.contains("position 62 had been acknowledged") || refused.contains("sled"), "{refused}");
    // A witness that is itself damaged stops nobody.
    fs::write(folder.join("db"), &db).unwrap();
    fs::write(folder.join("end"), b"DEND").unwrap();
    assert_eq!(everything(&subject.store()).len(), 62);
}
