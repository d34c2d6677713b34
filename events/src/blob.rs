//! Bytes too large for a record, and texts that all sessions share.
//!
//! A blob's address is BLAKE3 keyed with a key of the session: equal bytes are stored once per session, and nobody without
//! the key can tell whether two sessions hold the same. It is sealed, written, synced and named in its folder before
//! the event that names it. Shared blobs hold nothing personal (tool schemas, the stable tier of prompts); their
//! keys follow from a well-known secret of zeros, and they lie in `shared/`.
//!
//! A blob goes in and out in chunks, so its size is no matter of memory: [`BlobStore::put_from`] and
//! [`BlobStore::reader`]. [`BlobStore::put`] and [`BlobStore::get`] are the same for bytes that are in memory anyway.
//!
//! | file | what it is |
//! |---|---|
//! | `format.rs` | the bytes of a blob's file |
//! | `write.rs`, `read.rs` | plain bytes into such a file, and out of it |
//! | `place.rs`, `space.rs` | where the files lie, and how one comes to its place |
//! | `copy.rs` | sealed files out and in again, for a backup |

mod copy;
mod format;
mod place;
mod read;
mod space;
mod write;

pub use copy::SealedBlob;
pub use format::CHUNK;
pub use read::BlobReader;
pub use space::Space;

use crate::{
    Digest, StreamId,
    framed::FramedStore,
    keys::{KeyBytes, SessionKey},
    seal::SealError,
};
use place::{Incoming, Place};
use std::{
    collections::HashMap,
    io::{self, Read},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use write::BlobWriter;

/// Payloads above this many bytes are blobs.
pub const BLOB_THRESHOLD: usize = 64 * 1024;

/// Why a blob is not there.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The file is gone: restore `blobs/` from the backup that belongs to this log.
    #[error("blob {0} is missing: restore the `blobs` folder that belongs to this log")]
    Missing(Digest),
    /// The file is not what was written.
    #[error("blob {0} is damaged: restore the `blobs` folder that belongs to this log")]
    Damaged(Digest),
    /// The file is of a format that this build doesn't read: use the build that wrote it, or restore `blobs/`.
    #[error("blob {0} is of format {1}, which this build doesn't read: use the build that wrote the folder")]
    Format(Digest, u8),
    /// It could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The bytes that were to be stored could not be read to their end. Nothing was stored; send them again.
    #[error("the bytes to be stored can't be read: {0}")]
    Source(#[source] io::Error),
    /// The folder could not be read or written.
    #[error("the blob folder can't be used: {0}")]
    Io(#[source] io::Error),
}

/// A [`BlobError`] that a [`BlobReader`] wrapped is itself again.
impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Io)
    }
}

impl From<BlobError> for io::Error {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Io(error) => error,
            BlobError::Missing(_) => Self::new(io::ErrorKind::NotFound, error),
            error => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// The blobs of a data folder.
pub struct BlobStore {
    place: Place,
    shared: Mutex<HashMap<Digest, Arc<str>>>,
    /// Keys of the shared blobs: no secret.
    shared_key: SessionKey,
}

impl BlobStore {
    /// The blobs in `folder`, which is made (owner-only) if it is not there.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(folder: &Path) -> Result<Self, BlobError> {
        Ok(Self::at(Place::open(folder)?))
    }

    /// Removes what a killed run left half-written. Only for who holds the data folder's lock: it would take away what
    /// another is writing.
    ///
    /// # Errors
    /// What the file system says.
    pub fn sweep(&self) -> Result<(), BlobError> {
        Ok(self.place.sweep()?)
    }

    /// Blobs that live as long as this value; for tests.
    pub fn in_memory() -> Self {
        Self::at(Place::Memory(Mutex::default()))
    }

    /// The blobs of a framed file, which are only read.
    pub(crate) fn in_file(file: Arc<FramedStore>) -> Self {
        Self::at(Place::Framed(file))
    }

    fn at(place: Place) -> Self {
        Self { place, shared: Mutex::default(), shared_key: SessionKey::new(KeyBytes::default()) }
    }

    /// Stores bytes in a session's space; on the disk when it returns. Returns their address.
    ///
    /// # Errors
    /// [`BlobError::Io`] or [`BlobError::Seal`]; nothing is named then.
    pub fn put(&self, stream: StreamId, key: &SessionKey, bytes: &[u8]) -> Result<Digest, BlobError> {
        let address = address_of(key, bytes);
        self.write(Space::Session(stream), key, address, bytes)?;
        Ok(address)
    }

    /// Stores what `source` has, in one pass and with a chunk in memory; on the disk when it returns. Returns its address and its
    /// length in bytes.
    ///
    /// # Errors
    /// [`BlobError::Source`] when `source` fails, [`BlobError::Io`] or [`BlobError::Seal`]; nothing is named then.
    pub fn put_from(&self, stream: StreamId, key: &SessionKey, source: impl Read) -> Result<(Digest, u64), BlobError> {
        let space = Space::Session(stream);
        let mut writer = BlobWriter::new(key, self.place.incoming()?)?;
        let (address, length) = writer.push_all(source)?;
        if self.is_whole(space, key, address)? {
            self.place.sync(space)?;
        } else {
            self.place.keep(writer.finish(address)?, space, address)?;
        }
        Ok((address, length))
    }

    /// The bytes at an address in a session's space.
    ///
    /// # Errors
    /// [`BlobError::Missing`], [`BlobError::Damaged`], [`BlobError::Format`] or [`BlobError::Io`].
    pub fn get(&self, stream: StreamId, key: &SessionKey, address: Digest) -> Result<Vec<u8>, BlobError> {
        self.reader(stream, key, address)?.whole()
    }

    /// Reads the bytes at an address from their start, with a chunk in memory.
    ///
    /// # Errors
    /// As [`BlobStore::get`]; damage behind the start is found when the reader comes to it.
    pub fn reader(&self, stream: StreamId, key: &SessionKey, address: Digest) -> Result<BlobReader, BlobError> {
        self.reader_in(Space::Session(stream), key, address)
    }

    /// Removes all blobs of a session, for an erasure: they are off the disk when it returns. What an earlier call
    /// left is removed, and a session that has no blobs is no error. Nothing may be stored for the session meanwhile.
    ///
    /// # Errors
    /// [`BlobError::Io`]; call it again.
    pub fn purge(&self, stream: StreamId) -> Result<(), BlobError> {
        Ok(self.place.purge(Space::Session(stream))?)
    }

    /// Stores a text that all sessions share. Costs a sync the first time only.
    ///
    /// # Errors
    /// As [`BlobStore::put`].
    pub fn share(&self, text: &str) -> Result<Digest, BlobError> {
        let address = address_of(&self.shared_key, text.as_bytes());
        if !self.known().contains_key(&address) {
            self.write(Space::Shared, &self.shared_key, address, text.as_bytes())?;
            self.known().insert(address, text.into());
        }
        Ok(address)
    }

    /// The shared text at an address.
    ///
    /// # Errors
    /// As [`BlobStore::get`].
    pub fn shared(&self, address: Digest) -> Result<Arc<str>, BlobError> {
        if let Some(text) = self.known().get(&address) {
            return Ok(text.clone());
        }
        let bytes = self.reader_in(Space::Shared, &self.shared_key, address)?.whole()?;
        let text: Arc<str> = String::from_utf8(bytes).map_err(|_| BlobError::Damaged(address))?.into();
        self.known().insert(address, text.clone());
        Ok(text)
    }

    fn write(&self, space: Space, key: &SessionKey, address: Digest, bytes: &[u8]) -> Result<(), BlobError> {
        if self.is_whole(space, key, address)? {
            return Ok(self.place.sync(space)?);
        }
        let mut writer = BlobWriter::<Incoming>::new(key, self.place.incoming()?)?;
        writer.push(bytes)?;
        Ok(self.place.keep(writer.finish(address)?, space, address)?)
    }

    /// Whether a file is there and whole. Such a file is not written again; its name may still be from a run that was
    /// killed before it could sync the folders. A damaged one is replaced.
    fn is_whole(&self, space: Space, key: &SessionKey, address: Digest) -> Result<bool, BlobError> {
        match self.reader_in(space, key, address).and_then(BlobReader::check) {
            Ok(()) => Ok(true),
            Err(BlobError::Missing(_) | BlobError::Damaged(_) | BlobError::Format(..)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn reader_in(&self, space: Space, key: &SessionKey, address: Digest) -> Result<BlobReader, BlobError> {
        let stored = self.place.stored(space, address)?.ok_or(BlobError::Missing(address))?;
        BlobReader::new(stored, key, address)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Digest, Arc<str>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn address_of(key: &SessionKey, bytes: &[u8]) -> Digest {
    Digest(*blake3::keyed_hash(&key.addressing, bytes).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(byte: u8) -> SessionKey {
        SessionKey::new(KeyBytes::new([byte; 32]))
    }

    #[test]
    fn equal_bytes_are_stored_once_per_session_and_never_in_clear() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = BlobStore::open(folder.path()).unwrap();
        let (stream, key) = (StreamId::fresh(), keyed(3));
        let address = blobs.put(stream, &key, b"a secret of some length").unwrap();
        assert_eq!(blobs.put(stream, &key, b"a secret of some length").unwrap(), address);
        assert_eq!(blobs.get(stream, &key, address).unwrap(), b"a secret of some length");
        let file = folder.path().join(stream.to_string()).join(address.hex());
        assert!(!String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains("secret"));
        let other = blobs.put(StreamId::fresh(), &keyed(4), b"a secret of some length").unwrap();
        assert_ne!(other, address);
        assert_ne!(address, Digest(*blake3::keyed_hash(&key.sealing, b"a secret of some length").as_bytes()));
    }

    #[test]
    fn a_shared_text_is_found_by_another_run() {
        let folder = tempfile::tempdir().unwrap();
        let address = BlobStore::open(folder.path()).unwrap().share("[]").unwrap();
        assert_eq!(&*BlobStore::open(folder.path()).unwrap().shared(address).unwrap(), "[]");
        assert!(matches!(
            BlobStore::open(folder.path()).unwrap().shared(Digest::default()),
            Err(BlobError::Missing(_))
        ));
    }
}
