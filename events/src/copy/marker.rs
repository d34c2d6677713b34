//! The file that says: this folder is not a log yet.

use super::CopyError;
use crate::{
    disk,
    store::{EngineKind, OpenError},
};
use std::{fs, io, path::Path};

/// Name of the file in the target's folder, from before its first byte until it is verified.
pub const MARKER: &str = "unfinished-copy";

/// Whether a copy into this folder was begun and not finished.
pub(crate) fn is_unfinished(folder: &Path) -> bool {
    folder.join(MARKER).exists()
}

/// Whether there is nothing in a folder, or only a marker that was cut off before it had its name.
pub(crate) fn is_vacant(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if !entry?.file_name().to_string_lossy().starts_with(".tmp") {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Marks a folder that is new, empty or marked already. Who has to write something else first (keys, blobs) begins with
/// this, so that what was cut off is known for what it is.
///
/// # Errors
/// [`CopyError`]; nothing in the folder was changed.
pub fn begin(folder: &Path, engine: EngineKind) -> Result<(), CopyError> {
    let io = |error| CopyError::Io { folder: folder.to_owned(), error };
    disk::create_private_dir(folder).map_err(io)?;
    let marked = match fs::read_to_string(folder.join(MARKER)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(io(error)),
    };
    let begun_with = marked.as_deref().and_then(|text| text.trim().parse::<EngineKind>().ok());
    match begun_with {
        Some(found) if found != engine => {
            Err(OpenError::OtherEngine { folder: folder.to_owned(), found, wanted: engine }.into())
        }
        Some(_) => Ok(()),
        None if marked.is_none() && !is_vacant(folder).map_err(io)? => {
            Err(CopyError::Holds { folder: folder.to_owned() })
        }
        // One that was cut off while it was written is written again: nothing else can be in the folder yet.
        None => mark(folder, engine).map_err(io),
    }
}

/// Marks a folder, also a whole copy: it is no log from now on, and the next copy into it goes on and verifies it again.
///
/// # Errors
/// What the file system said.
pub fn mark(folder: &Path, engine: EngineKind) -> io::Result<()> {
    disk::replace_synced(&folder.join(MARKER), engine.name().as_bytes())
}

/// The folder is a log from now on.
pub(super) fn end(folder: &Path) -> Result<(), CopyError> {
    fs::remove_file(folder.join(MARKER))
        .and_then(|()| disk::sync_dir(folder))
        .map_err(|error| CopyError::Io { folder: folder.to_owned(), error })
}
