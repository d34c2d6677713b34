//! A log from one engine into another, or out of a framed file: the same appends in the same order, so the hashes of every
//! stream and the log's own chain survive.
//!
//! 1. A folder that is being filled has a file [`MARKER`] in it. Opening such a folder as a log is refused.
//! 2. Appends are written in batches with their ids and heads ([`fill`]). What is there already is not written again: the
//!    target's own log head says where to go on, and its chain there must be the source's.
//! 3. Names and open streams are folded from the same events and written last, all at once.
//! 4. The folder is opened anew and compared with the source, head by head ([`check`]); then the marker goes.
//!
//! A copy that was killed at any moment is called again, and goes on.

mod check;
mod fill;
mod marker;
#[cfg(test)]
mod tests;

pub use marker::{MARKER, begin, mark};

pub(crate) use marker::{is_unfinished, is_vacant};

use crate::{
    Log, Position,
    store::{EngineError, EngineKind, LogHead, OpenError, ReadError, StartError, index::Indexes},
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// What a copy did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// End of the log, in the source and in the target.
    pub head: LogHead,
    /// Where the copy went on; zero if it began anew.
    pub resumed_behind: Position,
    /// Records in the target.
    pub events: u64,
    /// Appends that they were written in.
    pub appends: u64,
    /// Streams, each compared by version and hash.
    pub streams: u64,
    /// Rows of the index of names.
    pub names: u64,
    /// Events whose names could not be read, for want of a key or a blob: those sessions have no name, or an older one.
    pub unread_names: u64,
    /// Streams with something open.
    pub open: u64,
}

/// How far a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Appends are written, or found written.
    Writing,
    /// What was written is read again and compared.
    Verifying,
}

/// Why a log was not copied. The source is never changed.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The source is damaged or can't be read. Nothing behind the place was copied.
    #[error("the source of the copy: {0}")]
    Source(ReadError),
    /// Not one name can be read: copy with the keys and blobs that belong to the log. This is the first.
    #[error(
        "the source of the copy, position {position}: {why}. The index of names needs it: copy with the keys and blobs of this log"
    )]
    Sealed {
        /// Where.
        position: Position,
        /// Why.
        why: String,
    },
    /// The target is no place for a copy. Nothing in it was changed.
    #[error("{folder} is not empty, and no copy was begun there: name a new folder")]
    Holds {
        /// The folder.
        folder: PathBuf,
    },
    /// The target holds the beginning of another log.
    #[error(
        "the copy begun in {folder} is of another log (they differ at or before position {position}): remove it, or name a new folder"
    )]
    OtherLog {
        /// The folder.
        folder: PathBuf,
        /// End of what is in it.
        position: Position,
    },
    /// The target's engine was not opened.
    #[error("the target of the copy: {0}")]
    Open(#[from] OpenError),
    /// The target could not be opened as a log.
    #[error("the target of the copy: {0}")]
    Start(#[from] StartError),
    /// The target's engine refused a batch. Mend the cause, then call the copy again: it goes on.
    #[error("the target of the copy takes no writes: {0}. Mend that, then start the copy again: it goes on from there")]
    Write(#[from] EngineError),
    /// What was written is not what is read. Remove the target, and copy again to another disk.
    #[error("the copy is not the source: {0}. Remove the target folder and copy again")]
    Differs(String),
    /// The file system said no.
    #[error("{folder} can't be used: {error}")]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

/// Copies all of `source` up to the head that it has now into the engine folder `target`, which is new, empty, or was
/// begun by an earlier call. Blocks. `progress` is told the step, the position that was reached, and the last one.
///
/// # Errors
/// [`CopyError`]; a target that is not complete stays marked as such.
pub fn copy(
    source: &Log,
    target: &Path,
    engine: EngineKind,
    progress: impl FnMut(Step, Position, Position),
) -> Result<Copied, CopyError> {
    copy_with(source, target, engine, false, progress)
}

/// As [`copy`]; with `sealed` also where not one name can be read.
pub(crate) fn copy_with(
    source: &Log,
    target: &Path,
    engine: EngineKind,
    sealed: bool,
    mut progress: impl FnMut(Step, Position, Position),
) -> Result<Copied, CopyError> {
    begin(target, engine)?;
    let head = source.store().log_head();
    let filled = {
        let opened = engine.open(target)?;
        fill::fill(source, head, &*opened, target, |at| progress(Step::Writing, at, head.position))?
    };
    if let (false, 0, Some((position, why))) = (sealed, filled.names.read, &filled.names.first_unread) {
        return Err(CopyError::Sealed { position: *position, why: why.clone() });
    }
    let store = engine.start_unfinished(target, source.store().name_secret().clone())?;
    let copied = check::check(&filled, &*store, |at| progress(Step::Verifying, at, head.position))?;
    // Closed before the marker goes: from then on the folder is somebody else's to open.
    drop(store);
    marker::end(target)?;
    Ok(copied)
}

/// What the source holds, as the copying saw it.
struct Filled {
    head: LogHead,
    resumed_behind: Position,
    appends: u64,
    continuity: crate::appends::Continuity,
    indexes: Indexes,
    names: Names,
}

/// Events with names in them.
#[derive(Default)]
struct Names {
    read: u64,
    unread: u64,
    first_unread: Option<(Position, String)>,
}
