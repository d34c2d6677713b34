//! What an engine has to do: keep rows, and make one batch durable at a time.

use super::{Head, LogHead, NameKey, PAGE_BYTES, ReadError};
use crate::{Digest, EventId, Position, StreamId, Version};

/// Everything that one group commit writes, all or none.
#[derive(Debug, Default)]
pub struct Batch {
    /// One frame per append.
    pub frames: Vec<Frame>,
    /// Where each event id stands.
    pub ids: Vec<(EventId, Position)>,
    /// The new ends of the streams.
    pub heads: Vec<(StreamId, Head)>,
    /// Names that are claimed (`Some`) or free again (`None`).
    pub names: Vec<(NameKey, Option<StreamId>)>,
    /// Streams that have this many open things; zero removes the row.
    pub open: Vec<(StreamId, u32)>,
}

/// The records of one append, one behind the other.
#[derive(Debug)]
pub struct Frame {
    /// Stream.
    pub stream: StreamId,
    /// Version of the first record.
    pub version: Version,
    /// Position of the first record.
    pub position: Position,
    /// How many records.
    pub count: u32,
    /// The records.
    pub bytes: Vec<u8>,
    /// The log's chain after the last record.
    pub log_hash: Digest,
}

impl Batch {
    /// Bytes of all records.
    pub fn bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.bytes.len()).sum()
    }
}

/// Why a batch did not land.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// Nothing was written, and a later try may work.
    #[error("{0}")]
    Refused(String),
    /// It may have been written or not; the engine takes nothing more until it is opened again.
    #[error("{0}")]
    Broken(String),
}

/// Keeps rows. Reads may run while a commit does; the store above hides what is not durable yet.
pub trait Engine: Send + Sync + 'static {
    /// Name for people.
    fn name(&self) -> &'static str;

    /// Writes a batch, all or none. **The durability point**: when this returns, the bytes are on the disk.
    ///
    /// # Errors
    /// [`EngineError`].
    fn commit(&self, batch: &Batch) -> Result<(), EngineError>;

    /// Records of a stream from `from` on.
    ///
    /// # Errors
    /// [`ReadError`].
    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// Records of a stream from `from` down.
    ///
    /// # Errors
    /// [`ReadError`].
    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// Records of the log from `from` on.
    ///
    /// # Errors
    /// [`ReadError`].
    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError>;

    /// End of a stream.
    ///
    /// # Errors
    /// [`ReadError`].
    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError>;

    /// End of the log.
    ///
    /// # Errors
    /// [`ReadError`].
    fn log_head(&self) -> Result<LogHead, ReadError>;

    /// The log's chain after `position`, where a frame ends there.
    ///
    /// # Errors
    /// [`ReadError`].
    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError>;

    /// Stream that has a name.
    ///
    /// # Errors
    /// [`ReadError`].
    fn named(&self, name: NameKey) -> Result<Option<StreamId>, ReadError>;

    /// Streams in the order of their ids, with their ends; empty behind the last.
    ///
    /// # Errors
    /// [`ReadError`].
    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError>;

    /// Names in the order of their keys.
    ///
    /// # Errors
    /// [`ReadError`].
    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError>;

    /// Streams with something open, and how much.
    ///
    /// # Errors
    /// [`ReadError`].
    fn open_streams(&self) -> Result<Vec<(StreamId, u32)>, ReadError>;

    /// How much of a stream is open.
    ///
    /// # Errors
    /// [`ReadError`].
    fn open_count(&self, stream: StreamId) -> Result<u32, ReadError>;

    /// Where an event id stands.
    ///
    /// # Errors
    /// [`ReadError`].
    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError>;

    /// The greatest event id in the log: a greater one is surely new.
    ///
    /// # Errors
    /// [`ReadError`].
    fn greatest_id(&self) -> Result<EventId, ReadError>;

    /// Empties the indexes: ids, heads, names and open streams. The records stay. For a repair, which writes them again
    /// with [`Engine::commit`] (batches without frames); one that is cut off between is repeated.
    ///
    /// # Errors
    /// [`EngineError`].
    fn clear_indexes(&self) -> Result<(), EngineError>;

    /// Why a commit would be refused at the moment, if it would.
    fn refusal(&self) -> Option<String> {
        None
    }
}

/// A page of records that is filled up to its limits.
#[derive(Debug)]
pub struct Page {
    /// What it holds.
    pub records: Vec<Vec<u8>>,
    limit: usize,
    bytes: usize,
}

impl Page {
    /// An empty page for at most `limit` records and about [`PAGE_BYTES`].
    pub fn new(limit: usize) -> Self {
        Self { records: Vec::new(), limit, bytes: 0 }
    }

    /// Takes a record; false when the page was full already. A first record of any length fits.
    pub fn add(&mut self, record: Vec<u8>) -> bool {
        let full = self.records.len() >= self.limit || (self.bytes > 0 && self.bytes + record.len() > PAGE_BYTES);
        if !full {
            self.bytes += record.len();
            self.records.push(record);
        }
        !full
    }
}

/// Splits a frame into its records.
///
/// # Errors
/// [`ReadError::Damaged`] when the frame does not hold exactly `count` records.
pub fn split_frame(bytes: &[u8], count: u32, place: impl Fn() -> String) -> Result<Vec<&[u8]>, ReadError> {
    let mut rest = bytes;
    let mut records = Vec::with_capacity(count as usize);
    while !rest.is_empty() {
        let record = crate::envelope::Header::record_len(rest).and_then(|length| rest.get(..length));
        let Some(record) = record else {
            return Err(ReadError::Damaged { place: place(), why: "a record is cut off".into() });
        };
        records.push(record);
        rest = &rest[record.len()..];
    }
    if records.len() != count as usize {
        let why = format!("{} records where {count} were written", records.len());
        return Err(ReadError::Damaged { place: place(), why });
    }
    Ok(records)
}
