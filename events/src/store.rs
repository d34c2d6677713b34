//! Where records go, and the one place that says what "durable" means.
//!
//! [`EventStore::append`] is atomic and resolves when the bytes are on the disk. The expected version is the fence: a
//! writer that lost its session has a stale version, so its late writes can't land. Appending an event id again is
//! answered with its first position, whatever version is expected.
//!
//! [`Store`] implements the trait over any [`Engine`]: it owns the committer thread, which drains a bounded channel,
//! checks versions, names and ids, assigns positions and both chains, and hands one batch to the engine
//! ([`committer`]). An engine only keeps rows. The durability point is [`Engine::commit`].

pub mod committer;
pub mod engine;
pub mod faulty;
pub mod index;
mod kind;
pub mod memory;
mod name;
mod open_error;
pub mod room;
pub mod sled;
pub mod sqlite;
mod tail;
mod witness;

pub use committer::Store;
pub use engine::{Engine, EngineError};
pub use kind::{EngineKind, StartError, UnknownEngine};
pub use name::{NameKey, NameSecret};
pub use open_error::OpenError;

use crate::{Digest, EventId, Position, Recorded, StreamId, Version, envelope::WRITER_LEN, keys::KeyId};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Most events in one append.
pub const APPEND_EVENTS: usize = 1024;
/// Most bytes of payloads in one append: far above what [`APPEND_EVENTS`] sealed payloads below the blob threshold give.
pub const APPEND_BYTES: usize = 128 * 1024 * 1024;
/// Longest session name in bytes: it is a key in every engine.
pub const NAME_BYTES: usize = 512;
/// Most bytes that one page of a read returns, unless a single record is larger.
pub const PAGE_BYTES: usize = 8 * 1024 * 1024;

/// An event that is ready to be stored: sealed, and in clear for those who listen in this process.
#[derive(Debug, Clone)]
pub struct SealedEvent {
    /// The header's part that the writer knows.
    pub writer: [u8; WRITER_LEN],
    /// The payload as it is stored.
    pub payload: Vec<u8>,
    /// The same event in clear; position and hash are filled in at commit.
    pub recorded: Recorded,
}

/// Events for one stream, all or none.
#[derive(Debug, Clone)]
pub struct Append {
    /// The stream.
    pub stream: StreamId,
    /// The version that the writer believes it has; zero for a new stream.
    pub expected: Version,
    /// The events, in order, with versions from `expected + 1`.
    pub events: Vec<SealedEvent>,
}

/// What an append gave.
#[derive(Debug, Clone)]
pub struct Appended {
    /// Position of the first event.
    pub first: Position,
    /// Position of the last event.
    pub last: Position,
    /// The events with their positions; empty if the append had landed before.
    pub events: Vec<Arc<Recorded>>,
    /// The same ids had been appended before; nothing was written now.
    pub duplicate: bool,
}

/// Why an append did not answer with positions.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Another writer was faster. Nothing was written; read the stream and decide again.
    #[error("stream {stream} is at version {actual}, the writer expected {expected}")]
    Conflict {
        /// The stream.
        stream: StreamId,
        /// What the writer believed.
        expected: Version,
        /// What is there.
        actual: Version,
    },
    /// The session name belongs to another stream. Nothing was written; choose another name.
    #[error("the name `{name}` belongs to session {owner}")]
    NameTaken {
        /// The name.
        name: String,
        /// The stream that has it.
        owner: StreamId,
    },
    /// The append is not well formed. Nothing was written; it is a fault of the caller.
    #[error("the append is not well formed: {0}")]
    Invalid(String),
    /// The store takes no writes now, for example because the disk is full. Nothing was written; try again later.
    #[error("the log takes no writes: {0}")]
    Unavailable(String),
    /// The write failed half-way: it may be on the disk or not. Read the stream to know.
    #[error("the write failed and may or may not be on the disk: {0}")]
    Unknown(String),
}

/// Why a read did not answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// Bytes in the log are not what was written. Run `dispatch audit verify`, then restore a backup.
    #[error("the log is damaged at {place}: {why}")]
    Damaged {
        /// Where, in words.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A record that was written is not there. Run `dispatch audit verify`, then restore a backup.
    #[error("the log is damaged at {place}: {why}")]
    Missing {
        /// Where, in words.
        place: String,
        /// What is missing.
        why: String,
    },
    /// The engine could not read.
    #[error("the log can't be read: {0}")]
    Io(String),
}

impl ReadError {
    pub(crate) fn damaged(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Damaged { place: place.into(), why: why.into() }
    }

    pub(crate) fn missing(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Missing { place: place.into(), why: why.into() }
    }

    /// Whether the log is damaged, and not only out of reach.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Missing { .. })
    }
}

/// The end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Version of the last event.
    pub version: Version,
    /// Hash of the last event.
    pub hash: Digest,
    /// Key that seals the stream.
    pub key: KeyId,
}

/// The end of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogHead {
    /// Position of the last event; zero in an empty log.
    pub position: Position,
    /// The log's own chain at that position.
    pub hash: Digest,
}

/// The future of an append. It resolves when the bytes are on the disk.
pub type AppendFuture = BoxFuture<'static, Result<Appended, AppendError>>;

/// Who is told what was committed, in order, on the committer's thread. Must not block. If it panics, that is logged
/// and the log goes on: it is told of the next commit, and the other observers of this one.
pub trait CommitObserver: Send + Sync {
    /// These events are durable.
    fn committed(&self, events: &[Arc<Recorded>]);
}

/// A log of events. Reads block; call them off the actors' threads.
pub trait EventStore: Send + Sync + 'static {
    /// Appends events to one stream, all or none; resolves when they are on the disk.
    fn append(&self, append: Append) -> AppendFuture;

    /// Records of a stream from `from` on, in order, at most `limit` and at most [`PAGE_BYTES`], unless the first alone is
    /// larger. A page that has fewer, and room for one more record, ends where the stream ends.
    ///
    /// # Errors
    /// [`ReadError`].
    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// Records of a stream from `from` down, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`ReadError`].
    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// Records of the whole log from `from` on, in order, at most `limit` and about [`PAGE_BYTES`].
    ///
    /// # Errors
    /// [`ReadError`].
    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// The end of a stream; `None` if nothing was ever written to it.
    ///
    /// # Errors
    /// [`ReadError`].
    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError>;

    /// The end of the log.
    fn log_head(&self) -> LogHead;

    /// What the log's chain is said to be after `position`, where the engine keeps that (at the end of an append).
    ///
    /// # Errors
    /// [`ReadError`].
    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError>;

    /// The session that has this name.
    ///
    /// # Errors
    /// [`ReadError`].
    fn named(&self, name: &str) -> Result<Option<StreamId>, ReadError>;

    /// Streams after `after` in the order of their ids, which is the order in which they began, with their ends. At most
    /// `limit`; a page may be shorter, and only an empty one is the last.
    ///
    /// # Errors
    /// [`ReadError`].
    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError>;

    /// Rows of the index of names after `after`, in the order of their keys, at most `limit`.
    ///
    /// # Errors
    /// [`ReadError`].
    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError>;

    /// What blinds the names of the index.
    fn name_secret(&self) -> &NameSecret;

    /// Streams with an open admission or obligation.
    ///
    /// # Errors
    /// [`ReadError`].
    fn open_streams(&self) -> Result<Vec<StreamId>, ReadError>;

    /// Whether this event id is in the log, and where.
    ///
    /// # Errors
    /// [`ReadError`].
    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError>;

    /// Registers somebody who is told what was committed.
    fn observe(&self, observer: Arc<dyn CommitObserver>);

    /// Name of the engine, for people.
    fn engine(&self) -> &'static str;

    /// Why appends are refused at the moment, if they are.
    fn refusal(&self) -> Option<String>;
}
