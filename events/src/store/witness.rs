//! A witness of the log's end, outside of the engine.
//!
//! sled takes the first damaged segment for the torn end of its file, SQLite the first damaged frame for the torn end of
//! its write-ahead log, and both drop everything behind it without a word: one flipped bit can shorten the log. The
//! witness is a small file beside the engine's that names an acknowledged end: when the log that was opened does not
//! reach it, or has another hash there, the log is damaged.
//!
//! It is written after the commit's sync and not synced itself, which costs microseconds: whatever of it reaches the
//! disk names an end that was durable before. `DEND`, version 1, three zero bytes, position, log hash, CRC32C.

use super::{Engine, LogHead, ReadError, engine::Batch};
use crate::{Digest, Position, disk};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

const NAME: &str = "end";
const MAGIC: &[u8; 8] = b"DEND\x01\0\0\0";
const LEN: usize = 52;

/// The open file.
pub(super) struct Witness(File);

impl Witness {
    /// Opens or makes the file in `folder`.
    pub fn open(folder: &Path) -> io::Result<Self> {
        disk::private_options().read(true).create(true).truncate(false).open(folder.join(NAME)).map(Self)
    }

    /// Names the end of a batch that is durable. Failing to is no failure of the batch: only a later cut would go
    /// unnoticed.
    pub fn saw(&self, batch: &Batch) {
        let Some(frame) = batch.frames.last() else { return };
        let position = Position(frame.position.0 + u64::from(frame.count) - 1);
        if let Err(error) = self.write(LogHead { position, hash: frame.log_hash }) {
            tracing::warn!(%error, "the witness of the log's end could not be written");
        }
    }

    fn write(&self, end: LogHead) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(LEN);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&end.position.0.to_be_bytes());
        bytes.extend_from_slice(&end.hash.0);
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_be_bytes());
        (&self.0).seek(SeekFrom::Start(0))?;
        (&self.0).write_all(&bytes)
    }

    /// Compares the log that was opened with the end that was named.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] when the log does not reach it.
    pub fn check(&self, engine: &impl Engine) -> Result<(), ReadError> {
        let Some(named) = self.named()? else { return Ok(()) };
        let end = engine.log_head()?.position;
        if end < named.position {
            let why = format!("the log ends at position {end}, but position {} had been acknowledged", named.position);
            return Err(ReadError::Damaged { place: format!("position {}", end.next()), why });
        }
        if named.position > Position(0) && engine.log_hash(named.position)? != Some(named.hash) {
            let why = "the log's own chain is not the one that had been acknowledged".to_owned();
            return Err(ReadError::Damaged { place: format!("position {}", named.position), why });
        }
        Ok(())
    }

    /// The end that was acknowledged, as far as this file knows.
    ///
    /// # Errors
    /// [`ReadError::Io`].
    pub fn named(&self) -> Result<Option<LogHead>, ReadError> {
        self.read().map_err(|error| ReadError::Io(error.to_string()))
    }

    /// What the file names; `None` if it is new, or cut off in the middle of its one write.
    fn read(&self) -> io::Result<Option<LogHead>> {
        let mut bytes = Vec::new();
        (&self.0).seek(SeekFrom::Start(0))?;
        (&self.0).take(LEN as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let fields =
            bytes.strip_prefix(MAGIC).and_then(|rest| Some((rest.get(..8)?, rest.get(8..40)?, rest.get(40..)?)));
        let end = fields.and_then(|(position, hash, crc)| {
            let whole = crc == crc32c::crc32c(&bytes[..LEN - 4]).to_be_bytes();
            let position = Position(u64::from_be_bytes(position.try_into().ok()?));
            whole.then_some(LogHead { position, hash: Digest(hash.try_into().ok()?) })
        });
        if end.is_none() {
            tracing::warn!(
                "the witness of the log's end is damaged: this start can't tell whether the log was cut off"
            );
        }
        Ok(end)
    }
}
