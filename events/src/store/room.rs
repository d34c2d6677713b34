//! The room that is kept free on the disk.

use super::EngineError;
use crate::disk;
use std::{io, path::Path};

/// Below this many free bytes nothing is appended: a file system that is really full fails in ways that no engine is
/// tested for, and people need room to clear up in.
pub const FREE_SPACE_FLOOR: u64 = 64 * 1024 * 1024;

/// What is free, in MiB, if that is less than [`FREE_SPACE_FLOOR`].
///
/// # Errors
/// What the file system says.
pub(super) fn lacking(folder: &Path) -> io::Result<Option<u64>> {
    let free = disk::free_space(folder)?;
    Ok((free < FREE_SPACE_FLOOR).then_some(free / (1024 * 1024)))
}

/// Refuses a batch while the disk is nearly full.
///
/// # Errors
/// [`EngineError::Refused`].
pub(super) fn guard(folder: &Path) -> Result<(), EngineError> {
    match lacking(folder) {
        Ok(None) => Ok(()),
        Ok(Some(free_mib)) => {
            let why = format!("the disk is nearly full ({free_mib} MiB free, 64 MiB are kept free): make room");
            Err(EngineError::Refused(why))
        }
        Err(error) => Err(EngineError::Refused(format!("the free space of the disk is not known: {error}"))),
    }
}
