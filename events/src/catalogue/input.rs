//! Admissions: one submitted input from the moment that it is durable.

use crate::{AdmissionId, Digest, Generation, Part, TurnId};
use serde::{Deserialize, Serialize};

/// An input was accepted. From here on it is never lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputQueued {
    /// The admission.
    pub admission: AdmissionId,
    /// Who submitted it; the header carries only the opaque id.
    pub principal: Principal,
    /// The caller's idempotency key, unique per principal and session.
    pub request: String,
    /// Digest of what was asked: the same key with another digest is refused.
    pub digest: Digest,
    /// What the input wants of a running turn.
    pub intent: Intent,
    /// Place in the session's queue, from 1.
    pub seq: u64,
    /// What was said.
    pub parts: Vec<Part>,
    /// The platform's id of the message, where a channel gave it: a message that comes again is not taken again. Since
    /// version 2.
    pub message: Option<String>,
    /// What was asked for, where the host made another intent of it to save work that a stop would destroy. Since
    /// version 2.
    pub demoted: Option<Intent>,
    /// The admission whose input is tried again with this one. Since version 2.
    pub again: Option<AdmissionId>,
}

/// Who submitted, with a name that people know.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Principal {
    /// Adapter that vouches for it: `cli`, `http`, …
    pub adapter: String,
    /// Name within the adapter.
    pub subject: String,
}

/// What an input wants of a turn that already runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Intent {
    /// Wait for its turn.
    Queue,
    /// Go into the running turn after its next tool result.
    Steer,
    /// Stop the running turn and take this next.
    Redirect,
}

/// An admission was claimed by a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputStarted {
    /// The admission.
    pub admission: AdmissionId,
    /// The turn that carries it; the same one again after a crash.
    pub turn: TurnId,
    /// The attempt's number within the session.
    pub generation: Generation,
}

/// A started admission went back to the queue, because nothing that can't be repeated had begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputRequeued {
    /// The admission.
    pub admission: AdmissionId,
    /// Why, in words.
    pub why: String,
    /// How often so far; at most 3.
    pub times: u32,
}

/// A waiting admission was withdrawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputCancelled {
    /// The admission.
    pub admission: AdmissionId,
    /// Who withdrew it; `None` in an event of version 1, which did not say. Since version 2.
    pub by: Option<Principal>,
}

/// Nobody can say what a started admission did. The session pauses until somebody settles it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputUnknown {
    /// The admission.
    pub admission: AdmissionId,
    /// Why, in words.
    pub why: String,
}

/// An admission is finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputSettled {
    /// The admission.
    pub admission: AdmissionId,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where that stands in no other event. Since version 2.
    pub why: Option<String>,
}

/// Somebody said what became of an input whose outcome was unknown though none of its tools is in doubt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputReconciled {
    /// The admission.
    pub admission: AdmissionId,
    /// What follows.
    pub verdict: InputVerdict,
    /// Who said so.
    pub by: Principal,
    /// Why.
    pub why: String,
}

/// What follows for an input whose outcome was unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InputVerdict {
    /// Its turn goes on, and is counted anew.
    Again,
    /// Its turn is given up.
    GivenUp,
}

/// How an admission ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// With a final answer.
    Completed,
    /// Somebody stopped it.
    Interrupted,
    /// It was refused when its turn came.
    Rejected,
    /// It ended with an error.
    Failed,
    /// It was withdrawn before it started. Only in `input.cancelled`, which says so by its name.
    Cancelled,
}
