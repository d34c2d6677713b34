//! What only the SQLite engine has: its lock, and what opening refuses.

use crate::subject::{Sqlite, Subject, Vault, Writer, everything, opened, owed, sized, small};
use dispatch_events::{
    ObligationId, Position, StreamId, Version,
    store::{EngineKind, EventStore, NameSecret, OpenError, StartError, Store, sqlite::SqliteEngine},
};
use std::{fs, sync::Arc};

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
        drop(own.start(folder.path(), NameSecret::new([7; 32])).unwrap());
        assert_eq!(EngineKind::found_in(folder.path()), Some(own));
        let Err(StartError::Open(refused)) = other.start(folder.path(), NameSecret::new([7; 32])) else {
            panic!("{other} began a log there")
        };
        assert!(refused.to_string().contains("dispatch log copy"), "{refused}");
        assert!(refused.to_string().contains(own.name()), "{refused}");
        own.start(folder.path(), NameSecret::new([7; 32])).unwrap();
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

/// The tables without the engine. The folder must be closed.
fn raw(subject: &Sqlite) -> rusqlite::Connection {
    rusqlite::Connection::open(subject.folder().join("log.sqlite")).unwrap()
}

/// A record's own bytes are covered by its own checksum alone, which a read of records does not look at.
#[tokio::test]
async fn a_record_that_names_a_position_behind_the_end_is_not_left_out() {
    let (subject, stream) = filled().await;
    let log = subject.log();
    let mut other = Writer::new(&log);
    for _ in 0..70 {
        // Farther back than opening looks.
        other.write(vec![small()]).await;
    }
    drop(log);
    let db = raw(&subject);
    let mut bytes: Vec<u8> = db.query_row("SELECT bytes FROM frames WHERE position = 1", [], |row| row.get(0)).unwrap();
    bytes[200] ^= 1;
    db.execute("UPDATE frames SET bytes = ?1 WHERE position = 1", [bytes]).unwrap();
    drop(db);
    let store = subject.store();
    for page in [store.read_stream(stream, Version(1), 100), store.read_all(Position(1), 100)] {
        let error = page.unwrap_err().to_string();
        assert!(error.contains("version 1") || error.contains("position 1"), "{error}");
    }
}

/// Each row that is lost, or that says something else, is an error where it matters.
#[tokio::test]
async fn a_row_that_is_gone_or_changed_is_noticed() {
    let damages = [
        ("the last frame", "DELETE FROM frames WHERE position = 61"),
        ("a frame", "DELETE FROM frames WHERE position = 31"),
        ("the first frame", "DELETE FROM frames WHERE position = 1"),
        ("a frame's place", "UPDATE frames SET position = 600 WHERE position = 31"),
        ("a frame's stream", "UPDATE frames SET stream = zeroblob(16) WHERE position = 31"),
        ("a frame's version", "UPDATE frames SET version = 900 WHERE position = 31"),
        ("a frame's hash", "UPDATE frames SET log_hash = zeroblob(32) WHERE position = 31"),
        ("an id", "DELETE FROM ids WHERE key = (SELECT max(key) FROM ids)"),
        ("an earlier id", "DELETE FROM ids WHERE key = (SELECT key FROM ids LIMIT 1 OFFSET 20)"),
        ("an id's key", "UPDATE ids SET key = zeroblob(16) WHERE key = (SELECT key FROM ids LIMIT 1 OFFSET 20)"),
        ("an id's position", "UPDATE ids SET value = zeroblob(8) WHERE key = (SELECT key FROM ids LIMIT 1 OFFSET 20)"),
        ("all ids", "DELETE FROM ids"),
        ("the head", "DELETE FROM heads WHERE key != x''"),
        ("the head's version", "UPDATE heads SET value = zeroblob(56) WHERE key != x''"),
        ("the end of the log", "UPDATE log_end SET position = 60"),
        ("the log's id", "UPDATE log SET id = zeroblob(16)"),
    ];
    for (name, damage) in damages {
        let (subject, _) = filled().await;
        assert!(raw(&subject).execute(damage, []).unwrap() > 0, "{name}");
        // The witness knows of a lost end too; this is about the rows.
        fs::remove_file(subject.folder().join("end")).unwrap();
        match SqliteEngine::open(&subject.folder()) {
            Err(OpenError::Damaged { .. }) => {}
            Err(error) => panic!("{name}: {error}"),
            Ok(_) => panic!("{name}: nobody noticed"),
        }
    }
}

/// What opening does not look at: names and open streams, and what lies further back than the last appends.
#[tokio::test]
async fn an_index_row_that_is_gone_or_changed_is_an_error_where_it_is_asked_for() {
    type Ask = fn(&dyn EventStore) -> bool;
    let name: Ask = |store| store.named("a").is_err();
    let no_name: Ask = |store| store.named(&behind(store, "a")).is_err();
    let names: Ask = |store| store.names(None, 10).is_err();
    let open: Ask = |store| store.open_streams().is_err();
    let no_stream: Ask = |store| store.head(StreamId::from_bytes([0; 16])).is_err();
    let damages: [(&str, &str, &[Ask]); 8] = [
        ("the first of the heads", "DELETE FROM heads WHERE key = x''", &[no_stream]),
        ("a name", "DELETE FROM names WHERE key != x''", &[name, no_name, names]),
        ("a name's key", "UPDATE names SET key = x'ff' WHERE key != x''", &[name, no_name, names]),
        ("a name's owner", "UPDATE names SET value = zeroblob(16) WHERE key != x''", &[name, names]),
        ("the first of the names", "DELETE FROM names WHERE key = x''", &[names]),
        ("all names", "DELETE FROM names", &[name, no_name, names]),
        ("an open stream", "DELETE FROM open WHERE key != x''", &[open]),
        ("an open stream's count", "UPDATE open SET value = zeroblob(4) WHERE key != x''", &[open]),
    ];
    for (name, damage, questions) in damages {
        let (subject, _) = filled().await;
        assert!(raw(&subject).execute(damage, []).unwrap() > 0, "{name}");
        let store = subject.store();
        for (number, is_error) in questions.iter().enumerate() {
            assert!(is_error(&store), "{name}: question {number} was answered");
        }
    }
}

/// A name that no session has, and whose key lies behind the key of `name`.
fn behind(store: &dyn EventStore, name: &str) -> String {
    let key = |name: &str| store.name_secret().key(name);
    (0..).map(|number| format!("nobody's {number}")).find(|other| key(other) > key(name)).unwrap()
}

/// A batch that a crash cut off was never acknowledged: it is gone whole, and the log goes on.
#[tokio::test]
async fn half_a_batch_at_the_end_is_gone() {
    let subject = Sqlite::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    for _ in 0..20 {
        writer.write(vec![small(), sized(9_000)]).await;
    }
    let witness = fs::read(subject.folder().join("end")).unwrap();
    writer.write(vec![small(), sized(30_000), small()]).await;
    let (database, wal) = ("log.sqlite", "log.sqlite-wal");
    let files = [database, wal].map(|name| fs::read(subject.folder().join(name)).unwrap());
    for cut in [1, 100, 5_000, 20_000] {
        let crashed = tempfile::tempdir().unwrap();
        fs::write(crashed.path().join(database), &files[0]).unwrap();
        fs::write(crashed.path().join(wal), &files[1][..files[1].len() - cut]).unwrap();
        fs::write(crashed.path().join("end"), &witness).unwrap();
        let store =
            Arc::new(Store::start(SqliteEngine::open(crashed.path()).unwrap(), NameSecret::new([7; 32])).unwrap());
        assert_eq!(everything(&*store).len(), 40, "{cut} bytes cut off");
        let vault = Vault::new();
        let log = vault.log(store.clone());
        Writer::new(&log).write(vec![small()]).await;
        assert_eq!(everything(&*store).len(), 41, "{cut} bytes cut off");
    }
}
