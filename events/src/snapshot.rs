//! Snapshots: what a fold made of a stream up to a version, kept to save the time of folding it again.
//!
//! One file a stream, outside the engine, sealed with a key of the session. A file holds its [`Header`] in clear, then
//! the sealed state; the header is what the seal is bound to. Nothing is lost with a snapshot, so it is written without
//! a sync, and whatever is wrong with one (torn, damaged, of another stream, of another shape of the fold, of another
//! history) has one end: it is not used, and the reason is logged.

mod header;
mod place;
#[cfg(test)]
mod tests;

use crate::{
    Digest, StreamId, Version,
    codec::STATE_LIMIT,
    keys::{KeyBytes, KeyError, SessionKey},
    seal::{self, SealError},
};
use header::{HEADER_LEN, Header};
use place::Place;
use std::{
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

/// Names the key that seals snapshots.
const SEALING: &str = "dispatch 2026 snapshots";

/// Why a snapshot was not written. The session goes on without it.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The key that would seal it can't be had: the session is erased, or its key is missing.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// It could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// It is larger than one may be; the session is replayed.
    #[error("a state of {0} bytes is too large for a snapshot")]
    TooLarge(usize),
    /// The folder could not be read or written.
    #[error("the snapshot folder can't be used: {0}")]
    Io(#[from] io::Error),
}

/// What a fold made of a stream up to a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last version that it holds.
    pub version: Version,
    /// Hash of that event: a log that has another one there has another history.
    pub hash: Digest,
    /// The state.
    pub bytes: Vec<u8>,
}

/// The snapshots of a data folder.
pub struct SnapshotStore {
    place: Place,
    /// Held while a file is written or removed: two who write one stream don't mix their bytes.
    writing: Mutex<()>,
}

impl SnapshotStore {
    /// The snapshots in `folder`, which is made (owner-only) when the first one is written.
    pub fn open(folder: &Path) -> Self {
        Self::at(Place::Folder(folder.to_owned()))
    }

    /// Snapshots that live as long as this value; for tests.
    pub fn in_memory() -> Self {
        Self::at(Place::Memory(Mutex::default()))
    }

    fn at(place: Place) -> Self {
        Self { place, writing: Mutex::default() }
    }

    /// Whether a stream has one, usable or not.
    pub fn holds(&self, stream: StreamId) -> bool {
        self.place.holds(stream)
    }

    /// Writes the snapshot of a stream in place of the one before it. `mark` names the shape of the fold. `key` is asked
    /// while no other file is written or removed: of a session whose key is destroyed before [`SnapshotStore::remove`],
    /// nothing is left.
    ///
    /// # Errors
    /// [`SnapshotError`]; the one before it is as it was.
    pub fn put(
        &self,
        stream: StreamId,
        key: impl FnOnce() -> Result<Arc<SessionKey>, KeyError>,
        mark: Digest,
        snapshot: &Snapshot,
    ) -> Result<(), SnapshotError> {
        if snapshot.bytes.len() > STATE_LIMIT {
            return Err(SnapshotError::TooLarge(snapshot.bytes.len()));
        }
        let header = Header { stream, mark, version: snapshot.version, hash: snapshot.hash }.bytes();
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let sealed = seal::seal(&sealing(&*key()?), &header, &snapshot.bytes)?;
        Ok(self.place.replace(stream, &header, &sealed)?)
    }

    /// The snapshot of a stream, if there is one that was written with this key and this mark. One that can't be used is
    /// no error: the reason is logged.
    pub fn get(&self, stream: StreamId, key: &SessionKey, mark: Digest) -> Option<Snapshot> {
        match self.read(stream, key, mark) {
            Ok(snapshot) => snapshot,
            Err(why) => {
                tracing::warn!(%stream, %why, "a snapshot is not used; the history is read instead");
                None
            }
        }
    }

    /// Removes what there is of a stream; off the disk when it returns.
    ///
    /// # Errors
    /// What the file system says.
    pub fn remove(&self, stream: StreamId) -> io::Result<()> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.place.remove(stream)
    }

    fn read(&self, stream: StreamId, key: &SessionKey, mark: Digest) -> Result<Option<Snapshot>, Unusable> {
        let Some(file) = self.place.read(stream)? else { return Ok(None) };
        let (header, sealed) = file.split_at_checked(HEADER_LEN).ok_or(Unusable::Torn)?;
        let found = Header::parse(header).ok_or(Unusable::Torn)?;
        if found.stream != stream {
            return Err(Unusable::Foreign(found.stream));
        }
        if found.mark != mark {
            return Err(Unusable::OtherShape);
        }
        let bytes = seal::open(&sealing(key), header, sealed)?;
        Ok(Some(Snapshot { version: found.version, hash: found.hash, bytes }))
    }
}

fn sealing(key: &SessionKey) -> KeyBytes {
    key.derive(SEALING)
}

/// Why a snapshot is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("its file is cut off, or is no snapshot of this format")]
    Torn,
    #[error("its file is the snapshot of stream {0}")]
    Foreign(StreamId),
    #[error("it was written by a build that folds in another way")]
    OtherShape,
    #[error("its file is damaged or was sealed with another key: {0}")]
    Sealed(#[from] SealError),
    #[error("its file can't be read: {0}")]
    Io(#[from] io::Error),
}
