//! Plain bytes in, the file of a blob out.

use super::{
    BlobError,
    format::{CHUNK, HEADER_LEN, Header},
};
use crate::{
    Digest,
    keys::{SessionKey, random},
    seal::{ChunkSealer, PREFIX_LEN, TAG_LEN},
};
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes taken from a source at a time.
const PIECE: usize = 64 * 1024;

/// Writes one blob's file. The header comes last, because the address is known last; until then there are zeros.
pub(super) struct BlobWriter<'a, W> {
    key: &'a SessionKey,
    out: W,
    sealer: ChunkSealer,
    prefix: [u8; PREFIX_LEN],
    chunk: Vec<u8>,
    length: u64,
}

impl<'a, W: Write + Seek> BlobWriter<'a, W> {
    pub fn new(key: &'a SessionKey, out: W) -> Result<Self, BlobError> {
        Self::with_prefix(key, out, random()?)
    }

    fn with_prefix(key: &'a SessionKey, mut out: W, prefix: [u8; PREFIX_LEN]) -> Result<Self, BlobError> {
        out.write_all(&[0; HEADER_LEN])?;
        let sealer = ChunkSealer::new(&key.sealing, prefix);
        Ok(Self { key, out, sealer, prefix, chunk: Vec::new(), length: 0 })
    }

    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), BlobError> {
        self.chunk.reserve_exact((self.chunk.len() + bytes.len()).min(CHUNK) + TAG_LEN - self.chunk.len());
        while !bytes.is_empty() {
            // A full chunk waits until more comes: it may be the last.
            if self.chunk.len() == CHUNK {
                self.sealer.next(&mut self.chunk)?;
                self.out.write_all(&self.chunk)?;
                self.chunk.clear();
            }
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.chunk.len()));
            self.chunk.extend_from_slice(now);
            self.length += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Pushes all that a source has. Returns its address and its length.
    pub fn push_all(&mut self, mut source: impl Read) -> Result<(Digest, u64), BlobError> {
        let mut hasher = blake3::Hasher::new_keyed(&self.key.addressing);
        let mut piece = vec![0; PIECE];
        loop {
            match source.read(&mut piece) {
                Ok(0) => return Ok((Digest(*hasher.finalize().as_bytes()), self.length)),
                Ok(read) => {
                    hasher.update(&piece[..read]);
                    self.push(&piece[..read])?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(BlobError::Source(error)),
            }
        }
    }

    /// Ends the file. What is returned is complete, and not yet synced.
    pub fn finish(mut self, address: Digest) -> Result<W, BlobError> {
        self.sealer.last(&mut self.chunk)?;
        self.out.write_all(&self.chunk)?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&Header::new(self.key, address, self.prefix, self.length).encode())?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyBytes;

    /// A file of today has to open tomorrow: when this value changes, the format's number has to rise.
    #[test]
    fn the_format_is_fixed() {
        let key = SessionKey::new(KeyBytes::new([1; 32]));
        let mut writer = BlobWriter::with_prefix(&key, io::Cursor::new(Vec::new()), [2; PREFIX_LEN]).unwrap();
        let bytes: Vec<u8> = (0..=250).cycle().take(CHUNK + 1000).collect();
        let (address, length) = writer.push_all(bytes.as_slice()).unwrap();
        assert_eq!(length, bytes.len() as u64);
        let file = writer.finish(address).unwrap().into_inner();
        assert_eq!(file.len(), HEADER_LEN + bytes.len() + 2 * TAG_LEN);
        assert_eq!(Digest::of(&file).hex(), "6d437d362df00401641099b7f19ed82a830f395e02c52a6e9d4c6c81cc1ef0f3");
    }
}
