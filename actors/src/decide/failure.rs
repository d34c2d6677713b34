//! What follows from a failed request: another try before any text was shown, or the end of the turn.

use super::settle::{ClaimFacts, settle};
use crate::ports::ModelError;
use dispatch_events::{
    Event, Part, TurnId,
    catalogue::{
        input::Outcome,
        message::{Message, MessageRecorded},
        model::ModelFailed,
        turn::TurnFailed,
    },
};
use dispatch_projections::SessionState;

/// Longest wait that a far side may ask for, in milliseconds (hermes-behaviour.md §5.5).
pub const RETRY_AFTER_MAX_MS: u64 = 600_000;

/// What the decision needs besides the state.
#[derive(Clone, Copy, Debug)]
pub struct FailureFacts<'a> {
    /// The request.
    pub attempt: u32,
    /// Text that was shown of its answer.
    pub shown: &'a str,
    /// Retries that a turn has.
    pub retries: u32,
    /// The wait that back-off asks for, where the far side named none, in milliseconds.
    pub backoff_ms: u64,
    /// For the next in the queue.
    pub claim: ClaimFacts<'a>,
}

/// The events of a failed request, and the wait before the next one, if there is a next one.
pub fn failure(
    state: &SessionState,
    turn: TurnId,
    error: &ModelError,
    facts: FailureFacts<'_>,
) -> (Vec<Event>, Option<u64>) {
    let failures = state.turns.get(turn).map_or(0, |turn| turn.failures);
    let named = error.retry_after_ms;
    let retry = error.class.retryable()
        && facts.shown.is_empty()
        && failures < facts.retries
        && named.is_none_or(|ms| ms <= RETRY_AFTER_MAX_MS);
    let wait = retry.then(|| named.unwrap_or(facts.backoff_ms));
    let mut events: Vec<Event> = vec![
        ModelFailed {
            turn,
            attempt: facts.attempt,
            class: error.class.as_str().to_owned(),
            action: if retry { "retry" } else { "stop" }.to_owned(),
            status: error.status,
            retry_after_ms: wait.or(named),
            message: error.message.clone(),
        }
        .into(),
    ];
    if !retry {
        events.extend(partial(turn, facts.shown));
        events.extend(fail(state, turn, "model_failed", &error.message, facts.claim));
    }
    (events, wait)
}

/// The turn ends with an error.
pub fn fail(state: &SessionState, turn: TurnId, code: &str, message: &str, claim: ClaimFacts<'_>) -> Vec<Event> {
    let mut events: Vec<Event> = unsaid(state, turn).into_iter().collect();
    events.push(TurnFailed { turn, code: code.to_owned(), message: message.to_owned() }.into());
    events.extend(settle(state, Outcome::Failed, claim));
    events
}

/// What the person said stands in the transcript, also when the turn ends before its first request.
pub fn unsaid(state: &SessionState, turn: TurnId) -> Option<Event> {
    let known = state.turns.get(turn).filter(|turn| turn.user_message.is_none())?;
    let message = Message::User { admission: known.admission };
    Some(MessageRecorded { turn, message, api_content: None }.into())
}

/// Text that a person saw stays in the transcript, marked as partial.
pub fn partial(turn: TurnId, shown: &str) -> Option<Event> {
    let message = Message::Assistant {
        parts: vec![Part::Text(shown.to_owned())],
        reasoning: None,
        calls: Vec::new(),
        extra: None,
        partial: true,
    };
    (!shown.is_empty()).then(|| MessageRecorded { turn, message, api_content: None }.into())
}
