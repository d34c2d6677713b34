//! What follows from a person's word, or the policy's, for an outcome that nobody knows?
//!
//! | what is unknown | finished | not done | given up |
//! |---|---|---|---|
//! | a call | this is its result | the model is told that it was not carried out | every open call its one result, the turn is interrupted |
//! | an input, none of its calls | refused | its turn is tried again, and counted anew | the turn is interrupted |
//!
//! When nothing is unknown any more the turn goes on in the same append. That is no requeue: nobody lost it.

use super::{
    interrupt::interrupt,
    settle::{ClaimFacts, claim_next},
};
use crate::command::{Reconcile, ReconcileVerdict, Refusal, host};
use dispatch_events::{
    AdmissionId, Event, TurnId,
    catalogue::{
        input::{InputReconciled, InputVerdict, Principal},
        tool::{CallRef, EffectDisposition, ToolFinished, ToolOutcome, ToolReconciled, ToolVerdict},
    },
};
use dispatch_projections::{
    SessionState,
    tools::{CallState, ToolUse},
    view::UnknownsView,
};

#[cfg(test)]
mod tests;

/// Longest reason, in characters.
pub const WHY_MAX: usize = 2_000;
/// Longest result that a person may give, in bytes: what a tool may give.
pub const RESULT_MAX: usize = 400_000;
/// The one result of a call that a person says was not done.
pub const NOT_DONE: &str =
    "Error: the host stopped while this call ran. It was not carried out; you may ask for it again.";
/// The one result of a call whose outcome nobody knows, when the turn goes on without knowing.
pub const OUTCOME_UNKNOWN: &str = "Error: the host stopped while this call ran. Its outcome is unknown: it may or may not have happened. Find out before you ask for it again.";

/// The events of a person's word for what is unknown.
///
/// # Errors
/// [`Refusal::Invalid`] when there is no reason, nothing is unknown, or it is not clear what is meant; it says what there is.
pub fn reconcile(state: &SessionState, word: &Reconcile, facts: ClaimFacts<'_>) -> Result<Vec<Event>, Refusal> {
    let why = checked(&word.why)?;
    let Some(paused) = state.admissions.unknown() else {
        return invalid("nothing is unknown in this session: there is nothing to settle".to_owned());
    };
    let (admission, turn) = (paused.id, paused.turn.unwrap_or_default());
    if let Some(call) = word.call
        && !unknown_calls(state, turn).any(|open| open.call == call)
    {
        let (index, message) = (call.index, call.message);
        return invalid(format!("call {index} of version {message} is not unknown: {}", listed(state)));
    }
    if word.verdict == ReconcileVerdict::GiveUp {
        let mut events = given_up(state, &word.principal, why);
        let stopped = format!("given up by {}:{}: {why}", word.principal.adapter, word.principal.subject);
        let shown = state.turns.get(turn).map(|turn| turn.shown.as_str()).unwrap_or_default();
        events.extend(interrupt(state, turn, &stopped, shown, facts));
        return Ok(events);
    }
    let Some(open) = target(state, turn, word.call)? else {
        return match word.verdict {
            ReconcileVerdict::Finished(_) => invalid(
                "no call of this turn is in doubt, so none can have a result: say that it is not done, or give it up"
                    .into(),
            ),
            _ => Ok(again(state, admission, &word.principal, why, facts)),
        };
    };
    let (verdict, outcome, effect, output) = match &word.verdict {
        ReconcileVerdict::Finished(output) if output.len() > RESULT_MAX => {
            let given = output.len();
            return invalid(format!("a result has at most {RESULT_MAX} bytes, this one {given}: shorten it"));
        }
        ReconcileVerdict::Finished(output) => {
            (ToolVerdict::Finished, ToolOutcome::Ok, EffectDisposition::Done, output.as_str())
        }
        _ => (ToolVerdict::NotDone, ToolOutcome::Error, EffectDisposition::None, NOT_DONE),
    };
    let mut events = vec![said(open, verdict, &word.principal, why), result(open, outcome, effect, output)];
    if unknown_calls(state, turn).count() == 1 {
        events.extend(go_on(state, admission, &word.principal, why, facts));
    }
    Ok(events)
}

/// The word that gives up what is unknown in a paused session: one event for each call in doubt, or one for the input.
/// Their results come with the end of the turn, in the same append. Empty if nothing is unknown.
pub fn given_up(state: &SessionState, by: &Principal, why: &str) -> Vec<Event> {
    let Some(paused) = state.admissions.unknown() else { return Vec::new() };
    let turn = paused.turn.unwrap_or_default();
    let events: Vec<_> = unknown_calls(state, turn).map(|open| said(open, ToolVerdict::GivenUp, by, why)).collect();
    if events.is_empty() {
        let (admission, verdict) = (paused.id, InputVerdict::GivenUp);
        return vec![InputReconciled { admission, verdict, by: by.clone(), why: why.to_owned() }.into()];
    }
    events
}

/// The policy's word and the stand-in result for a call whose outcome stays unknown.
pub(super) fn stand_in(open: &ToolUse) -> [Event; 2] {
    let by = host("policy");
    let why = "the policy is to go on: turn.recovery = \"resume\"";
    let unknown = EffectDisposition::Unknown;
    [said(open, ToolVerdict::Unknown, &by, why), result(open, ToolOutcome::Error, unknown, OUTCOME_UNKNOWN)]
}

/// What follows in the same append when nothing is unknown any more. A host that starts nothing puts the turn back into
/// the queue.
pub(super) fn go_on(
    state: &SessionState,
    admission: AdmissionId,
    by: &Principal,
    why: &str,
    facts: ClaimFacts<'_>,
) -> Vec<Event> {
    match facts.may_start {
        true => claim_next(state, admission, facts),
        false => again(state, admission, by, why, facts),
    }
}

/// The turn is tried again, and its attempts are counted anew.
fn again(state: &SessionState, admission: AdmissionId, by: &Principal, why: &str, facts: ClaimFacts<'_>) -> Vec<Event> {
    let (by, why, verdict) = (by.clone(), why.to_owned(), InputVerdict::Again);
    let mut events: Vec<Event> = vec![InputReconciled { admission, verdict, by, why }.into()];
    if facts.may_start {
        events.extend(claim_next(state, admission, facts));
    }
    events
}

/// Calls of a turn whose outcome nobody knows, in order.
pub(super) fn unknown_calls(state: &SessionState, turn: TurnId) -> impl Iterator<Item = &ToolUse> {
    state.tools.open(turn).filter(|open| matches!(open.state, CallState::Unknown { .. }))
}

/// The call that is meant; `None` if no call is in doubt.
fn target(state: &SessionState, turn: TurnId, named: Option<CallRef>) -> Result<Option<&ToolUse>, Refusal> {
    let mut unknown = unknown_calls(state, turn).filter(|open| named.is_none_or(|call| call == open.call));
    let first = unknown.next();
    match unknown.next() {
        Some(_) => invalid(format!("more than one call is unknown, say which one is meant: {}", listed(state))),
        None => Ok(first),
    }
}

/// What is unknown, in words.
fn listed(state: &SessionState) -> String {
    let row = |row: dispatch_projections::view::UnknownRow| match (row.index, row.message, row.tool) {
        (Some(index), Some(message), tool) => {
            format!("call {index} of version {message} (`{}`)", tool.unwrap_or_default())
        }
        _ => format!("the input {} ({})", row.admission, row.why),
    };
    let rows: Vec<_> = UnknownsView::of(state).unknowns.into_iter().map(row).collect();
    format!("unknown is {}", rows.join(", "))
}

fn said(open: &ToolUse, verdict: ToolVerdict, by: &Principal, why: &str) -> Event {
    let (turn, call) = (open.turn, open.call);
    ToolReconciled { turn, call, verdict, by: by.clone(), why: why.to_owned() }.into()
}

fn result(open: &ToolUse, outcome: ToolOutcome, effect: EffectDisposition, output: &str) -> Event {
    let ran = open.started_at.and_then(|began| Some(open.alive_at?.since_ms(began)));
    let (turn, call, duration_ms) = (open.turn, open.call, ran.unwrap_or_default());
    ToolFinished { turn, call, outcome, effect, output: output.to_owned(), duration_ms }.into()
}

fn checked(why: &str) -> Result<&str, Refusal> {
    let why = why.trim();
    if why.is_empty() {
        return invalid("say why: the decision stands in the log, with its reason".to_owned());
    }
    if why.chars().count() > WHY_MAX {
        return invalid(format!("a reason has at most {WHY_MAX} characters: shorten it"));
    }
    Ok(why)
}

fn invalid<T>(why: String) -> Result<T, Refusal> {
    Err(Refusal::Invalid(why))
}
