//! Tools. `tool.started` is durable before the tool's body runs.

use super::input::Principal;
use crate::{Digest, TurnId, Version};
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

/// A person is asked whether the call may run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolApprovalAsked {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// Digest of the tool's name and arguments as they are shown: consent is for exactly that.
    pub digest: Digest,
    /// Why it is asked, in words.
    pub why: String,
}

/// A person consented.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolApprovalGiven {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// Digest of what was shown; that of the question.
    pub digest: Digest,
    /// Who.
    pub by: Principal,
    /// How far it goes.
    pub scope: ApprovalScope,
}

/// How far a consent goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ApprovalScope {
    /// This call.
    Once,
    /// This call, and the same one again in this session.
    Session,
}

/// A person, or the policy, said no: the call gets its result without having run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolApprovalDenied {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// Who.
    pub by: Principal,
    /// Why, in words.
    pub why: String,
}

/// Output of a tool that still runs; written at most once a second, and nobody waits for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolProgressed {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// The piece since the last such event.
    pub output: String,
}

/// Somebody, or the policy, said what became of a call whose outcome was unknown. Its result follows in the same append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolReconciled {
    /// The turn.
    pub turn: TurnId,
    /// The call.
    pub call: CallRef,
    /// What became of it.
    pub verdict: ToolVerdict,
    /// Who said so.
    pub by: Principal,
    /// Why.
    pub why: String,
}

/// What became of a call whose outcome was unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ToolVerdict {
    /// It was done, with the result that follows.
    Finished,
    /// It was not done.
    NotDone,
    /// It stays unknown, and the model is told so.
    Unknown,
    /// It stays unknown, and the turn is given up.
    GivenUp,
}
