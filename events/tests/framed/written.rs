//! A data folder with something of everything, and the file of its log.

use crate::subject::{Writer, block_on, met, opened, owed, renamed, sized, small};
use dispatch_events::{
    Log, ObligationId, Position, SharedText, StreamId, SystemClock,
    catalogue::prompt::ToolsetFrozen,
    framed::{FramedError, export},
    store::{EngineKind, EventStore, NameKey},
    verify::verify,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Stands in the name of a session: no file without a key may show it.
pub const MARKER: &str = "pelican-4711-marker";

pub struct Written {
    pub data: tempfile::TempDir,
    pub engine: EngineKind,
    pub one: StreamId,
    pub two: StreamId,
    pub folder: tempfile::TempDir,
}

impl Written {
    /// Two streams by turns, in 9 appends and 14 events: one open thing each, one of them settled, one stream renamed, with
    /// a blob each and a text that all share.
    pub fn new(engine: EngineKind) -> Self {
        let data = tempfile::tempdir().unwrap();
        let log = Log::open(data.path(), engine, Arc::new(SystemClock)).unwrap();
        let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
        let ids = [ObligationId::fresh(), ObligationId::fresh()];
        let schemas = SharedText { address: log.blobs().share("[{}]").unwrap(), length: 4 };
        block_on(async {
            one.write(vec![opened(MARKER), owed(ids[0])]).await; // 1, 2
            two.write(vec![opened("two"), renamed("two", "zwei"), owed(ids[1])]).await; // 3, 4, 5
            for bytes in [10, 100_000] {
                one.write(vec![small(), sized(bytes)]).await; // 6, 7 and 9, 10
                two.write(vec![small()]).await; // 8 and 11
            }
            one.write(vec![met(ids[0])]).await; // 12
            two.write(vec![sized(1_500_000)]).await; // 13
            two.write(vec![ToolsetFrozen { schemas, names: vec![] }.into()]).await; // 14
        });
        let (one, two) = (one.stream(), two.stream());
        drop(log);
        Self { data, engine, one, two, folder: tempfile::tempdir().unwrap() }
    }

    pub fn log(&self) -> Log {
        Log::open(self.data.path(), self.engine, Arc::new(SystemClock)).unwrap()
    }

    /// The keys and blobs of this folder over the log in another.
    pub fn log_in(&self, folder: &Path, engine: EngineKind) -> Log {
        use dispatch_events::{blob::BlobStore, keys::Keyring};
        let keys = Keyring::open(&self.data.path().join("keys")).unwrap();
        let store = engine.start(folder, keys.name_secret(false).unwrap()).unwrap();
        let blobs = BlobStore::open(&self.data.path().join("blobs")).unwrap();
        Log::new(store, keys, blobs, Arc::new(SystemClock))
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("a.dspl")
    }

    pub fn export(&self, keys: bool) -> PathBuf {
        export(&self.log(), &self.path(), keys, |_, _| {}).unwrap();
        self.path()
    }
}

pub fn open(path: &Path) -> Result<Log, FramedError> {
    Log::open_file(path, Arc::new(SystemClock))
}

pub fn names(store: &dyn EventStore) -> Vec<(NameKey, StreamId)> {
    store.names(None, 1000).unwrap()
}

/// The same records, ends and index rows, and the same verdict over them.
pub fn assert_same(one: &Log, other: &Log) {
    let (a, b) = (&**one.store(), &**other.store());
    assert_eq!(a.log_head(), b.log_head());
    assert!(crate::subject::everything(a) == crate::subject::everything(b), "the records differ");
    assert_eq!(a.streams(None, 1000).unwrap(), b.streams(None, 1000).unwrap());
    assert_eq!(names(a), names(b));
    let open = |store: &dyn EventStore| {
        let mut open = store.open_streams().unwrap();
        open.sort();
        open
    };
    assert_eq!(open(a), open(b));
    for position in (0..=a.log_head().position.0 + 1).map(Position) {
        assert_eq!(a.log_hash(position).unwrap(), b.log_hash(position).unwrap(), "{position}");
    }
    let report = verify(other).unwrap();
    assert_eq!(verify(one).unwrap(), report);
    assert!(report.is_sound() && report.unreadable == 0, "{report:?}");
}
