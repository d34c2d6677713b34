//! The write-ahead log is kept small where reads never leave it a moment to begin anew.

use super::{SqliteEngine, open::LOCK_WAIT, schema};
use rusqlite::Connection;
use std::{fs, sync::atomic::Ordering, time::Duration};

/// How long a commit waits for a reader outside the pool.
const WAIT: Duration = Duration::from_millis(100);

impl SqliteEngine {
    /// A write-ahead log begins anew only at a moment when nobody reads. Where reads never leave one, they are made to.
    pub(super) fn keep_small(&self, writer: &Connection) {
        let length = fs::metadata(self.folder.join(schema::WAL)).map_or(0, |wal| wal.len());
        if length <= self.wal_most {
            self.wal_stuck.store(0, Ordering::Relaxed);
            return;
        }
        // Each try holds up the reads and this commit, so after one that failed the next waits for some growth.
        let stuck = self.wal_stuck.load(Ordering::Relaxed);
        if stuck > 0 && length < stuck + self.wal_most / 4 {
            return;
        }
        let why = match self.cut_back(writer) {
            Ok(true) => {
                self.wal_stuck.store(0, Ordering::Relaxed);
                return;
            }
            Ok(false) => "a read outside the pool holds it".to_owned(),
            Err(error) => error.to_string(),
        };
        self.wal_stuck.store(length, Ordering::Relaxed);
        if stuck == 0 {
            tracing::warn!(why, length, "the write-ahead log could not be cut back; it grows until that works again");
        }
    }

    /// Whether it was. That somebody is in the way is no error of the statement: it says so in its first column.
    fn cut_back(&self, writer: &Connection) -> rusqlite::Result<bool> {
        let _paused = self.readers.pause();
        writer.busy_timeout(WAIT)?;
        let busy = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        writer.busy_timeout(LOCK_WAIT)?;
        Ok(busy? == 0)
    }
}
