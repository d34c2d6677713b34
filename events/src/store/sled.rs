//! The embedded default: sled 0.34.7, in the hardened form and no other.
//!
//! As documented sled does not reach the disk (`flush()` is `sync_file_range`), and values above 4,000 bytes can end up
//! in files that are never synced. In this form it loses nothing in the suites of this repository that kill it and that cut
//! the power of its file system; without point 2 the latter finds acknowledged events lost (`tests/power-cut`):
//!
//! 1. all writes come from the committer thread, one transaction a group ([`commit`](SledEngine::commit));
//! 2. after it `flush()`, then `sync_data()` on an own handle of `<dir>/db`, and only then an answer;
//! 3. no value above [`rows::VALUE_MAX`] bytes: a frame is cut into part rows;
//! 4. if `<dir>/blobs` is ever non-empty, appends stop;
//! 5. the cache size is explicit; the folder and its parent are synced after creation;
//! 6. below [`FREE_SPACE_FLOOR`](super::room::FREE_SPACE_FLOOR) appends are refused before sled meets a full disk, which
//!    it can't be opened on, and room for what it writes by itself is allocated ahead ([`reserve`]);
//! 7. a small file beside sled names the acknowledged end, because sled drops a damaged end silently
//!    (`store/witness.rs`);
//! 8. opening repairs what is known to be curable, checks the tail, and otherwise refuses with the way out ([`open`]).
//!
//! Keys are big-endian. Frames lie in stream order, because rehydrating a session is the hot read; `positions` finds a
//! frame by its place in the whole log.

mod open;
mod read;
mod reserve;
mod rows;

use self::{
    reserve::Reserve,
    rows::{frame_key, open_value, position_key, position_value},
};
use super::{Engine, EngineError, Head, LogHead, NameKey, ReadError, engine::Batch, room, witness::Witness};
use crate::{Digest, EventId, Position, StreamId, Version, envelope::Header};
use sled::{
    Transactional, Tree,
    transaction::{ConflictableTransactionError, TransactionError},
};
use std::{
    fs::File,
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

/// Said when the one thing happened that this form of sled must never do.
const BLOB_FILES: &str = "sled wrote blob files, which it never syncs: stop the host and report this";
/// Page cache of the engine in bytes.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// An open log folder.
pub struct SledEngine {
    folder: PathBuf,
    /// Own handle of the file that sled writes to: the only way to make it reach the disk.
    file: File,
    reserve: Reserve,
    witness: Witness,
    db: sled::Db,
    /// (stream, first version, part) → a part of a frame.
    frames: Tree,
    /// first position → stream, first version, count, log hash.
    positions: Tree,
    /// event id → position.
    ids: Tree,
    /// stream → version, hash, key.
    heads: Tree,
    /// blinded session name → stream.
    names: Tree,
    /// stream → number of open things.
    open: Tree,
    /// Dropped last, when sled's own handles are gone.
    _let_go: open::LetGo,
}

impl SledEngine {
    /// Whether a log of this engine lies in `folder`.
    pub fn lies_in(folder: &Path) -> bool {
        folder.join("db").exists()
    }

    fn write(&self, batch: &Batch) -> Result<(), TransactionError<String>> {
        let trees = (&self.frames, &self.positions, &self.ids, &self.heads, &self.names, &self.open);
        trees.transaction(|(frames, positions, ids, heads, names, open)| {
            for frame in &batch.frames {
                for (part, bytes) in frame.bytes.chunks(rows::VALUE_MAX).enumerate() {
                    let part = u16::try_from(part).map_err(|_| {
                        ConflictableTransactionError::Abort("an append has more than 65,536 parts".to_owned())
                    })?;
                    frames.insert(&frame_key(frame.stream, frame.version, part), bytes)?;
                }
                positions.insert(&position_key(frame.position), position_value(frame).as_slice())?;
            }
            for (id, position) in &batch.ids {
                ids.insert(&id.bytes(), &position_key(*position))?;
            }
            for (stream, head) in &batch.heads {
                heads.insert(&stream.bytes(), rows::head_value(head).as_slice())?;
            }
            for (name, owner) in &batch.names {
                match owner {
                    Some(stream) => names.insert(&name.0, &stream.bytes())?,
                    None => names.remove(&name.0)?,
                };
            }
            for (stream, count) in &batch.open {
                match count {
                    0 => open.remove(&stream.bytes())?,
                    count => open.insert(&stream.bytes(), &open_value(*count))?,
                };
            }
            Ok(())
        })
    }

    fn guard(&self) -> Result<(), EngineError> {
        room::guard(&self.folder)?;
        if open::has_blob_files(&self.folder) {
            return Err(EngineError::Refused(BLOB_FILES.to_owned()));
        }
        Ok(())
    }

    fn write_and_sync(&self, batch: &Batch) -> Result<(), EngineError> {
        match self.write(batch) {
            Ok(()) => {}
            Err(TransactionError::Abort(why)) => return Err(EngineError::Refused(why)),
            Err(TransactionError::Storage(error)) => return Err(EngineError::Broken(error.to_string())),
        }
        self.db.flush().map_err(|error| EngineError::Broken(error.to_string()))?;
        self.file.sync_data().map_err(|error| EngineError::Broken(error.to_string()))?;
        // This batch itself may have gone to such a file: it is not on the disk then.
        if open::has_blob_files(&self.folder) {
            return Err(EngineError::Broken(BLOB_FILES.to_owned()));
        }
        self.witness.saw(batch);
        Ok(())
    }

    /// The indexes are not emptied as one step. Without the id of its last record the log is refused at the next opening,
    /// however far that came. The greatest id will not do: where the clock was set back, it can lie far from the end.
    fn forget_last_id(&self) -> Result<(), EngineError> {
        let last = guarded(|| {
            let Some((key, value)) = self.positions.last().map_err(rows::io)? else { return Ok(None) };
            let place = rows::position_of(&key, &value)?;
            Ok(read::load_row(&self.frames, &place)?.pop().map(|record| (place.last(), record)))
        });
        let refused = |why: String| EngineError::Refused(format!("the last record can't be read: {why}"));
        let Some((position, record)) = last.map_err(|error| refused(error.to_string()))? else { return Ok(()) };
        let (header, _) = Header::parse(&record).map_err(|error| refused(format!("position {position}: {error}")))?;
        let broken = |error: sled::Error| EngineError::Broken(error.to_string());
        self.ids.remove(header.id.bytes()).map_err(broken)?;
        self.db.flush().map_err(broken)?;
        self.file.sync_data().map_err(|error| EngineError::Broken(error.to_string()))
    }

    fn end(&self, stream: StreamId) -> Result<Version, ReadError> {
        Ok(self.head_row(stream)?.map_or(Version(0), |head| head.version))
    }

    fn head_row(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        let row = self.heads.get(stream.bytes()).map_err(rows::io)?;
        row.map(|row| rows::head_of(stream, &row)).transpose()
    }
}

/// sled panics on some damaged pages; here that is an error like any other damage.
fn guarded<T>(read: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(rows::damaged("a page", "sled panicked while it read")))
}

impl Engine for SledEngine {
    fn name(&self) -> &'static str {
        "sled"
    }

    /// **The durability point** of this engine is the `sync_data` below.
    fn commit(&self, batch: &Batch) -> Result<(), EngineError> {
        self.guard()?;
        self.reserve.keep(&self.file).map_err(|error| EngineError::Refused(error.to_string()))?;
        catch_unwind(AssertUnwindSafe(|| self.write_and_sync(batch)))
            .unwrap_or_else(|_| Err(EngineError::Broken("sled panicked while it wrote".to_owned())))
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        guarded(|| read::stream(&self.frames, self.end(stream)?, stream, from, limit))
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        guarded(|| read::stream_back(&self.frames, self.end(stream)?, stream, from, limit))
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        guarded(|| read::all(&self.positions, &self.frames, from, limit))
    }

    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        guarded(|| self.head_row(stream))
    }

    fn log_head(&self) -> Result<LogHead, ReadError> {
        guarded(|| {
            let Some((key, value)) = self.positions.last().map_err(rows::io)? else { return Ok(LogHead::default()) };
            let row = rows::position_of(&key, &value)?;
            Ok(row.end())
        })
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        guarded(|| {
            let below = self.positions.range(..=position_key(position)).next_back();
            let Some((key, value)) = below.transpose().map_err(rows::io)? else { return Ok(None) };
            let row = rows::position_of(&key, &value)?;
            Ok((row.last() == position).then_some(row.log_hash))
        })
    }

    fn named(&self, name: NameKey) -> Result<Option<StreamId>, ReadError> {
        guarded(|| {
            let row = self.names.get(name.0).map_err(rows::io)?;
            row.map(|row| rows::stream_of("names", &row)).transpose()
        })
    }

    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        let head = |row: sled::Result<(sled::IVec, sled::IVec)>| {
            let (stream, head) = row.map_err(rows::io)?;
            let stream = rows::stream_of("heads", &stream)?;
            Ok((stream, rows::head_of(stream, &head)?))
        };
        let start = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.bytes()));
        guarded(|| self.heads.range((start, Bound::Unbounded)).take(limit).map(head).collect())
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        let name = |row: sled::Result<(sled::IVec, sled::IVec)>| {
            let (name, stream) = row.map_err(rows::io)?;
            let name = name.as_ref().try_into().map_err(|_| rows::damaged("names", "a key of another length"))?;
            Ok((NameKey(name), rows::stream_of("names", &stream)?))
        };
        let start = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.0));
        guarded(|| self.names.range((start, Bound::Unbounded)).take(limit).map(name).collect())
    }

    fn open_streams(&self) -> Result<Vec<(StreamId, u32)>, ReadError> {
        let stream = |row: sled::Result<(sled::IVec, sled::IVec)>| {
            let (stream, count) = row.map_err(rows::io)?;
            Ok((rows::stream_of("open", &stream)?, rows::open_of(&count)?))
        };
        guarded(|| self.open.iter().map(stream).collect())
    }

    fn open_count(&self, stream: StreamId) -> Result<u32, ReadError> {
        guarded(|| {
            let row = self.open.get(stream.bytes()).map_err(rows::io)?;
            row.map_or(Ok(0), |row| rows::open_of(&row))
        })
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        guarded(|| {
            let row = self.ids.get(id.bytes()).map_err(rows::io)?;
            row.map(|row| rows::number(&row, "ids").map(Position)).transpose()
        })
    }

    fn greatest_id(&self) -> Result<EventId, ReadError> {
        guarded(|| {
            let Some((key, _)) = self.ids.last().map_err(rows::io)? else { return Ok(EventId::default()) };
            let bytes = key.as_ref().try_into().map_err(|_| rows::damaged("ids", "a key of another length"))?;
            Ok(EventId::from_bytes(bytes))
        })
    }

    fn clear_indexes(&self) -> Result<(), EngineError> {
        let broken = |error: sled::Error| EngineError::Broken(error.to_string());
        self.forget_last_id()?;
        for tree in [&self.ids, &self.heads, &self.names, &self.open] {
            tree.clear().map_err(broken)?;
        }
        self.db.flush().map_err(broken)?;
        self.file.sync_data().map_err(|error| EngineError::Broken(error.to_string()))
    }

    fn refusal(&self) -> Option<String> {
        self.guard().err().map(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests;
