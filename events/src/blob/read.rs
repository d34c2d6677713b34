//! The file of a blob in, plain bytes out.

use super::{
    BlobError,
    format::{CHUNK, HEADER_LEN, Header},
    place::Stored,
};
use crate::{
    Digest,
    keys::SessionKey,
    seal::{ChunkOpener, TAG_LEN},
};
use std::{
    fmt,
    io::{self, Read},
    mem,
};

/// Reads a blob from its start to its end and holds one chunk of it in memory.
///
/// No byte of a chunk is given out before the chunk is checked, and none of the last before the whole is: who has read to
/// the end without an error has what was stored. An error is a [`BlobError`] inside the [`io::Error`];
/// `BlobError::from` takes it out again.
pub struct BlobReader {
    stored: Stored,
    address: Digest,
    length: u64,
    stage: Stage,
    /// Plain bytes that are still sealed.
    left: u64,
    hasher: blake3::Hasher,
    chunk: Vec<u8>,
    /// How much of the chunk has been given out.
    given: usize,
}

enum Stage {
    Opening(ChunkOpener),
    Ended,
    Failed,
}

impl BlobReader {
    pub(super) fn new(mut stored: Stored, key: &SessionKey, address: Digest) -> Result<Self, BlobError> {
        let mut header = [0; HEADER_LEN];
        read_exact(&mut stored, &mut header, address)?;
        let header = Header::parse(&header, address)?;
        if !header.is_of(key, address) || header.file_len() != Some(stored.length()?) {
            return Err(BlobError::Damaged(address));
        }
        Ok(Self {
            stored,
            address,
            length: header.length,
            stage: Stage::Opening(ChunkOpener::new(&key.sealing, header.prefix)),
            left: header.length,
            hasher: blake3::Hasher::new_keyed(&key.addressing),
            chunk: Vec::new(),
            given: 0,
        })
    }

    /// How many bytes the blob has in all.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The rest as one piece of memory.
    pub(super) fn whole(mut self) -> Result<Vec<u8>, BlobError> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.left).map_err(io::Error::other)?);
        while self.open_next()? {
            bytes.extend_from_slice(&self.chunk);
        }
        Ok(bytes)
    }

    /// Reads to the end and keeps nothing.
    pub(super) fn check(mut self) -> Result<(), BlobError> {
        while self.open_next()? {}
        Ok(())
    }

    /// Puts the next chunk into `chunk`; false at the end.
    fn open_next(&mut self) -> Result<bool, BlobError> {
        match mem::replace(&mut self.stage, Stage::Failed) {
            Stage::Ended => {
                self.stage = Stage::Ended;
                Ok(false)
            }
            Stage::Failed => Err(io::Error::other("an earlier read of this blob failed").into()),
            Stage::Opening(opener) => {
                let opened = self.open_with(opener);
                if opened.is_err() {
                    self.chunk.clear();
                }
                self.given = 0;
                self.stage = opened?;
                Ok(true)
            }
        }
    }

    fn open_with(&mut self, mut opener: ChunkOpener) -> Result<Stage, BlobError> {
        let (plain, last) = if self.left > CHUNK as u64 { (CHUNK, false) } else { (self.left as usize, true) };
        self.chunk.reserve_exact((plain + TAG_LEN).saturating_sub(self.chunk.len()));
        self.chunk.resize(plain + TAG_LEN, 0);
        read_exact(&mut self.stored, &mut self.chunk, self.address)?;
        self.left -= plain as u64;
        let damaged = |_| BlobError::Damaged(self.address);
        if !last {
            opener.next(&mut self.chunk).map_err(damaged)?;
            self.hasher.update(&self.chunk);
            return Ok(Stage::Opening(opener));
        }
        opener.last(&mut self.chunk).map_err(damaged)?;
        self.hasher.update(&self.chunk);
        // The chunks are whole and in order; this also finds a writer that gave them a wrong address.
        if self.hasher.finalize() != blake3::Hash::from_bytes(self.address.0) {
            return Err(BlobError::Damaged(self.address));
        }
        Ok(Stage::Ended)
    }
}

impl Read for BlobReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.chunk.len() && !out.is_empty() {
            if !self.open_next()? {
                return Ok(0);
            }
        }
        let read = out.len().min(self.chunk.len() - self.given);
        out[..read].copy_from_slice(&self.chunk[self.given..self.given + read]);
        self.given += read;
        Ok(read)
    }
}

impl fmt::Debug for BlobReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobReader({:?}, {} bytes)", self.address, self.length)
    }
}

/// A file that ends too early is damaged, whatever its header says.
fn read_exact(stored: &mut Stored, bytes: &mut [u8], address: Digest) -> Result<(), BlobError> {
    stored.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => BlobError::Damaged(address),
        _ => error.into(),
    })
}
