//! What happens to the host itself; in the host's own stream.

use crate::{AdmissionId, Epoch, StreamId};
use serde::{Deserialize, Serialize};

/// A host took the folder. Its number fences every host before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostStarted {
    /// The host's epoch.
    pub epoch: Epoch,
    /// Release that runs, for example `0.1.0`.
    pub release: String,
    /// Engine that the log lives in.
    pub engine: String,
}

/// A host let the folder go on purpose. After a crash this event is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostStopped {
    /// The host's epoch.
    pub epoch: Epoch,
    /// Why, for example `SIGTERM`.
    pub reason: String,
    /// What the drain could not finish; it goes on at the next start.
    pub abandoned: Vec<Abandoned>,
}

/// One thing that was left open at a stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Abandoned {
    /// Session it belongs to.
    pub session: StreamId,
    /// Admission that was running, if that is what was left.
    pub admission: Option<AdmissionId>,
    /// What it was, in words.
    pub what: String,
}
