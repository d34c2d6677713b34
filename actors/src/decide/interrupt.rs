//! What does a stop leave behind? Every call has exactly one result, what was shown is kept, nothing is synced.

use super::{
    failure::{partial, unsaid},
    reconcile::given_up,
    settle::{Besides, ClaimFacts, settle, settle_besides},
    tools::Left,
};
use dispatch_events::{
    Event, TurnId,
    catalogue::{
        input::{InputQueued, Outcome, Principal},
        tool::{EffectClass, EffectDisposition, ToolFinished, ToolOutcome},
        turn::TurnInterrupted,
    },
};
use dispatch_projections::{SessionState, tools::CallState};

/// The one result of a call that a stop kept from running.
pub const CANCELLED: &str = "Cancelled: the turn was stopped before this call ran.";
/// The one result of a call that a stop cut off.
pub const CUT_OFF: &str = "Cancelled: the turn was stopped while this call ran.";

/// The one result of a call whose outcome nobody knows, when somebody gives the turn up.
pub const GIVEN_UP: &str = "The outcome of this call is unknown, and the turn was given up.";

/// The events of a stop: the queue goes on behind it.
pub fn interrupt<'a>(
    state: &SessionState,
    turn: TurnId,
    why: &str,
    left: impl Into<Left<'a>>,
    claim: ClaimFacts<'_>,
) -> Vec<Event> {
    let mut events = stopped(state, turn, why, left);
    events.extend(settle(state, Outcome::Interrupted, claim));
    events
}

/// The events of an input that stops the turn and is the next.
pub fn redirect<'a>(
    state: &SessionState,
    queued: &InputQueued,
    turn: TurnId,
    left: impl Into<Left<'a>>,
    claim: ClaimFacts<'_>,
) -> Vec<Event> {
    let mut events: Vec<Event> = vec![queued.clone().into()];
    events.extend(stopped(state, turn, &redirected(&queued.principal), left));
    events.extend(settle_besides(state, Outcome::Interrupted, Besides::New(queued), claim));
    events
}

/// The events of a stop that gives up a turn whose outcome is unknown: who gives up which call is on record.
pub fn give_up(state: &SessionState, turn: TurnId, by: &Principal, why: &str, claim: ClaimFacts<'_>) -> Vec<Event> {
    let mut events = given_up(state, by, why);
    let shown = state.turns.get(turn).map(|turn| turn.shown.as_str()).unwrap_or_default();
    events.extend(interrupt(state, turn, why, shown, claim));
    events
}

/// Why a turn was stopped by a person.
pub fn interrupted(by: &Principal) -> String {
    format!("interrupted by {}:{}", by.adapter, by.subject)
}

fn redirected(by: &Principal) -> String {
    format!("redirected by {}:{}", by.adapter, by.subject)
}

/// The end of a turn that is stopped, without that of its admission.
pub fn stopped<'a>(state: &SessionState, turn: TurnId, why: &str, left: impl Into<Left<'a>>) -> Vec<Event> {
    let left = left.into();
    let mut events: Vec<Event> = unsaid(state, turn).into_iter().collect();
    let results = state.tools.open(turn).filter_map(|open| {
        if let Some(real) = left.result(turn, open.call) {
            return Some(real);
        }
        let (output, effect) = match &open.state {
            CallState::Requested | CallState::Asked { .. } | CallState::Approved | CallState::Denied { .. } => {
                (CANCELLED, EffectDisposition::None)
            }
            CallState::Started { class: EffectClass::Read } => (CUT_OFF, EffectDisposition::None),
            CallState::Started { .. } => (CUT_OFF, EffectDisposition::Unknown),
            CallState::Unknown { .. } => (GIVEN_UP, EffectDisposition::Unknown),
            CallState::Finished { .. } => return None,
        };
        let (call, output) = (open.call, output.to_owned());
        Some(ToolFinished { turn, call, outcome: ToolOutcome::Cancelled, effect, output, duration_ms: 0 }.into())
    });
    events.extend(results);
    events.extend(partial(turn, left.shown));
    events.push(TurnInterrupted { turn, why: why.to_owned() }.into());
    events
}
