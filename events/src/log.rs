//! Events in, [`Recorded`] out: the store, the keys and the blobs together.

mod file;
mod open;
mod seal;
mod snapshot;

use crate::{
    Clock, CorrelationId, Epoch, Event, EventId, Position, PrincipalId, Recorded, StreamId, Version,
    blob::{BLOB_THRESHOLD, BlobError, BlobStore},
    codec::CodecError,
    disk,
    keys::{KeyError, KeyId, Keyring},
    seal::SealError,
    snapshot::SnapshotStore,
    store::{Append, AppendError, Appended, EngineKind, EventStore, PAGE_BYTES, ReadError, StartError},
};
use std::{path::Path, sync::Arc};

/// No record is larger: a payload above the blob threshold is a reference to a blob.
const LARGEST_RECORD: usize = 2 * BLOB_THRESHOLD;

/// An event that somebody decided on, before it has a place.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The event.
    pub event: Event,
    /// Turn or command that it belongs to.
    pub correlation: CorrelationId,
    /// Event that led to it; none if nothing did.
    pub causation: EventId,
    /// Who caused it.
    pub principal: PrincipalId,
}

/// Where the next event of a stream goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The stream.
    pub stream: StreamId,
    /// Version of its last event; zero if it has none.
    pub version: Version,
    /// Key that seals it.
    pub key: KeyId,
}

/// Why events were not written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The store's answer; see there for what to do.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The store could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The event can't be stored; nothing was written.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The event can't be sealed; nothing was written.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// There is no key; nothing was written.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Its blob can't be stored; nothing was written.
    #[error(transparent)]
    Blob(#[from] BlobError),
}

/// The log of a data folder.
pub struct Log {
    store: Arc<dyn EventStore>,
    keys: Keyring,
    blobs: BlobStore,
    snapshots: SnapshotStore,
    clock: Arc<dyn Clock>,
    epoch: Epoch,
}

impl Log {
    /// Puts a log together, with its snapshots in memory. `epoch` is the number of the host run that will write.
    pub fn new(store: Arc<dyn EventStore>, keys: Keyring, blobs: BlobStore, clock: Arc<dyn Clock>) -> Self {
        Self { store, keys, blobs, snapshots: SnapshotStore::in_memory(), clock, epoch: Epoch(0) }
    }

    /// The log in memory, for tests.
    pub fn in_memory(store: Arc<dyn EventStore>, clock: Arc<dyn Clock>) -> Self {
        Self::new(store, Keyring::in_memory(), BlobStore::in_memory(), clock)
    }

    /// Opens `log/`, `keys/`, `blobs/` and `snapshots/` of a data folder with an engine. The caller holds the folder's lock.
    ///
    /// # Errors
    /// [`OpenLogError`], in words for the operator.
    pub fn open(data: &Path, engine: EngineKind, clock: Arc<dyn Clock>) -> Result<Self, OpenLogError> {
        disk::create_private_dir(data).map_err(BlobError::from)?;
        let keys = Keyring::open(&data.join("keys"))?;
        keys.sweep()?;
        let blobs = BlobStore::open(&data.join("blobs"))?;
        blobs.sweep()?;
        let folder = data.join("log");
        // A folder that is not there yet has nothing in it; one that is there and empty takes no harm from a new secret.
        let fresh = std::fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
        let store = engine.start(&folder, keys.name_secret(fresh)?)?;
        // The names of the three folders, also those that an earlier run made and could not sync any more.
        disk::sync_dir(data).map_err(BlobError::from)?;
        Ok(Self::new(store, keys, blobs, clock).with_snapshots(SnapshotStore::open(&data.join("snapshots"))))
    }

    /// The same log with another store in front, for tests.
    #[must_use]
    pub fn with_store(self, wrap: impl FnOnce(Arc<dyn EventStore>) -> Arc<dyn EventStore>) -> Self {
        Self { store: wrap(self.store), ..self }
    }

    /// The same log with other snapshots.
    #[must_use]
    pub fn with_snapshots(self, snapshots: SnapshotStore) -> Self {
        Self { snapshots, ..self }
    }

    /// The same log, written by the host run `epoch`.
    #[must_use]
    pub fn in_epoch(self, epoch: Epoch) -> Self {
        Self { epoch, ..self }
    }

    /// The host run that writes.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn EventStore> {
        &self.store
    }

    /// The blobs.
    pub fn blobs(&self) -> &BlobStore {
        &self.blobs
    }

    /// The snapshots.
    pub fn snapshots(&self) -> &SnapshotStore {
        &self.snapshots
    }

    /// The keys.
    pub fn keys(&self) -> &Keyring {
        &self.keys
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// A new stream with a key of its own. Nothing is written.
    ///
    /// # Errors
    /// [`LogError::Key`] when there is no key to take.
    pub fn new_tip(&self, stream: StreamId) -> Result<Tip, LogError> {
        Ok(Tip { stream, version: Version(0), key: self.keys.take()? })
    }

    /// The end of a stream; `None` if it has no events. Blocks.
    ///
    /// # Errors
    /// [`LogError::Read`].
    pub fn tip(&self, stream: StreamId) -> Result<Option<Tip>, LogError> {
        let head = self.store.head(stream)?;
        Ok(head.map(|head| Tip { stream, version: head.version, key: head.key }))
    }

    /// Seals drafts for the places behind `tip`. Writes blobs where a payload is large, so it may block for a sync.
    ///
    /// # Errors
    /// [`LogError`]; nothing was appended.
    pub fn prepare(&self, tip: Tip, drafts: Vec<Draft>) -> Result<Append, LogError> {
        let recorded_at = self.clock.now();
        let mut events = Vec::with_capacity(drafts.len());
        let mut version = tip.version;
        for draft in drafts {
            version = version.next();
            events.push(seal::seal(self, Tip { version, ..tip }, draft, recorded_at)?);
        }
        Ok(Append { stream: tip.stream, expected: tip.version, events })
    }

    /// Seals drafts and appends them; resolves when they are on the disk.
    ///
    /// # Errors
    /// [`LogError`].
    pub async fn append(&self, tip: Tip, drafts: Vec<Draft>) -> Result<Appended, LogError> {
        let append = self.prepare(tip, drafts)?;
        Ok(self.store.append(append).await?)
    }

    /// Events of a stream from `from` on, at most `limit`; empty at its end. Blocks.
    ///
    /// # Errors
    /// [`LogError::Read`] when a record is damaged. A payload that can't be read is in the event's body.
    pub fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let records = self.store.read_stream(stream, from, limit)?;
        records.iter().map(|record| Ok(open::open(self, record)?)).collect()
    }

    /// As [`Log::read_stream`], and whether the stream ended with these events: then there is no need to look.
    ///
    /// # Errors
    /// As [`Log::read_stream`].
    pub fn read_page(&self, stream: StreamId, from: Version, limit: usize) -> Result<(Vec<Recorded>, bool), LogError> {
        let records = self.store.read_stream(stream, from, limit)?;
        let bytes: usize = records.iter().map(Vec::len).sum();
        let last = records.len() < limit && bytes + LARGEST_RECORD <= PAGE_BYTES;
        let events = records.iter().map(|record| open::open(self, record)).collect::<Result<_, _>>()?;
        Ok((events, last))
    }

    /// Events of the whole log from `from` on, at most `limit`; empty at its end. Blocks.
    ///
    /// # Errors
    /// As [`Log::read_stream`].
    pub fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let records = self.store.read_all(from, limit)?;
        records.iter().map(|record| Ok(open::open(self, record)?)).collect()
    }

    /// The event of one stored record.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] when the record is. A payload that can't be read is in the event's body.
    pub fn open_record(&self, record: &[u8]) -> Result<Recorded, ReadError> {
        open::open(self, record)
    }
}

/// Why a data folder's log was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenLogError {
    /// The store's reason.
    #[error(transparent)]
    Store(#[from] StartError),
    /// The key folder's reason.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The blob folder's reason.
    #[error(transparent)]
    Blob(#[from] BlobError),
}
