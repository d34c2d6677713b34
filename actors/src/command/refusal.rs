//! Why the host says no.

use dispatch_events::{AdmissionId, Epoch, Generation, StreamId, TurnId};

/// Why the host said no. Nothing was written unless it says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request is not well formed.
    #[error("{0}")]
    Invalid(String),
    /// There is no such session.
    #[error("there is no session `{0}`: `dispatch sessions list` shows what is there")]
    NotFound(String),
    /// There is no such input in the session.
    #[error("there is no input {0} in this session: `dispatch replay SESSION --view queue` shows what waits")]
    NoInput(AdmissionId),
    /// The session was erased, or is about to be.
    #[error("session {0} was erased: nothing of it is left but the chain of its sealed events")]
    Erased(StreamId),
    /// The idempotency key belongs to another input.
    #[error("request id `{0}` was used in this session for another input: use a new id for a new input")]
    AdmissionConflict(String),
    /// The name belongs to another session.
    #[error("the name `{0}` belongs to another session: choose another name")]
    NameTaken(String),
    /// Too many inputs wait.
    #[error("{0} inputs wait in this session already: wait until one is done")]
    QueueFull(usize),
    /// The host takes no more work.
    #[error("the host is shutting down: send it again when it is back")]
    Draining,
    /// The outcome of an earlier input is unknown.
    #[error("the session is paused, because an outcome is unknown ({0}): settle it with `dispatch sessions reconcile`")]
    Paused(String),
    /// The turn that was named is not the one that runs.
    #[error("turn {0} does not run: nothing was stopped")]
    StaleTurn(TurnId),
    /// Somebody changed what a person sees since the caller looked.
    #[error("the session is at revision {actual}, not {expected}: look at it again, then decide")]
    RevisionConflict {
        /// What the caller saw.
        expected: u64,
        /// What it is.
        actual: u64,
    },
    /// Another host holds the session, and did not let it go in time.
    #[error("the session is held by host run {0}: send it again later")]
    Held(Epoch),
    /// Another host moved the session on in the same moment.
    #[error("another host changed the session in the same moment: send it again")]
    Moved,
    /// The admission runs already, so it can't be withdrawn.
    #[error("input {0} has started already: stop its turn with an interrupt")]
    Started(AdmissionId),
    /// The policy does not let this principal do it.
    #[error("{0}")]
    Denied(String),
    /// A turn runs, or inputs wait, and the change would pull the ground from them.
    #[error(
        "the session is at work: wait until it is done, or stop its turn with `dispatch interrupt` and withdraw what waits with `dispatch sessions cancel`"
    )]
    AtWork,
    /// The actor does not keep up.
    #[error("the host is busy: send it again in a moment")]
    Busy,
    /// The attempt is not the one that runs.
    #[error("attempt {0} is over: what it did after that is not recorded")]
    StaleGeneration(Generation),
    /// The log takes no writes, or the write may or may not have landed.
    #[error("the log could not be written: {0}")]
    Persistence(String),
    /// The log can't be read.
    #[error("the log could not be read: {0}")]
    Storage(String),
    /// A part of the design that this build does not have.
    #[error("{0} is not built yet")]
    NotBuilt(String),
}

impl Refusal {
    /// The stable code of `interface.md`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid_params",
            Self::NotFound(_) | Self::NoInput(_) | Self::Erased(_) => "not_found",
            Self::AdmissionConflict(_) => "admission_conflict",
            Self::NameTaken(_) => "name_taken",
            Self::QueueFull(_) => "queue_full",
            Self::Draining => "draining",
            Self::Paused(_) => "unknown_execution",
            Self::RevisionConflict { .. } => "revision_conflict",
            Self::Busy | Self::Held(_) | Self::Moved | Self::AtWork => "session_busy",
            Self::Denied(_) => "permission_denied",
            Self::StaleGeneration(_) | Self::StaleTurn(_) | Self::Started(_) => "stale_generation",
            Self::Persistence(_) => "persistence_failed",
            Self::Storage(_) => "storage_unavailable",
            Self::NotBuilt(_) => "not_built",
        }
    }
}
