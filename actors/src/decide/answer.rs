//! What follows from the model's answer: tools, or the end of the turn. One append: durable point 3.

use super::settle::{ClaimFacts, settle};
use crate::ports::ModelAnswer;
use dispatch_events::{
    Event, ObligationId, Part, TurnId,
    catalogue::{
        input::Outcome,
        message::{Message, MessageRecorded},
        model::ModelResponded,
        obligation::{ObligationCreated, ObligationKind},
        tool::{CallRef, ToolRequested},
        turn::TurnCompleted,
    },
};
use dispatch_projections::SessionState;

/// When the answer came, and what follows a completed turn.
#[derive(Clone, Copy, Debug)]
pub struct AnswerFacts<'a> {
    /// The request that it answers.
    pub attempt: u32,
    /// Milliseconds to the first text or call.
    pub first_token_ms: Option<u64>,
    /// Milliseconds to the end mark.
    pub duration_ms: u64,
    /// Ids for the memory obligations, where there is a backend.
    pub memory: Option<(ObligationId, ObligationId)>,
    /// For the next in the queue.
    pub claim: ClaimFacts<'a>,
}

/// The events of a whole answer.
pub fn answer(state: &SessionState, turn: TurnId, answer: &ModelAnswer, facts: &AnswerFacts<'_>) -> Vec<Event> {
    let mut events = vec![
        ModelResponded {
            turn,
            attempt: facts.attempt,
            response: answer.response.clone(),
            finish: answer.finish.clone(),
            usage: answer.usage,
            cost: None,
            first_token_ms: facts.first_token_ms,
            duration_ms: facts.duration_ms,
        }
        .into(),
    ];
    let parts = if answer.text.is_empty() { Vec::new() } else { vec![Part::Text(answer.text.clone())] };
    let message = Message::Assistant {
        parts,
        reasoning: answer.reasoning.clone(),
        calls: answer.calls.clone(),
        extra: answer.extra.clone(),
        partial: false,
    };
    events.push(MessageRecorded { turn, message, api_content: None }.into());
    if answer.calls.is_empty() {
        events.push(TurnCompleted { turn }.into());
        events.extend(settle(state, Outcome::Completed, facts.claim));
        events.extend(memory(state, turn, answer, facts));
        return events;
    }
    let message = dispatch_events::Version(state.version.0 + events.len() as u64);
    for index in 0..answer.calls.len() {
        let call = CallRef { message, index: index as u32 };
        events.push(ToolRequested { turn, call }.into());
    }
    events
}

/// A completed turn that a person began, with words on both sides, is owed to the memory backend.
fn memory(state: &SessionState, turn: TurnId, answer: &ModelAnswer, facts: &AnswerFacts<'_>) -> Vec<Event> {
    let Some((sync, warm)) = facts.memory else { return Vec::new() };
    let said = state.admissions.started().map(|admission| Part::joined(&admission.parts)).unwrap_or_default();
    if answer.text.trim().is_empty() || said.trim().is_empty() {
        return Vec::new();
    }
    [(sync, ObligationKind::MemorySync, "sync"), (warm, ObligationKind::MemoryWarm, "warm")]
        .into_iter()
        .map(|(obligation, kind, word)| {
            ObligationCreated { obligation, kind, key: format!("{turn}/{word}"), turn }.into()
        })
        .collect()
}
