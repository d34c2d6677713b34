//! The JSON of answers: whole ones and pieces.

use super::{super::state::Gateway, turn::Ending};
use dispatch_events::{
    AdmissionId, Position, StreamId, TurnId,
    catalogue::{input::Outcome, model::Usage},
};
use serde::Serialize;

/// What is the same in every piece of an answer.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Made of the admission: a repeat gives the same id.
    pub id: String,
    /// Seconds since 1970.
    pub created: i64,
    /// The model that really answers.
    pub model: String,
    /// Says that no real model answers.
    pub fingerprint: Option<&'static str>,
}

impl Frame {
    /// The frame of an admission's answer.
    pub fn of(gateway: &Gateway, admission: AdmissionId) -> Self {
        Self {
            id: format!("chatcmpl-{admission}"),
            created: gateway.unix_time(),
            model: gateway.model_name().to_owned(),
            fingerprint: gateway.model.rehearsal.then_some("dispatch-rehearsal"),
        }
    }

    /// A piece of a streamed answer.
    pub fn chunk<'a>(&'a self, choices: &'a [ChunkChoice<'a>]) -> Chunk<'a> {
        Chunk {
            id: &self.id,
            object: "chat.completion.chunk",
            created: self.created,
            model: &self.model,
            system_fingerprint: self.fingerprint,
            choices,
            usage: None,
            x_dispatch: None,
        }
    }
}

/// A piece of a streamed answer.
#[derive(Serialize)]
pub(super) struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'static str>,
    choices: &'a [ChunkChoice<'a>],
    /// Tokens, in the last piece; null there when the model did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Option<Tokens>>,
    /// What the contract adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_dispatch: Option<Extra>,
}

/// The one choice of a piece.
#[derive(Serialize)]
pub(super) struct ChunkChoice<'a> {
    index: u32,
    delta: Delta<'a>,
    finish_reason: Option<&'static str>,
}

#[derive(Default, Serialize)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
}

impl<'a> ChunkChoice<'a> {
    /// The first piece: who speaks.
    pub fn role() -> Self {
        let delta = Delta { role: Some("assistant"), content: Some("") };
        Self { index: 0, delta, finish_reason: None }
    }

    /// A piece of text.
    pub fn text(text: &'a str) -> Self {
        Self { index: 0, delta: Delta { role: None, content: Some(text) }, finish_reason: None }
    }

    /// The end.
    pub fn finish(ending: &Ending) -> Self {
        Self { index: 0, delta: Delta::default(), finish_reason: Some(finish_reason(ending)) }
    }
}

/// A whole answer.
#[derive(Serialize)]
pub(super) struct Whole<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'static str>,
    choices: [Choice<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Tokens>,
    x_dispatch: Extra,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    logprobs: Option<()>,
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
    refusal: Option<()>,
}

impl<'a> Whole<'a> {
    /// The answer of a settled turn.
    pub fn of(frame: &'a Frame, session: StreamId, ending: &Ending, text: &'a str) -> Self {
        Self {
            id: &frame.id,
            object: "chat.completion",
            created: frame.created,
            model: &frame.model,
            system_fingerprint: frame.fingerprint,
            choices: [Choice {
                index: 0,
                message: Message { role: "assistant", content: text, refusal: None },
                logprobs: None,
                finish_reason: finish_reason(ending),
            }],
            usage: ending.usage.map(Tokens::of),
            x_dispatch: Extra::of(session, ending),
        }
    }
}

/// What Dispatch says beside OpenAI's fields.
#[derive(Serialize)]
pub(super) struct Extra {
    outcome: &'static str,
    session: StreamId,
    turn: Option<TurnId>,
    position: Position,
}

impl Extra {
    /// How a turn ended.
    pub fn of(session: StreamId, ending: &Ending) -> Self {
        let outcome = match ending.outcome {
            Outcome::Completed => "completed",
            Outcome::Interrupted => "interrupted",
            Outcome::Rejected => "rejected",
            Outcome::Failed => "failed",
            Outcome::Cancelled => "cancelled",
        };
        Self { outcome, session, turn: ending.turn, position: ending.position }
    }
}

/// OpenAI's words for why an answer ends. A stopped turn says `stop`; `x_dispatch.outcome` tells it apart.
fn finish_reason(ending: &Ending) -> &'static str {
    match ending.finish.as_deref() {
        _ if ending.outcome == Outcome::Interrupted => "stop",
        Some("length" | "max_tokens" | "max_output_tokens" | "MAX_TOKENS") => "length",
        Some("content_filter" | "refusal" | "SAFETY") => "content_filter",
        _ => "stop",
    }
}

/// Tokens in OpenAI's words.
#[derive(Serialize)]
pub(super) struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_tokens_details: Option<Cached>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_tokens_details: Option<Reasoning>,
}

#[derive(Serialize)]
struct Cached {
    cached_tokens: u64,
}

#[derive(Serialize)]
struct Reasoning {
    reasoning_tokens: u64,
}

impl Tokens {
    /// The same counts.
    pub fn of(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            prompt_tokens_details: usage.cached.map(|cached_tokens| Cached { cached_tokens }),
            completion_tokens_details: usage.reasoning.map(|reasoning_tokens| Reasoning { reasoning_tokens }),
        }
    }
}
