//! A data folder in one file and one file of keys, and back.
//!
//! [`backup`] runs beside a host that goes on: it holds everything up to the head that the log had when it began. What
//! it wrote it opens and verifies before it says done. [`restore`] makes a new data folder, with any engine, and destroys
//! again the keys of what was erased since: the lists of erased keys ([`crate::keys::erased`]) that it knows are the
//! backup's own, the one that stands in the folder, and one that the caller names.

mod along;
mod restore;

pub use along::{Along, Unfit};
pub use restore::{Restored, restore};

use crate::{
    Log, Position,
    copy::CopyError,
    framed::{Exported, FramedError, export::write},
    store::ReadError,
    verify::{self, Report},
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Records are written; counted in positions.
    Log,
    /// Blobs are written; counted in blobs.
    Blobs,
    /// Files that were given along are written; counted in files.
    Files,
    /// What was written is read again; counted in positions.
    Verifying,
}

/// Why there is no backup, or no restored folder.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file.
    #[error(transparent)]
    Framed(#[from] FramedError),
    /// What was written does not verify: do not rely on it, and look after the disk that it lies on.
    #[error("{file} was written, but does not verify: {} problems, the first at position {}: {}", .report.problems.len(), first(.report).0, first(.report).1)]
    NotSound {
        /// The file, or the restored folder.
        file: PathBuf,
        /// What is wrong.
        report: Box<Report>,
    },
    /// A file that is given along has no place in a backup.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The keys are not beside the file: without them nothing that is restored could ever be read.
    #[error("{0} is not there: put the file of keys beside the backup, under this name")]
    NoKeys(PathBuf),
    /// The folder is not empty. Nothing in it was changed.
    #[error("{folder} holds {found} already: restore into a new folder, or move this one away")]
    Holds {
        /// The folder.
        folder: PathBuf,
        /// What was found in it.
        found: String,
    },
    /// The log could not be written.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A blob could not be written.
    #[error(transparent)]
    Blob(#[from] crate::blob::BlobError),
    /// A key could not be written, or a list of erased keys could not be read.
    #[error(transparent)]
    Key(#[from] crate::keys::KeyError),
    /// The restored folder could not be opened.
    #[error(transparent)]
    Open(#[from] crate::log::OpenLogError),
    /// What was written can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file system said no.
    #[error("{path} can't be used: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

fn first(report: &Report) -> (Position, &str) {
    report.problems.first().map_or((Position(0), "none"), |problem| (problem.position, problem.what.as_str()))
}

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    /// What was written.
    pub exported: Exported,
    /// What reading it again found. Payloads that could not be read in the running log are not readable here either.
    pub report: Report,
}

/// Writes the log of a running host, its blobs, its keys (to `file.keys`) and the files `along` to `file`, then opens and
/// verifies it. Blocks. `progress` is told the stage, and how much of how much of it is done.
///
/// # Errors
/// [`BackupError`]; except for [`BackupError::NotSound`] there is no backup at `file` then.
pub fn backup(
    log: &Log,
    file: &Path,
    along: &[Along],
    mut progress: impl FnMut(Stage, u64, u64),
) -> Result<BackedUp, BackupError> {
    for given in along {
        along::fit(&given.name)?;
    }
    let exported = write(log, file, true, along, &mut progress)?;
    let written = Log::open_file(file, log.clock().clone())?;
    let end = exported.trailer.head.position.0;
    let report = verify::verify_with(&written, |position| progress(Stage::Verifying, position.0, end))?;
    if report.is_sound() && written.store().log_head() == exported.trailer.head {
        Ok(BackedUp { exported, report })
    } else {
        Err(BackupError::NotSound { file: file.to_owned(), report: Box::new(report) })
    }
}
