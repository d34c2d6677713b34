//! One admitted input carried to an answer, a failure or an interruption.

use crate::{AdmissionId, TurnId};
use serde::{Deserialize, Serialize};

/// A turn began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnStarted {
    /// The turn.
    pub turn: TurnId,
    /// The admission that it carries.
    pub admission: AdmissionId,
}

/// An input that was sent into the running turn was put into it: its message follows in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnSteered {
    /// The turn.
    pub turn: TurnId,
    /// The admission.
    pub admission: AdmissionId,
}

/// Somebody stopped the turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnInterrupted {
    /// The turn.
    pub turn: TurnId,
    /// Who or what stopped it, in words.
    pub why: String,
}

/// The turn has its final answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnCompleted {
    /// The turn.
    pub turn: TurnId,
}

/// The turn can't go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnFailed {
    /// The turn.
    pub turn: TurnId,
    /// The error's class, stable, for example `model_failed`.
    pub code: String,
    /// The cause and the next step, for the person who reads it.
    pub message: String,
}
