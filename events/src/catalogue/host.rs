//! What happens to the host itself; in the host's own stream.

use crate::{AdmissionId, Epoch, StreamId, Version};
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
    /// How the host before this one ended. Since version 2.
    pub previous: PreviousRun,
}

/// How a host's run ended, as the next one finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreviousRun {
    /// An event of version 1, which did not say.
    Unknown,
    /// There was none: the log is new.
    None,
    /// It stopped on purpose.
    Stopped,
    /// It was killed, it crashed, or the power went.
    Lost,
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

/// A write of a host that had lost its session was refused. Nothing of it landed; this says what it wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppendRefused {
    /// The host run that wanted to write.
    pub owner: Epoch,
    /// The session.
    pub stream: StreamId,
    /// The version that it took for the session's last.
    pub expected: Version,
    /// The version that the session had.
    pub actual: Version,
    /// Names of the events that it wanted to write, in order.
    pub what: Vec<String>,
}
