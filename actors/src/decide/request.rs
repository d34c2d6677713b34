//! The announcement of a request: its digests are those of the bytes that go out next.

use crate::wire::Rendered;
use dispatch_events::{
    Digest, Event, RawJson, TurnId,
    catalogue::model::{ModelRequested, PrefixDiverged},
};
use dispatch_projections::SessionState;

/// What the announcement says besides the rendered bytes.
#[derive(Clone, Debug)]
pub struct RequestFacts<'a> {
    /// Turn.
    pub turn: TurnId,
    /// Model profile.
    pub profile: &'a str,
    /// Model as it is sent.
    pub model: &'a str,
    /// Dialect.
    pub dialect: &'a str,
    /// Version of the renderer.
    pub dialect_version: u16,
    /// Parameters as they are sent.
    pub parameters: RawJson,
    /// Length of the body in bytes.
    pub length: u64,
}

/// The events that announce a request; before it, where it does not extend the one before, the divergence.
pub fn announce(state: &SessionState, rendered: &Rendered, facts: RequestFacts<'_>) -> Vec<Event> {
    let before = state.calls.fragments();
    let extends = common(before, rendered.digests());
    let mut events = Vec::new();
    let same_head = state.calls.head().is_none_or(|head| head == rendered.head_digest());
    // A change of the conversation itself is its own cause, and on record.
    if (!same_head || extends < before.len()) && state.calls.changed().is_none() {
        let at = if same_head { extends + 1 } else { 0 };
        let (expected, actual) = if same_head {
            let at_index = |digests: &[Digest]| digests.get(extends).copied().unwrap_or_default();
            (at_index(before), at_index(rendered.digests()))
        } else {
            (state.calls.head().unwrap_or_default(), rendered.head_digest())
        };
        let cause = cause(state, &facts, same_head);
        events.push(PrefixDiverged { turn: facts.turn, at: at as u32, expected, actual, cause }.into());
    }
    let attempt = state.turns.get(facts.turn).map_or(0, |turn| turn.attempts) + 1;
    events.push(
        ModelRequested {
            turn: facts.turn,
            attempt,
            purpose: "turn".to_owned(),
            profile: facts.profile.to_owned(),
            model: facts.model.to_owned(),
            dialect: facts.dialect.to_owned(),
            dialect_version: facts.dialect_version,
            head: rendered.head_digest(),
            parameters: facts.parameters,
            messages: rendered.digests().len() as u32,
            extends: extends as u32,
            fragments: rendered.digests()[extends..].to_vec(),
            prefix: rendered.prefix(),
            length: facts.length,
        }
        .into(),
    );
    events
}

fn cause(state: &SessionState, facts: &RequestFacts<'_>, same_head: bool) -> String {
    match state.calls.last() {
        Some(last) if !same_head && last.model != facts.model => {
            format!("the model changed from {} to {}", last.model, facts.model)
        }
        Some(last) if last.dialect != facts.dialect || last.dialect_version != facts.dialect_version => {
            format!("the dialect changed from {} {}", last.dialect, last.dialect_version)
        }
        _ => "unknown".to_owned(),
    }
}

/// How many leading digests two requests share.
fn common(before: &[Digest], now: &[Digest]) -> usize {
    // The usual case first: everything before is still there, and comparing is cheaper than hashing ever was.
    before.iter().zip(now).take_while(|(a, b)| a == b).count()
}
