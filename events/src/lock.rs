//! Who holds the data folder.
//!
//! The lock is the operating system's, on `<data>/lock`; it is gone with the process that held it, however that ended.
//! The file's text only tells people who it is: no pid in it is ever trusted.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
};

/// What a holder says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id, for people.
    pub pid: u32,
    /// What it does, for example `dispatch serve`.
    pub what: String,
    /// Since when.
    pub since: String,
}

/// Why the folder is not ours.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error("the data folder is in use by {}", describe(.0.as_ref()))]
    Held(Option<Holder>),
    /// The lock file could not be used.
    #[error("the lock file can't be used: {0}")]
    Io(#[from] io::Error),
}

fn describe(holder: Option<&Holder>) -> String {
    match holder {
        Some(holder) => format!("`{}` (process {}, since {})", holder.what, holder.pid, holder.since),
        None => "another process, which did not say who it is".to_owned(),
    }
}

/// The right to write in a data folder; given back when dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the folder, or says who has it. Never waits.
    ///
    /// # Errors
    /// [`LockError::Held`] names the holder.
    pub fn take(folder: &Path, what: &str, now: Timestamp) -> Result<Self, LockError> {
        crate::disk::create_private_dir(folder)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                file.read_to_string(&mut text)?;
                return Err(LockError::Held(serde_json::from_str(&text).ok()));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let holder = Holder { pid: std::process::id(), what: what.to_owned(), since: now.rfc3339() };
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(serde_json::to_string(&holder).map_err(io::Error::other)?.as_bytes())?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path(), "dispatch serve", Timestamp(0)).unwrap();
        let refused = FolderLock::take(folder.path(), "dispatch chat", Timestamp(0)).unwrap_err();
        assert!(refused.to_string().contains("dispatch serve"), "{refused}");
        drop(lock);
        FolderLock::take(folder.path(), "dispatch chat", Timestamp(0)).unwrap();
    }

    #[test]
    fn an_empty_or_foreign_lock_file_stops_nobody() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "4711", "{\"pid\":1,\"what\":\"a zombie\",\"since\":\"1970\"}"] {
            std::fs::write(folder.path().join("lock"), text).unwrap();
            FolderLock::take(folder.path(), "dispatch serve", Timestamp(0)).unwrap();
        }
    }
}
