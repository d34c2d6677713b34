//! How far a check came, so that the next one goes on from there.

use super::{ProblemKind, Problems};
use crate::{
    Digest, Position, Timestamp, disk,
    store::{EventStore, ReadError},
};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

const FOLDER: &str = "audit";
const FILE: &str = "verified";
const FORMAT: u32 = 1;

/// A place up to which the log was checked and found sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The last position that was checked.
    pub position: Position,
    /// The log's chain there.
    pub log_hash: Digest,
}

/// Why a checkpoint was not read or kept. It is only a note: without it the next check is a full one.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file is not one that this build wrote. Remove it, and verify in full.
    #[error("{file} is not a note of an earlier check ({why}): remove it, and verify in full")]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file system said no.
    #[error("{file} can't be used: {error}")]
    Io {
        /// The file.
        file: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

/// The file: JSON, for people too.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    format: u32,
    position: Position,
    log_hash: Digest,
    checked_at: String,
}

impl Checkpoint {
    /// Reads what [`Checkpoint::keep`] wrote to a data folder; `None` if there is nothing.
    ///
    /// It is trusted only as far as it goes: whoever can write the data folder can write it too. It says which part of
    /// the log needs no second look *if* nobody changed the folder since, and it is no proof of anything. It may be
    /// removed at any time.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn kept(data: &Path) -> Result<Option<Self>, CheckpointError> {
        let file = data.join(FOLDER).join(FILE);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::Io { file, error }),
        };
        match serde_json::from_str::<Note>(&text) {
            Ok(note) if note.format == FORMAT => Ok(Some(Self { position: note.position, log_hash: note.log_hash })),
            Ok(note) => Err(CheckpointError::Foreign { file, why: format!("its format is {}", note.format) }),
            Err(error) => Err(CheckpointError::Foreign { file, why: error.to_string() }),
        }
    }

    /// Keeps it in a data folder, as one step, in place of the one before.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn keep(&self, data: &Path, now: Timestamp) -> Result<(), CheckpointError> {
        let (folder, file) = (data.join(FOLDER), data.join(FOLDER).join(FILE));
        let note = Note { format: FORMAT, position: self.position, log_hash: self.log_hash, checked_at: now.rfc3339() };
        let kept = disk::create_private_dir(&folder)
            .and_then(|()| serde_json::to_vec_pretty(&note).map_err(io::Error::other))
            .and_then(|text| disk::replace_synced(&file, &text));
        kept.map_err(|error| CheckpointError::Io { file, error })
    }

    /// Whether the log still is the one that was checked, as far as the rows tell that keep its chain.
    pub(super) fn check(&self, store: &dyn EventStore, problems: &mut Problems) -> Result<(), ReadError> {
        let end = store.log_head().position;
        if end < self.position {
            let what = format!("the log was checked up to position {}, now it ends at {end}", self.position);
            problems.add(ProblemKind::MissingTail, end.next(), None, what);
            return Ok(());
        }
        let stored = match store.log_hash(self.position) {
            _ if self.position == Position(0) => return Ok(()),
            Err(error) if error.is_damage() => None,
            stored => stored?,
        };
        if stored != Some(self.log_hash) {
            let what = "the log's own chain is not the one that was checked here before: verify in full";
            problems.add(ProblemKind::Edited, self.position, None, what);
        }
        Ok(())
    }
}
