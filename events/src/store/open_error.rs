//! Why an engine was not opened.

use super::EngineKind;
use std::{io, path::PathBuf};

/// Why a log folder was not opened. Nothing in it was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Too little room for an engine that can't be opened on a full disk. Make room and start again.
    #[error("only {free_mib} MiB are free on the disk of {folder}, 64 MiB are needed: make room, then start again")]
    Full {
        /// The folder.
        folder: PathBuf,
        /// What is free, in MiB.
        free_mib: u64,
    },
    /// The file system said no.
    #[error("the log folder {folder} can't be used: {error}")]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// Another process, or another part of this one, has the log open. Nothing was touched.
    #[error("the log in {folder} is open already: stop the process that has it, then start again")]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The log is damaged. Restore a backup beside it; keep this folder for a rescue.
    #[error("the log in {folder} is damaged and was not opened: {why}. Keep the folder, and restore the last backup")]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A copy of a log, or a restore, into this folder was begun and not finished. It holds only a part.
    #[error(
        "the log in {folder} is a copy that was not finished: start the same copy or restore again, which goes on from \
         there, or remove the folder"
    )]
    Unfinished {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds the log of another engine. Name that one, or move the log.
    #[error(
        "the log in {folder} was written by the engine {found}, not by {wanted}: set `engine = \"{found}\"` in `[log]`, \
         or move it to {wanted} with `dispatch log copy`"
    )]
    OtherEngine {
        /// The folder.
        folder: PathBuf,
        /// Whose log is there.
        found: EngineKind,
        /// Which engine was to open it.
        wanted: EngineKind,
    },
}
