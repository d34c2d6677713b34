//! A log with something of everything, and the file of it.

use crate::subject::{Sled, Subject, Vault, Writer, met, opened, owed, renamed, sized, small};
use dispatch_events::{
    Log, ObligationId, StreamId, SystemClock,
    framed::{FramedError, export},
    store::Store,
};
use std::{path::PathBuf, sync::Arc};

/// Stands in the name of a session and in a payload: no file without a key may show it.
pub const MARKER: &str = "pelican-4711-marker";

pub struct Written {
    pub subject: Sled,
    pub vault: Vault,
    pub one: StreamId,
    pub two: StreamId,
    pub folder: tempfile::TempDir,
}

impl Written {
    /// Two streams by turns: one open thing each, one of them settled, one renamed.
    pub async fn new() -> Self {
        let (subject, vault) = (Sled::new(), Vault::new());
        let log = vault.log(Arc::new(Store::start(subject.open(), vault.names()).unwrap()));
        let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
        let ids = [ObligationId::fresh(), ObligationId::fresh()];
        one.write(vec![opened(MARKER), owed(ids[0])]).await;
        two.write(vec![opened("two"), renamed("two", "zwei"), owed(ids[1])]).await;
        for bytes in [10, 9_000] {
            one.write(vec![small(), sized(bytes)]).await;
            two.write(vec![small()]).await;
        }
        one.write(vec![met(ids[0])]).await;
        let (one, two) = (one.stream(), two.stream());
        Self { subject, vault, one, two, folder: tempfile::tempdir().unwrap() }
    }

    pub fn log(&self) -> Log {
        self.vault.log(Arc::new(Store::start(self.subject.open(), self.vault.names()).unwrap()))
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("a.dspl")
    }

    pub fn export(&self, keys: bool) -> PathBuf {
        export(&self.log(), &self.path(), keys, |_, _| {}).unwrap();
        self.path()
    }
}

pub fn open(path: &std::path::Path) -> Result<Log, FramedError> {
    Log::open_file(path, Arc::new(SystemClock))
}
