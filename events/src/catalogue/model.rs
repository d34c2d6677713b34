//! Calls to a model. `model.requested` is durable before the request leaves the process.

use crate::{Digest, RawJson, TurnId};
use serde::{Deserialize, Serialize};

/// A request is about to leave. Its bytes are the ones whose digests stand here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRequested {
    /// The turn.
    pub turn: TurnId,
    /// Number of the request within the turn, from 1; a repeat after an error or a crash has the next one.
    pub attempt: u32,
    /// What it is for: `turn` for a turn's own calls.
    pub purpose: String,
    /// Model profile.
    pub profile: String,
    /// Model name as it is sent.
    pub model: String,
    /// Wire form.
    pub dialect: String,
    /// Version of the renderer; every released one stays in the build.
    pub dialect_version: u16,
    /// Digest of model, system and tools as they are sent.
    pub head: Digest,
    /// Sampling and transport parameters, as the text that is sent.
    pub parameters: RawJson,
    /// How many messages follow the head.
    pub messages: u32,
    /// How many leading fragments it shares with the session's request before it.
    pub extends: u32,
    /// Digests of the fragments behind those.
    pub fragments: Vec<Digest>,
    /// Rolling digest over head and all fragments.
    pub prefix: Digest,
    /// Length of the body in bytes.
    pub length: u64,
}

/// Text that a person saw before the answer was whole; written at most once a second on a long stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelStreamed {
    /// The turn.
    pub turn: TurnId,
    /// The request that it answers.
    pub attempt: u32,
    /// The piece since the last such event.
    pub text: String,
}

/// The answer is whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelResponded {
    /// The turn.
    pub turn: TurnId,
    /// The request that it answers.
    pub attempt: u32,
    /// The vendor's id of the answer, where it gives one.
    pub response: Option<String>,
    /// Finish reason in the vendor's word.
    pub finish: String,
    /// Tokens; `None` when the vendor did not say, which is not zero.
    pub usage: Option<Usage>,
    /// Decimal amount with currency, where known.
    pub cost: Option<String>,
    /// Milliseconds from the request to the first text or call.
    pub first_token_ms: Option<u64>,
    /// Milliseconds from the request to the end mark.
    pub duration_ms: u64,
}

/// Token counts, input including what was cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Of these, read from the vendor's cache.
    pub cached: Option<u64>,
    /// Tokens of the answer.
    pub output: u64,
    /// Of these, reasoning.
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Both together; a detail that one of them does not have is unknown.
    pub fn plus(self, other: Self) -> Self {
        let both = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a + b);
        Self {
            input: self.input + other.input,
            cached: both(self.cached, other.cached),
            output: self.output + other.output,
            reasoning: both(self.reasoning, other.reasoning),
        }
    }
}

/// A request ended without a whole answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFailed {
    /// The turn.
    pub turn: TurnId,
    /// The request.
    pub attempt: u32,
    /// Class of the error, for example `rate_limit`.
    pub class: String,
    /// What follows: `retry` or `stop`.
    pub action: String,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// Milliseconds until the next attempt.
    pub retry_after_ms: Option<u64>,
    /// The cause, with what the far side said, shortened.
    pub message: String,
}

/// A request does not extend the one before it, and no event says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefixDiverged {
    /// The turn whose request it is.
    pub turn: TurnId,
    /// Index of the first fragment that differs; 0 is the head.
    pub at: u32,
    /// Digest that the request before it had there.
    pub expected: Digest,
    /// Digest that this one has.
    pub actual: Digest,
    /// Cause in words, or `unknown`.
    pub cause: String,
}
