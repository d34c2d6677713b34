//! Bytes too large for a record, and texts that all sessions share.
//!
//! A blob's address is BLAKE3 keyed with a key of the session: equal bytes are stored once per session, and nobody without
//! the key can tell whether two sessions hold the same. It is sealed, written, synced and named in its folder before
//! the event that names it. Shared blobs hold nothing personal (tool schemas, the stable tier of prompts); their
//! keys follow from a well-known secret of zeros, and they lie in `shared/`.

use crate::{
    Digest, StreamId, disk,
    keys::{KeyBytes, SessionKey},
    seal::{self, SealError},
};
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

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
    /// It could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The folder could not be read or written.
    #[error("the blob folder can't be used: {0}")]
    Io(#[from] io::Error),
}

/// The blobs of a data folder.
pub struct BlobStore {
    place: Place,
    shared: Mutex<HashMap<Digest, Arc<str>>>,
    /// Keys of the shared blobs: no secret.
    shared_key: SessionKey,
}

enum Place {
    Folder(PathBuf),
    Memory(Mutex<HashMap<PathBuf, Vec<u8>>>),
}

impl BlobStore {
    /// The blobs in `folder`, which is made (owner-only) if it is not there.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(folder: &Path) -> Result<Self, BlobError> {
        disk::create_private_dir(folder)?;
        Ok(Self::at(Place::Folder(folder.to_owned())))
    }

    /// Blobs that live as long as this value; for tests.
    pub fn in_memory() -> Self {
        Self::at(Place::Memory(Mutex::default()))
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
        self.write(&stream.to_string(), key, address, bytes)?;
        Ok(address)
    }

    /// The bytes at an address in a session's space.
    ///
    /// # Errors
    /// [`BlobError::Missing`] or [`BlobError::Damaged`].
    pub fn get(&self, stream: StreamId, key: &SessionKey, address: Digest) -> Result<Vec<u8>, BlobError> {
        self.read(&stream.to_string(), key, address)
    }

    /// Stores a text that all sessions share. Costs a sync the first time only.
    ///
    /// # Errors
    /// As [`BlobStore::put`].
    pub fn share(&self, text: &str) -> Result<Digest, BlobError> {
        let address = address_of(&self.shared_key, text.as_bytes());
        if !self.known().contains_key(&address) {
            self.write("shared", &self.shared_key, address, text.as_bytes())?;
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
        let bytes = self.read("shared", &self.shared_key, address)?;
        let text: Arc<str> = String::from_utf8(bytes).map_err(|_| BlobError::Damaged(address))?.into();
        self.known().insert(address, text.clone());
        Ok(text)
    }

    fn write(&self, space: &str, key: &SessionKey, address: Digest, bytes: &[u8]) -> Result<(), BlobError> {
        let name = Path::new(space).join(address.hex());
        match &self.place {
            Place::Memory(files) => {
                let sealed = seal::seal(&key.sealing, &address.0, bytes)?;
                files.lock().unwrap_or_else(PoisonError::into_inner).insert(name, sealed);
            }
            Place::Folder(folder) => {
                let space_folder = folder.join(space);
                disk::create_private_dir(&space_folder)?;
                // A file that is there and whole is not written again; its name may still be from a run that was
                // killed before it could sync the folders, and a damaged one is replaced.
                if folder.join(&name).exists() && self.read(space, key, address).is_ok() {
                    disk::sync_dir(&space_folder)?;
                } else {
                    disk::replace_synced(&folder.join(name), &seal::seal(&key.sealing, &address.0, bytes)?)?;
                }
                disk::sync_dir(folder)?;
            }
        }
        Ok(())
    }

    fn read(&self, space: &str, key: &SessionKey, address: Digest) -> Result<Vec<u8>, BlobError> {
        let name = Path::new(space).join(address.hex());
        let sealed = match &self.place {
            Place::Memory(files) => files.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned(),
            Place::Folder(folder) => match std::fs::read(folder.join(name)) {
                Ok(sealed) => Some(sealed),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error.into()),
            },
        }
        .ok_or(BlobError::Missing(address))?;
        let bytes = seal::open(&key.sealing, &address.0, &sealed).map_err(|_| BlobError::Damaged(address))?;
        if address_of(key, &bytes) == address { Ok(bytes) } else { Err(BlobError::Damaged(address)) }
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
