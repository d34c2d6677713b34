//! What does a stop leave behind? Every call has exactly one result, what was shown is kept, nothing is synced.

use super::{
    failure::{partial, unsaid},
    settle::{ClaimFacts, settle},
};
use dispatch_events::{
    Event, TurnId,
    catalogue::{
        input::Outcome,
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

/// The events of a stop, also of a turn whose outcome is unknown: the queue goes on behind it.
pub fn interrupt(state: &SessionState, turn: TurnId, why: &str, shown: &str, claim: ClaimFacts) -> Vec<Event> {
    let mut events: Vec<Event> = unsaid(state, turn).into_iter().collect();
    let results = state.tools.open(turn).filter_map(|open| {
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
    events.extend(partial(turn, shown));
    events.push(TurnInterrupted { turn, why: why.to_owned() }.into());
    events.extend(settle(state, Outcome::Interrupted, claim));
    events
}
