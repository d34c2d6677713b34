//! What the outside asks of a session, and how it is answered.

use dispatch_events::{
    AdmissionId, Generation, Part, Position, StreamId, TurnId, Version,
    catalogue::{
        input::{Intent, Outcome, Principal},
        message::GivenRole,
    },
};
use dispatch_projections::admissions::AdmissionState;
use serde::Serialize;

/// A session, by its id or its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRef {
    /// By id.
    Id(StreamId),
    /// By name; what looks like an id is tried as one first.
    Name(String),
}

impl From<&str> for SessionRef {
    fn from(text: &str) -> Self {
        Self::Name(text.to_owned())
    }
}

impl From<StreamId> for SessionRef {
    fn from(id: StreamId) -> Self {
        Self::Id(id)
    }
}

/// How a session begins, if it is not there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Surface that opens it: `cli`, `http`, `openai`, …
    pub source: String,
    /// The caller's system message.
    pub system: Option<String>,
    /// The caller's own history, in order.
    pub history: Vec<(GivenRole, String)>,
}

impl Opening {
    /// A session without history.
    pub fn plain(source: &str) -> Self {
        Self { source: source.to_owned(), system: None, history: Vec::new() }
    }
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submit {
    /// Who submits.
    pub principal: Principal,
    /// Idempotency key, 1 to 1,024 characters; a fresh one is made if there is none.
    pub request: Option<String>,
    /// What it wants of a running turn.
    pub intent: Intent,
    /// What is said.
    pub parts: Vec<Part>,
    /// How to open the session if it is not there; `None` refuses instead.
    pub opening: Option<Opening>,
}

/// The answer to an input: it is durable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The session.
    pub session: StreamId,
    /// Its name.
    pub name: String,
    /// The admission.
    pub admission: AdmissionId,
    /// The idempotency key that it has.
    pub request_id: String,
    /// Place in the session's queue.
    pub seq: u64,
    /// Where it is now.
    pub state: AdmissionState,
    /// How it ended, if it has.
    pub outcome: Option<Outcome>,
    /// The turn that carries it, if one does.
    pub turn: Option<TurnId>,
    /// Position of its `input.queued`.
    pub position: Position,
    /// Version of its `input.queued`.
    pub version: Version,
    /// True when an earlier request with the same key made it.
    pub repeated: bool,
}

/// The answer to an interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interrupted {
    /// The session.
    pub session: StreamId,
    /// The turn that was stopped; `None` if nothing ran.
    pub turn: Option<TurnId>,
    /// Its attempt.
    pub generation: Option<Generation>,
    /// The session's version after it.
    pub version: Version,
}

/// The answer to an erasure: nobody can read the session any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// The session.
    pub session: StreamId,
    /// Version of its last event, `session.erased`.
    pub version: Version,
}

/// Why the host said no. Nothing was written unless it says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request is not well formed.
    #[error("{0}")]
    Invalid(String),
    /// There is no such session.
    #[error("there is no session `{0}`: `dispatch sessions list` shows what is there")]
    NotFound(String),
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
    #[error(
        "the session is paused, because an outcome is unknown ({0}): look at it, then give it up with `dispatch interrupt`"
    )]
    Paused(String),
    /// The turn that was named is not the one that runs.
    #[error("turn {0} does not run: nothing was stopped")]
    StaleTurn(TurnId),
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
            Self::NotFound(_) | Self::Erased(_) => "not_found",
            Self::AdmissionConflict(_) => "admission_conflict",
            Self::NameTaken(_) => "name_taken",
            Self::QueueFull(_) => "queue_full",
            Self::Draining => "draining",
            Self::Paused(_) => "unknown_execution",
            Self::Busy => "session_busy",
            Self::StaleGeneration(_) | Self::StaleTurn(_) => "stale_generation",
            Self::Persistence(_) => "persistence_failed",
            Self::Storage(_) => "storage_unavailable",
            Self::NotBuilt(_) => "not_built",
        }
    }
}
