//! Care of the log beside a host that goes on: the check, the copy into a file, the backup. Each reads all of the log, so
//! each tells how far it is.

use super::HostHandle;
use crate::command::Refusal;
use dispatch_events::{
    Log, Position,
    anchor::{Anchor, AnchorKey, AnchorReport, HEADS_LISTED},
    backup::{self, Along, BackedUp, BackupError, Stage},
    framed::{self, Exported, FramedError},
    verify::{self, Checkpoint, Report},
};
use serde::Serialize;
use std::{path::PathBuf, sync::Arc};

/// How far long work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is done: `log`, `blobs`, `files` or `verifying`.
    pub stage: &'static str,
    /// How much of it is done: positions, blobs or files.
    pub done: u64,
    /// Of how much.
    pub of: u64,
}

impl From<(Stage, u64, u64)> for Step {
    fn from((stage, done, of): (Stage, u64, u64)) -> Self {
        let stage = match stage {
            Stage::Log => "log",
            Stage::Blobs => "blobs",
            Stage::Files => "files",
            Stage::Verifying => "verifying",
        };
        Self { stage, done, of }
    }
}

impl HostHandle {
    /// Checks the log behind a checkpoint; all of it, as [`HostHandle::verify`] does, behind the default one.
    ///
    /// # Errors
    /// [`Refusal::Storage`] when it could not be checked; damage is in the report.
    pub async fn verify_since(
        &self,
        since: Checkpoint,
        mut progress: impl FnMut(Step) + Send + 'static,
    ) -> Result<Report, Refusal> {
        self.at_length(move |log| {
            let of = log.store().log_head().position.0;
            let tell = |position: Position| progress((Stage::Verifying, position.0, of).into());
            let checked = verify::verify_since_with(log, since, tell);
            checked.map_err(|error| Refusal::Storage(error.to_string()))
        })
        .await
    }

    /// Compares the log with an anchor, of which the signature was verified before.
    ///
    /// # Errors
    /// [`Refusal::Storage`] when it could not be compared; damage is in the report.
    pub async fn check_anchor(&self, anchor: Anchor) -> Result<AnchorReport, Refusal> {
        self.at_length(move |log| anchor.check(&**log.store()).map_err(|error| Refusal::Storage(error.to_string())))
            .await
    }

    /// Signs what the log is now, with the key in the folder of keys, which is made if there is none.
    ///
    /// # Errors
    /// [`Refusal::Storage`].
    pub async fn anchor(&self, keys: PathBuf) -> Result<Anchor, Refusal> {
        self.at_length(move |log| {
            let signed = AnchorKey::open_or_make(&keys).and_then(|key| Anchor::make(log, &key, HEADS_LISTED));
            signed.map_err(|error| Refusal::Storage(error.to_string()))
        })
        .await
    }

    /// Writes the whole log to a file, and with `keys` the keys to `FILE.keys`.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] when there is something under the name; [`Refusal::Storage`].
    pub async fn export_log(
        &self,
        file: PathBuf,
        keys: bool,
        mut progress: impl FnMut(Step) + Send + 'static,
    ) -> Result<Exported, Refusal> {
        self.at_length(move |log| {
            framed::export(log, &file, keys, |at, of| progress((Stage::Log, at.0, of.0).into())).map_err(not_written)
        })
        .await
    }

    /// Writes the log, its keys and the files `along` to a backup, opens it and verifies it.
    ///
    /// # Errors
    /// As [`HostHandle::export_log`].
    pub async fn backup(
        &self,
        file: PathBuf,
        along: Vec<Along>,
        mut progress: impl FnMut(Step) + Send + 'static,
    ) -> Result<BackedUp, Refusal> {
        self.at_length(move |log| {
            let written = backup::backup(log, &file, &along, |stage, done, of| progress((stage, done, of).into()));
            written.map_err(|error| match error {
                BackupError::Framed(error) => not_written(error),
                other => Refusal::Storage(other.to_string()),
            })
        })
        .await
    }

    async fn at_length<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Log) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let log: Arc<Log> = self.shared.log.clone();
        let done = self.shared.settings.blocking.run(move || work(&log)).await;
        done.map_err(|error| Refusal::Storage(error.to_string()))?
    }
}

fn not_written(error: FramedError) -> Refusal {
    match error {
        FramedError::Exists(_) => Refusal::Invalid(error.to_string()),
        other => Refusal::Storage(other.to_string()),
    }
}
