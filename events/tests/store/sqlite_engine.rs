//! What only the SQLite engine has: its lock, and what opening refuses.

use crate::subject::{Sqlite, Subject, Writer, everything, opened, owed, sized, small};
use dispatch_events::{
    ObligationId, StreamId,
    store::{EngineKind, OpenError, StartError, sqlite::SqliteEngine},
};
use std::fs;

async fn filled() -> (Sqlite, StreamId) {
    let subject = Sqlite::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    writer.write(vec![opened("a"), owed(ObligationId::fresh())]).await;
    for _ in 0..30 {
        writer.write(vec![small(), sized(9_000)]).await;
    }
    (subject, writer.stream())
}

#[tokio::test]
async fn a_second_open_is_told_so_and_touches_nothing() {
    let (subject, _) = filled().await;
    let store = subject.store();
    let refused = SqliteEngine::open(&subject.folder()).err().unwrap();
    assert!(matches!(refused, OpenError::InUse { .. }), "{refused}");
    assert!(refused.to_string().contains("is open already"), "{refused}");
    assert_eq!(everything(&store).len(), 62);
    drop(store);
    subject.store();
}

/// Beside another engine's log a new one would be empty, and everything would seem gone.
#[tokio::test]
async fn a_folder_with_another_engines_log_is_refused() {
    for (own, other) in [(EngineKind::Sled, EngineKind::Sqlite), (EngineKind::Sqlite, EngineKind::Sled)] {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(EngineKind::found_in(folder.path()), None);
        drop(own.start(folder.path()).unwrap());
        assert_eq!(EngineKind::found_in(folder.path()), Some(own));
        let Err(StartError::Open(refused)) = other.start(folder.path()) else { panic!("{other} began a log there") };
        assert!(refused.to_string().contains("dispatch log copy"), "{refused}");
        assert!(refused.to_string().contains(own.name()), "{refused}");
        own.start(folder.path()).unwrap();
    }
}

#[tokio::test]
async fn what_is_not_a_log_is_refused_and_left_alone() {
    let (subject, _) = filled().await;
    let database = subject.folder().join("log.sqlite");
    let whole = fs::read(&database).unwrap();
    let mut renamed = whole.clone();
    renamed[68..72].copy_from_slice(b"else");
    let mut newer = whole.clone();
    newer[63] = 9;
    let others: [(&str, Vec<u8>, &str); 5] = [
        ("an empty file", Vec::new(), "is empty"),
        ("a text", b"a file of somebody else, of some length; ".repeat(100), "not a database"),
        ("another application's", renamed, "not a log of Dispatch"),
        ("a later format", newer, "use a newer release"),
        ("the first page", whole[..4096].to_vec(), ""),
    ];
    for (name, bytes, why) in others {
        fs::write(&database, &bytes).unwrap();
        match SqliteEngine::open(&subject.folder()).err() {
            Some(error @ OpenError::Damaged { .. }) => assert!(error.to_string().contains(why), "{name}: {error}"),
            other => panic!("{name}: {:?}", other.map(|error| error.to_string())),
        }
        assert_eq!(fs::read(&database).unwrap(), bytes, "{name}: it was changed");
    }
    fs::remove_file(&database).unwrap();
    let refused = SqliteEngine::open(&subject.folder()).err().unwrap().to_string();
    assert!(refused.contains("is gone, but position 62 had been acknowledged"), "{refused}");
    fs::write(&database, &whole).unwrap();
    fs::write(subject.folder().join("log.sqlite-journal"), b"somebody's").unwrap();
    let refused = SqliteEngine::open(&subject.folder()).err().unwrap().to_string();
    assert!(refused.contains("not a file of this log"), "{refused}");
    fs::remove_file(subject.folder().join("log.sqlite-journal")).unwrap();
    assert_eq!(everything(&subject.store()).len(), 62);
}

/// A process that ends while it makes the log leaves a file under another name, which the next start makes anew.
#[tokio::test]
async fn a_log_that_was_half_made_is_made_again() {
    let subject = Sqlite::new();
    fs::create_dir_all(subject.folder()).unwrap();
    for left in ["log.sqlite.new", "log.sqlite.new-wal", "log.sqlite.new-journal"] {
        fs::write(subject.folder().join(left), b"half a page").unwrap();
    }
    let log = subject.log();
    Writer::new(&log).write(vec![small()]).await;
    drop(log);
    let mut names: Vec<_> = fs::read_dir(subject.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["end", "in-use", "log.sqlite"]);
}
