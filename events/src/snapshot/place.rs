//! Where snapshots lie: a file for each stream, or the memory of a test.

use super::header::HEADER_LEN;
use crate::{StreamId, codec::STATE_LIMIT, disk};
use std::{
    collections::HashMap,
    fs,
    io::{self, Read, Write},
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Bytes that a file may have: header, state, and what a seal adds (rounded up).
const FILE_LIMIT: u64 = (HEADER_LEN + STATE_LIMIT + 64) as u64;

pub(super) enum Place {
    Folder(PathBuf),
    Memory(Mutex<HashMap<StreamId, Vec<u8>>>),
}

impl Place {
    pub fn holds(&self, stream: StreamId) -> bool {
        match self {
            Self::Memory(files) => files.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&stream),
            Self::Folder(folder) => folder.join(stream.to_string()).exists(),
        }
    }

    pub fn read(&self, stream: StreamId) -> io::Result<Option<Vec<u8>>> {
        let folder = match self {
            Self::Memory(files) => {
                return Ok(files.lock().unwrap_or_else(PoisonError::into_inner).get(&stream).cloned());
            }
            Self::Folder(folder) => folder,
        };
        let file = match fs::File::open(folder.join(stream.to_string())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let length = file.metadata()?.len();
        if length > FILE_LIMIT {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{length} bytes")));
        }
        let mut bytes = Vec::with_capacity(length as usize);
        file.take(FILE_LIMIT).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// A reader sees the old bytes or the new ones. Not synced: after a power cut the file may be torn, which the seal
    /// shows. The new bytes get their name late and under one name per stream, so a crash leaves one file to overwrite.
    pub fn replace(&self, stream: StreamId, header: &[u8], sealed: &[u8]) -> io::Result<()> {
        let folder = match self {
            Self::Memory(files) => {
                let bytes = [header, sealed].concat();
                files.lock().unwrap_or_else(PoisonError::into_inner).insert(stream, bytes);
                return Ok(());
            }
            Self::Folder(folder) => folder,
        };
        // Somebody may have deleted the folder a moment ago: it holds nothing that could be lost.
        disk::create_private_dir(folder)?;
        let new = folder.join(unfinished(stream));
        let mut file = disk::private_options().create(true).truncate(true).open(&new)?;
        file.write_all(header)?;
        file.write_all(sealed)?;
        fs::rename(&new, folder.join(stream.to_string()))
    }

    pub fn remove(&self, stream: StreamId) -> io::Result<()> {
        let folder = match self {
            Self::Memory(files) => {
                files.lock().unwrap_or_else(PoisonError::into_inner).remove(&stream);
                return Ok(());
            }
            Self::Folder(folder) => folder,
        };
        for name in [unfinished(stream), stream.to_string()] {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => done?,
            }
        }
        match disk::sync_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            synced => synced,
        }
    }
}

/// Name of a file that is being written.
fn unfinished(stream: StreamId) -> String {
    format!("{stream}.new")
}
