//! A log that is one file; see [`crate::framed`].

use super::Log;
use crate::{
    Clock,
    blob::BlobStore,
    framed::{FramedError, FramedStore, keys_beside},
    keys::{Keyring, archive::Archive},
};
use std::{path::Path, sync::Arc};

impl Log {
    /// Opens a framed file as a log that is only read, once all of the file is checked. Its keys are in `path.keys`;
    /// without them payloads stay sealed, and there are no names. Blocks for as long as reading all of it takes.
    ///
    /// # Errors
    /// [`FramedError`] names what is wrong, and where.
    pub fn open_file(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, FramedError> {
        let beside = keys_beside(path);
        let keys = if beside.exists() { Some(Archive::read(&beside)?.keyring()) } else { None };
        let has_keys = keys.is_some();
        let keys = keys.unwrap_or_else(Keyring::in_memory);
        let store = Arc::new(FramedStore::open(path, keys.name_secret(!has_keys)?)?);
        let log = Self::new(store.clone(), keys, BlobStore::in_file(store.clone()), clock);
        if has_keys {
            store.fold(|record| log.open_record(record))?;
        }
        Ok(log)
    }
}
