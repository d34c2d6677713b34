//! The second engine: SQLite, compiled in, with a write-ahead log.
//!
//! **The durability point** is the `COMMIT` in [`commit`](SqliteEngine::commit). With `synchronous=FULL` SQLite appends
//! the pages of the transaction to `log.sqlite-wal`, syncs that file and only then returns; a reader sees them from then
//! on. Moving them to `log.sqlite` (a checkpoint, synced on both sides) is a matter of room and never of safety. What
//! SQLite does not do by itself is done here:
//!
//! 1. all writes come from the committer thread through one connection; a few others read, while it writes too;
//! 2. SQLite lets a second process in, so a file of the folder is locked ([`open`]);
//! 3. it takes flipped bits for good data, so every row has a checksum, and the rows of an index name each other, which
//!    makes also a row that can't be found an error ([`index`]);
//! 4. it drops the end of its write-ahead log behind a damaged frame without a word, and plays another log's into the
//!    database: a file beside it names the acknowledged end (`store/witness.rs`), one row of the database does too, with
//!    the log's id, and the tail is checked at opening (`store/tail.rs`). Until it is, nothing is moved;
//! 5. only an error that proves that nothing landed is a refusal ([`error`]);
//! 6. the folder and its parent are synced after creation, and the file gets its name when it is whole;
//! 7. below [`FREE_SPACE_FLOOR`](super::room::FREE_SPACE_FLOOR) appends are refused. Opening and reading go on.
//!
//! Frames lie in the order of the log, so a commit writes to few pages; an index finds them by stream.

mod error;
mod frames;
mod index;
mod open;
mod readers;
mod rows;
mod schema;
mod wal;
mod write;

use self::{
    index::{HEADS, IDS, KeyValue, NAMES, OPEN},
    readers::Readers,
};
use super::{
    Engine, EngineError, Head, LogHead, NameKey, ReadError, engine::Batch, room, tail::FramePlace, witness::Witness,
};
use crate::{Digest, EventId, Position, StreamId, Version};
use rusqlite::Connection;
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
};

/// An open log folder.
pub struct SqliteEngine {
    folder: PathBuf,
    /// Tells this log from every other.
    id: [u8; 16],
    witness: Witness,
    /// Closed before the writer, which as the last one moves everything to the database.
    readers: Readers,
    writer: Mutex<Connection>,
    /// Bytes that the write-ahead log may have before reads are paused for it.
    wal_most: u64,
    /// Bytes that it had when it could last not be cut back; 0 after it was.
    wal_stuck: AtomicU64,
    /// Given back last.
    _lock: File,
}

impl SqliteEngine {
    /// Whether a log of this engine lies in `folder`.
    pub fn lies_in(folder: &Path) -> bool {
        [schema::FILE, schema::WAL].iter().any(|name| folder.join(name).exists())
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last frame, checked against the end that the last commit wrote.
    fn end(&self, reader: &Connection) -> Result<LogHead, ReadError> {
        let end = open::end(reader, &self.id)?;
        let last = frames::places(reader, Position(u64::MAX), 1)?;
        if last.first().map(FramePlace::end).unwrap_or_default() != end {
            let why = format!("the last commit ended at position {}, the frames do not", end.position);
            return Err(ReadError::damaged("the end of the log", why));
        }
        Ok(end)
    }
}

impl Engine for SqliteEngine {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    /// **The durability point** of this engine is the `COMMIT` below.
    fn commit(&self, batch: &Batch) -> Result<(), EngineError> {
        room::guard(&self.folder)?;
        let writer = self.writer();
        let begun = writer.execute_batch("BEGIN IMMEDIATE").map_err(error::read);
        let written = begun.and_then(|()| write::batch(&writer, &self.id, batch));
        written.map_err(|error| error::before_commit(&writer, &error))?;
        writer.execute_batch("COMMIT").map_err(|error| error::at_commit(&writer, &error))?;
        self.witness.saw(batch);
        self.keep_small(&writer);
        Ok(())
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.readers.read(|reader| frames::stream(reader, stream, from, limit))
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.readers.read(|reader| frames::stream_back(reader, stream, from, limit))
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.readers.read(|reader| frames::log(reader, from, limit))
    }

    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        self.readers.read(|reader| frames::head(reader, stream))
    }

    fn log_head(&self) -> Result<LogHead, ReadError> {
        self.readers.read(|reader| self.end(reader))
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        self.readers.read(|reader| match frames::places(reader, position, 1)?.first() {
            Some(place) if place.last() == position => Ok(Some(place.log_hash)),
            // The last frame begins at or before any position behind the end, and no other ends before its next begins.
            Some(place) if place.last() < position && self.end(reader)?.position >= position => {
                Err(ReadError::damaged(format!("position {position}"), "no frame holds it"))
            }
            _ => Ok(None),
        })
    }

    fn named(&self, name: NameKey) -> Result<Option<StreamId>, ReadError> {
        let found = self.readers.read(|reader| NAMES.get(reader, &name.0))?;
        found.map(|stream| rows::exact("names", &stream).map(StreamId::from_bytes)).transpose()
    }

    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        let after = after.map(|after| after.bytes());
        let after = after.as_ref().map_or(&[][..], |after| &after[..]);
        let found = self.readers.read(|reader| HEADS.range(reader, after, limit))?;
        let head = |(stream, head): KeyValue| {
            let stream = StreamId::from_bytes(rows::exact("heads", &stream)?);
            Ok((stream, rows::head_of(&head)?))
        };
        found.into_iter().map(head).collect()
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        let after = after.as_ref().map_or(&[][..], |after| &after.0[..]);
        let found = self.readers.read(|reader| NAMES.range(reader, after, limit))?;
        let name = |(name, stream): KeyValue| {
            Ok((NameKey(rows::exact("names", &name)?), StreamId::from_bytes(rows::exact("names", &stream)?)))
        };
        found.into_iter().map(name).collect()
    }

    fn open_streams(&self) -> Result<Vec<(StreamId, u32)>, ReadError> {
        let found = self.readers.read(|reader| OPEN.range(reader, &[], usize::MAX))?;
        let stream = |(stream, count): KeyValue| {
            let stream = StreamId::from_bytes(rows::exact("open", &stream)?);
            Ok((stream, u32::from_be_bytes(rows::exact("open", &count)?)))
        };
        found.into_iter().map(stream).collect()
    }

    fn open_count(&self, stream: StreamId) -> Result<u32, ReadError> {
        let found = self.readers.read(|reader| OPEN.get(reader, &stream.bytes()))?;
        found.map_or(Ok(0), |count| rows::exact("open", &count).map(u32::from_be_bytes))
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        let found = self.readers.read(|reader| IDS.get(reader, &id.bytes()))?;
        found.map(|position| rows::exact("ids", &position).map(|bytes| Position(u64::from_be_bytes(bytes)))).transpose()
    }

    fn greatest_id(&self) -> Result<EventId, ReadError> {
        let greatest = self.readers.read(|reader| IDS.greatest(reader))?;
        if greatest.is_empty() {
            Ok(EventId::default())
        } else {
            rows::exact("ids", &greatest).map(EventId::from_bytes)
        }
    }

    fn clear_indexes(&self) -> Result<(), EngineError> {
        let writer = self.writer();
        let begun = writer.execute_batch("BEGIN IMMEDIATE").map_err(error::read);
        let cleared = begun.and_then(|()| index::ALL.iter().try_for_each(|index| index.clear(&writer)));
        cleared.map_err(|error| error::before_commit(&writer, &error))?;
        writer.execute_batch("COMMIT").map_err(|error| error::at_commit(&writer, &error))
    }

    fn refusal(&self) -> Option<String> {
        room::guard(&self.folder).err().map(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
