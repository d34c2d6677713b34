//! Snapshots of streams, with the keys that seal them.

use super::{Log, Tip};
use crate::{
    Digest, StreamId,
    snapshot::{Snapshot, SnapshotError},
};

impl Log {
    /// The snapshot of a stream in the shape that `mark` names; `None` if there is none that can be used. Whether the log
    /// still has its `hash` at its `version` is for the reader of the tail to see. Blocks.
    pub fn snapshot(&self, stream: StreamId, mark: Digest) -> Option<Snapshot> {
        if !self.snapshots().holds(stream) {
            return None;
        }
        // Whatever is wrong here, reading the stream says it in its own words.
        let tip = self.tip(stream).ok().flatten()?;
        let key = self.keys().get(tip.key).ok()?;
        self.snapshots().get(stream, &key, mark).filter(|snapshot| snapshot.version <= tip.version)
    }

    /// Keeps the snapshot of a stream in place of the one before it. Blocks.
    ///
    /// # Errors
    /// [`SnapshotError`]; the one before it is as it was, and the session goes on without.
    pub fn keep_snapshot(&self, tip: Tip, mark: Digest, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.snapshots().put(tip.stream, || self.keys().get(tip.key), mark, snapshot)
    }
}
