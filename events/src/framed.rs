//! A whole log in one file that checks itself: to keep, to send, to look at.
//!
//! The file begins with `DSPLOG1\n`; then come frames ([`frame`]): a header, the appends in the order of the log, the
//! blobs that their records name, files that were given along, and a trailer with counts, the log's head and a BLAKE3
//! of every byte before it. A file without its trailer, with a flipped bit or cut off is refused, and the place is named.
//!
//! Nothing in it is clear text of a session: records and blobs are copied as they are sealed, and the indexes (names
//! among them) are folded from the records again by who has the keys. The keys stand apart, in `FILE.keys`
//! ([`crate::keys::archive`]), and only where somebody asked for them. Without them payloads stay sealed, and the chains
//! still verify.
//!
//! | module | what it is |
//! |---|---|
//! | [`frame`] | the bytes of each kind of frame |
//! | [`writer`] | from a log to a file |
//! | [`reader`] | from a file to frames, in order, each checked |
//! | [`store`] | a file as an [`EventStore`](crate::store::EventStore) that takes no writes |
//! | [`export`] | all of a log that is open |

mod blobs;
pub mod export;
pub mod frame;
pub mod reader;
mod scan;
pub mod store;
pub mod writer;

pub(crate) use blobs::{FramedBlob, Pieces};
pub use export::{Exported, export};
pub use store::FramedStore;

use crate::{Position, blob::BlobError, keys::KeyError, store::ReadError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// What a file begins with.
pub const MAGIC: &[u8; 8] = b"DSPLOG1\n";
/// The format that this build writes, and the latest that it reads.
pub const FORMAT: u16 = 1;

/// Why a framed file was not written or not read.
#[derive(Debug, thiserror::Error)]
pub enum FramedError {
    /// Not such a file at all.
    #[error("{file} is not a log file of Dispatch (no `DSPLOG1` at its start)")]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// Written by a later release.
    #[error("{file} has format {format}, this build reads up to {FORMAT}: use a newer release")]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its format.
        format: u16,
    },
    /// The file is not what was written. Take another copy of it; nothing of it can be trusted behind this place.
    #[error("{file} is damaged at byte {byte}, behind position {after} of the log: {why}. Take another copy of it")]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Where the frame begins that is wrong.
        byte: u64,
        /// Position of the last record before it.
        after: Position,
        /// What is wrong.
        why: String,
    },
    /// There is something under the name; nothing is ever overwritten.
    #[error("{0} is there already: choose another name, or move it away")]
    Exists(PathBuf),
    /// The file system said no.
    #[error("{file} can't be used: {error}")]
    Io {
        /// The file.
        file: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The log that was to be written can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A blob of the log can't be read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The keys can't be read or written.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl FramedError {
    fn io(file: &Path, error: io::Error) -> Self {
        Self::Io { file: file.to_owned(), error }
    }
}

/// Where the keys of a framed file are: `FILE.keys` beside it.
pub fn keys_beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".keys");
    name.into()
}
