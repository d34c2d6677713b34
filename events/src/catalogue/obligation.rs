//! What is owed to the outside after the log says so.

use crate::{ObligationId, TurnId};
use serde::{Deserialize, Serialize};

/// Something is owed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObligationCreated {
    /// The obligation.
    pub obligation: ObligationId,
    /// What it is.
    pub kind: ObligationKind,
    /// Idempotency key for the far side; the same at every attempt.
    pub key: String,
    /// The turn that it comes from.
    pub turn: TurnId,
}

/// What an obligation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ObligationKind {
    /// Write the turn to the memory backend.
    MemorySync,
    /// Ask the memory backend to prepare the next recall.
    MemoryWarm,
}

/// It was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObligationMet {
    /// The obligation.
    pub obligation: ObligationId,
    /// Attempts, this one included.
    pub attempts: u32,
}

/// An attempt failed; another follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObligationFailed {
    /// The obligation.
    pub obligation: ObligationId,
    /// Attempts so far.
    pub attempts: u32,
    /// Why, in words.
    pub why: String,
    /// Milliseconds until the next attempt.
    pub retry_after_ms: u64,
}

/// It will not be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObligationAbandoned {
    /// The obligation.
    pub obligation: ObligationId,
    /// Why, in words.
    pub why: String,
}
