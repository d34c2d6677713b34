//! What does a turn leave behind that can't go on, and may have calls without a result? Each gets its one.

use super::{
    failure::{partial, unsaid},
    settle::{ClaimFacts, settle},
};
use dispatch_events::{
    Event, TurnId,
    catalogue::{
        input::Outcome,
        tool::{EffectClass, EffectDisposition, ToolFinished, ToolOutcome},
        turn::TurnFailed,
    },
};
use dispatch_projections::{SessionState, tools::CallState};

/// The one result of a call that had not begun.
pub const NOT_BEGUN: &str = "Cancelled: the turn failed before this call ran.";
/// The one result of a call that had begun.
pub const BROKEN_OFF: &str = "Error: the turn failed while this call ran. Its outcome is unknown.";

/// Why a turn is broken off.
#[derive(Clone, Copy, Debug)]
pub struct Breakdown<'a> {
    /// Class of the error.
    pub code: &'a str,
    /// Cause and next step.
    pub message: &'a str,
    /// Text that was shown and is not recorded.
    pub shown: &'a str,
}

/// The events of a turn that ends in the middle of something: what was shown stays, every call has its one result, the
/// queue goes on behind it.
pub fn break_off(state: &SessionState, turn: TurnId, how: Breakdown<'_>, claim: ClaimFacts<'_>) -> Vec<Event> {
    let mut events: Vec<Event> = unsaid(state, turn).into_iter().collect();
    let results = state.tools.open(turn).map(|open| {
        let (outcome, effect, output) = match &open.state {
            CallState::Started { class: EffectClass::Read } => {
                (ToolOutcome::Error, EffectDisposition::None, BROKEN_OFF)
            }
            CallState::Started { .. } | CallState::Unknown { .. } => {
                (ToolOutcome::Error, EffectDisposition::Unknown, BROKEN_OFF)
            }
            _ => (ToolOutcome::Cancelled, EffectDisposition::None, NOT_BEGUN),
        };
        let (call, output) = (open.call, output.to_owned());
        ToolFinished { turn, call, outcome, effect, output, duration_ms: 0 }.into()
    });
    events.extend(results);
    events.extend(partial(turn, how.shown));
    events.push(TurnFailed { turn, code: how.code.to_owned(), message: how.message.to_owned() }.into());
    events.extend(settle(state, Outcome::Failed, claim));
    events
}

/// A turn gave no sign of life for this many milliseconds while it did `what`.
pub fn words(what: &str, still_ms: u64) -> String {
    let seconds = still_ms / 1_000;
    format!(
        "it gave no sign of life for {seconds} s {what}, and was aborted: send the input again, or raise \
         turn.idle_limit_s if that takes long"
    )
}
