//! Sealed files out and in again, for a backup: no key is needed, and nothing is opened.

use super::{
    BlobError, BlobStore, Space,
    format::{HEADER_LEN, Header},
    place::Stored,
};
use crate::Digest;
use std::io::{self, Read, Write};

/// The sealed bytes of a blob, read from start to end.
pub struct SealedBlob {
    stored: Stored,
    length: u64,
}

impl SealedBlob {
    /// How many sealed bytes there are.
    pub fn length(&self) -> u64 {
        self.length
    }
}

impl Read for SealedBlob {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.stored.read(out)
    }
}

impl BlobStore {
    /// The spaces that there are, in no order. One that is made or purged meanwhile may be among them or not.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn spaces(&self) -> Result<impl Iterator<Item = Result<Space, BlobError>> + Send, BlobError> {
        Ok(self.place.spaces()?.map(|space| Ok(space?)))
    }

    /// The addresses in a space, in no order; none if the space is not there. A blob whose event is durable before the
    /// call is among them.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn addresses(&self, space: Space) -> Result<impl Iterator<Item = Result<Digest, BlobError>> + Send, BlobError> {
        Ok(self.place.addresses(space)?.map(|address| Ok(address?)))
    }

    /// The sealed bytes at an address. They are not checked: who can open them does that.
    ///
    /// # Errors
    /// [`BlobError::Missing`], [`BlobError::Io`].
    pub fn read_sealed(&self, space: Space, address: Digest) -> Result<SealedBlob, BlobError> {
        let stored = self.place.stored(space, address)?.ok_or(BlobError::Missing(address))?;
        Ok(SealedBlob { length: stored.length()?, stored })
    }

    /// Whether there is a blob's file at the address, and none of it is missing; as far as that is seen without a key.
    ///
    /// # Errors
    /// [`BlobError::Io`].
    pub fn looks_whole(&self, space: Space, address: Digest) -> Result<bool, BlobError> {
        let Some(mut stored) = self.place.stored(space, address)? else { return Ok(false) };
        let mut header = [0; HEADER_LEN];
        match stored.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        let length = Header::parse(&header, address).ok().and_then(|header| header.file_len());
        Ok(length == Some(stored.length()?))
    }

    /// Writes what [`BlobStore::read_sealed`] gave, in the place of what is at the address; on the disk when it returns.
    /// Returns how many sealed bytes there were.
    ///
    /// Without a key it can be seen that this is a blob's file and that none of it is missing, not that it is this one's.
    ///
    /// # Errors
    /// [`BlobError::Damaged`] or [`BlobError::Format`] when `sealed` is no whole file of a blob, [`BlobError::Source`] when
    /// it can't be read, [`BlobError::Io`]. What is at the address is as it was then.
    pub fn write_sealed(&self, space: Space, address: Digest, mut sealed: impl Read) -> Result<u64, BlobError> {
        let mut header = [0; HEADER_LEN];
        sealed.read_exact(&mut header).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => BlobError::Damaged(address),
            _ => BlobError::Source(error),
        })?;
        let length = Header::parse(&header, address)?.file_len().ok_or(BlobError::Damaged(address))?;
        let mut incoming = self.place.incoming()?;
        incoming.write_all(&header)?;
        let mut piece = vec![0; 64 * 1024];
        let mut written = HEADER_LEN as u64;
        loop {
            match sealed.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => {
                    written += read as u64;
                    if written > length {
                        return Err(BlobError::Damaged(address));
                    }
                    incoming.write_all(&piece[..read])?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(BlobError::Source(error)),
            }
        }
        if written != length {
            return Err(BlobError::Damaged(address));
        }
        self.place.keep(incoming, space, address)?;
        Ok(written)
    }
}
