//! What does a turn leave behind that can't go on, and may have calls without a result? Each gets its one.

use super::{
    failure::{partial, unsaid},
    settle::{ClaimFacts, settle},
    tools::Left,
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
    /// What is not recorded.
    pub left: Left<'a>,
}

/// The events of a turn that ends in the middle of something: what was shown stays, every call has its one result, the
/// queue goes on behind it.
pub fn break_off(state: &SessionState, turn: TurnId, how: Breakdown<'_>, claim: ClaimFacts<'_>) -> Vec<Event> {
    let mut events: Vec<Event> = unsaid(state, turn).into_iter().collect();
    let results = state.tools.open(turn).map(|open| {
        if let Some(real) = how.left.result(turn, open.call) {
            return real;
        }
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
    events.extend(partial(turn, how.left.shown));
    events.push(TurnFailed { turn, code: how.code.to_owned(), message: how.message.to_owned() }.into());
    events.extend(settle(state, Outcome::Failed, claim));
    events
}

/// What a look at a turn's clock means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It moves.
    Alive,
    /// It stands still: it is looked at once more before anything is done to it.
    Suspected,
    /// It is too early for that.
    Waiting,
    /// It stood still at an earlier look already, and nothing has moved since.
    Stalled,
}

/// What a look at a turn's clock means. `last` is its last sign of life, `suspected` the one at which an earlier look found
/// it standing still, and the milliseconds since that look. One look is not enough: after the whole host stood still, every
/// clock has; and looks that were missed meanwhile come all at once.
pub fn look(still_ms: u64, limit_ms: u64, last: u64, suspected: Option<(u64, u64)>) -> Look {
    match suspected.filter(|(at, _)| *at == last) {
        _ if still_ms < limit_ms => Look::Alive,
        Some((_, since_ms)) if since_ms >= between_ms(limit_ms) / 2 => Look::Stalled,
        Some(_) => Look::Waiting,
        None => Look::Suspected,
    }
}

/// Milliseconds between two looks at a turn.
pub fn between_ms(limit_ms: u64) -> u64 {
    (limit_ms / 4).clamp(10, 30_000)
}

/// A turn gave no sign of life for this many milliseconds while it did `what`.
pub fn words(what: &str, still_ms: u64) -> String {
    let seconds = still_ms / 1_000;
    format!(
        "it gave no sign of life for {seconds} s {what}, and was aborted: send the input again, or raise \
         turn.idle_limit_s if that takes long"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::table::*;
    use dispatch_events::catalogue::tool::ToolStarted;

    #[test]
    fn one_look_is_not_enough() {
        assert_eq!(look(399, 400, 7, Some((7, 100))), Look::Alive);
        assert_eq!(look(400, 400, 7, None), Look::Suspected);
        assert_eq!(look(500, 400, 7, Some((7, 0))), Look::Waiting, "looks that were missed come all at once");
        assert_eq!(look(500, 400, 7, Some((7, 100))), Look::Stalled);
        assert_eq!(look(500, 400, 8, Some((7, 100))), Look::Suspected, "it moved in between, and stands still again");
    }

    #[test]
    fn every_call_has_its_one_result_and_the_queue_goes_on() {
        let mut state = given(running());
        apply(&mut state, queued(2));
        let calls = asks(&mut state, &["act", "look", "put", "later"]);
        let begun = [EffectClass::Effect, EffectClass::Read, EffectClass::Idempotent];
        for (call, class) in calls.iter().zip(begun) {
            apply(&mut state, ToolStarted { turn: turn_id(1), call: *call, class }.into());
        }
        let how = Breakdown { code: "stalled", message: "it stood still", left: "half".into() };
        let events = break_off(&state, turn_id(1), how, CLAIM);
        let next = ["input.settled", "lease.released", "input.started", "lease.acquired", "turn.started"];
        assert_eq!(names(&events), [&["tool.finished"; 4][..], &["message.recorded", "turn.failed"], &next].concat());
        let effects: Vec<_> = events
            .iter()
            .filter_map(|event| if let Event::ToolFinished(end) = event { Some(end.effect) } else { None })
            .collect();
        use EffectDisposition::{None as Nothing, Unknown};
        assert_eq!(effects, [Unknown, Nothing, Unknown, Nothing]);
    }
}
