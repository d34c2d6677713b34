//! What the outside asks of a session, and how it is answered.

pub mod control;
pub mod history;
mod refusal;

pub use control::{Attached, Interrupted, Question, Reconcile, ReconcileVerdict, Snapshot, Stop};
pub use history::{Change, Changed, ForkRequest, Forks, HistoryChange};
pub use refusal::Refusal;

use dispatch_events::{
    AdmissionId, Part, Position, StreamId, TurnId, Version,
    catalogue::{
        input::{Intent, Outcome, Principal},
        message::GivenRole,
    },
};
use dispatch_projections::{admissions::AdmissionState, view::words::snake};
use serde::Serialize;

/// The host itself, where it decides instead of a person.
pub(crate) fn host(part: &str) -> Principal {
    Principal { adapter: "host".to_owned(), subject: part.to_owned() }
}

/// A session, by its id or its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRef {
    /// By id.
    Id(StreamId),
    /// By name; what looks like an id is tried as one first.
    Name(String),
    /// By the routing key of a channel.
    Route(String),
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
    /// Routing key of the chat that it is for, where a channel opens it.
    pub route: Option<String>,
}

impl Opening {
    /// A session without history.
    pub fn plain(source: &str) -> Self {
        Self { source: source.to_owned(), system: None, history: Vec::new(), route: None }
    }
}

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submit {
    /// Who submits.
    pub principal: Principal,
    /// Idempotency key, 1 to 1,024 characters; a fresh one is made if there is none.
    pub request: Option<String>,
    /// What it wants of a running turn; `None` for what the session's busy mode says.
    pub intent: Option<Intent>,
    /// What is said.
    pub parts: Vec<Part>,
    /// The platform's id of the message: one that comes again is not taken again, whatever its request id.
    pub message: Option<String>,
    /// The revision that the caller saw last; another one refuses the input. `None` takes any.
    pub expected_revision: Option<u64>,
    /// Whether a paused session refuses the input instead of queueing it: for a caller who waits for the answer.
    pub not_while_paused: bool,
    /// The admission whose input this one tries again.
    pub again: Option<AdmissionId>,
    /// How to open the session if it is not there; `None` refuses instead.
    pub opening: Option<Opening>,
}

impl Submit {
    /// An input that takes the session's busy mode and any revision, for a session that is there.
    pub fn new(principal: Principal, parts: Vec<Part>) -> Self {
        Self {
            principal,
            request: None,
            intent: None,
            parts,
            message: None,
            expected_revision: None,
            not_while_paused: false,
            again: None,
            opening: None,
        }
    }
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
    /// What it wants of a running turn, as it was taken.
    #[serde(serialize_with = "snake")]
    pub intent: Intent,
    /// What was asked for, where the host made another intent of it: a stop would have destroyed running work.
    #[serde(serialize_with = "snake")]
    pub demoted: Option<Intent>,
    /// Place in the session's queue.
    pub seq: u64,
    /// Where it is now.
    pub state: AdmissionState,
    /// How it ended, if it has.
    #[serde(serialize_with = "snake")]
    pub outcome: Option<Outcome>,
    /// The turn that carries it, if one does.
    pub turn: Option<TurnId>,
    /// Position of its `input.queued`.
    pub position: Position,
    /// Version of its `input.queued`.
    pub version: Version,
    /// Why the session is paused, if it is: the input waits until somebody settles that.
    pub paused: Option<String>,
    /// The session's version when this was answered: what is said of the input up to there is past.
    pub as_of: Version,
    /// True when an earlier request with the same key made it.
    pub repeated: bool,
}

/// The answer to an erasure: nobody can read the session any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// The session.
    pub session: StreamId,
    /// Version of its last event, `session.erased`.
    pub version: Version,
}
