//! Tools. `tool.started` is durable before the tool's body runs.

use crate::{TurnId, Version};
use serde::{Deserialize, Serialize};

/// Which call of which assistant message: the name and the arguments stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallRef {
    /// Version of the `message.recorded` event.
    pub message: Version,
    /// Index in its calls, from 0.
    pub index: u32,
}

/// The model asked for a tool. It has not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRequested {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
}

/// The tool's body is about to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStarted {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// What a repeat would do.
    pub class: EffectClass,
}

/// What a tool may change, declared by the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EffectClass {
    /// It only looks.
    Read,
    /// Doing it twice is doing it once.
    Idempotent,
    /// Doing it twice is doing it twice.
    Effect,
}

/// The call has its one result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolFinished {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// Whether something outside may have changed.
    pub effect: EffectDisposition,
    /// What the model reads.
    pub output: String,
    /// Milliseconds that the body ran.
    pub duration_ms: u64,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ToolOutcome {
    /// With a result.
    Ok,
    /// With an error that the model reads.
    Error,
    /// It was not started, because the turn was stopped.
    Cancelled,
    /// It was not started, because its name or arguments were invalid.
    Refused,
}

/// Whether something outside may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EffectDisposition {
    /// Nothing.
    None,
    /// What the tool says it did.
    Done,
    /// Nobody knows.
    Unknown,
}

/// The tool had started, and nobody can say how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUnknown {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// Why, in words.
    pub why: String,
}
