//! What follows after a crash: the table of design §8.

use super::{
    reconcile::{stand_in, unknown_calls},
    settle::{Besides, ClaimFacts, claim_first, claim_next},
};
use crate::settings::Recovery;
use dispatch_events::{
    Epoch, Event,
    catalogue::{
        input::{InputRequeued, InputUnknown},
        lease::LeaseLost,
        obligation::ObligationAbandoned,
        tool::{EffectClass, ToolUnknown},
    },
};
use dispatch_projections::{SessionState, tools::CallState};

/// How often a turn is started again before the session pauses.
pub const REQUEUES_MAX: u32 = 3;

/// In mode `best_effort`, what an earlier host run left owed is abandoned, by name.
pub fn abandon(state: &SessionState, epoch: Epoch) -> Vec<Event> {
    let left = state.obligations.open().filter(|owed| owed.epoch < epoch);
    left.map(|owed| {
        let why = "left by an earlier run of the host, in mode best_effort".to_owned();
        ObligationAbandoned { obligation: owed.id, why }.into()
    })
    .collect()
}

/// What follows when a session is found whose turn nobody carries. Empty if there is nothing to recover.
///
/// | the log's last word | what follows |
/// |---|---|
/// | queued, not started | it is claimed |
/// | started, nothing that can't be repeated begun | the same turn again, at most [`REQUEUES_MAX`] times |
/// | a tool had started that can't be repeated | its outcome is unknown, the session pauses |
/// | the same, with the policy to go on | the model is told that the outcome is unknown, the same turn again |
pub fn recover(state: &SessionState, why: &str, policy: Recovery, facts: ClaimFacts<'_>) -> Vec<Event> {
    if state.admissions.unknown().is_some() {
        return paused(state, policy, facts);
    }
    let Some(started) = state.admissions.started() else {
        return claim_first(state, Besides::Nobody, facts);
    };
    let (admission, turn) = (started.id, started.turn.unwrap_or_default());
    let generation = started.generation.unwrap_or_default();
    let mut events: Vec<Event> = vec![LeaseLost { generation, why: why.to_owned() }.into()];
    let cut_off = "the host stopped while the tool ran, and it can't be repeated";
    let refused = facts.may_start && facts.policy.may_run(&started.principal).is_err();
    let mut pauses = false;
    for open in state.tools.open(turn) {
        let begun = matches!(open.state, CallState::Started { class: EffectClass::Effect });
        if begun {
            events.push(ToolUnknown { turn, call: open.call, why: cut_off.to_owned() }.into());
        }
        if begun || matches!(open.state, CallState::Unknown { .. }) {
            match policy {
                Recovery::Pause => pauses = true,
                // The end of the turn gives it its result.
                Recovery::Resume if refused => {}
                Recovery::Resume => events.extend(stand_in(open)),
            }
        }
    }
    if pauses {
        events.push(InputUnknown { admission, why: cut_off.to_owned() }.into());
        return events;
    }
    if started.requeues >= REQUEUES_MAX {
        let why = format!("the turn was started {} times and never ended", started.requeues + 1);
        events.push(InputUnknown { admission, why }.into());
        return events;
    }
    events.push(InputRequeued { admission, why: why.to_owned(), times: started.requeues + 1 }.into());
    events.extend(claim_first(state, Besides::Again(admission), facts));
    events
}

/// A session that paused over a call goes on when the policy has become to go on. One that paused because its turn never
/// ended waits for a person.
fn paused(state: &SessionState, policy: Recovery, facts: ClaimFacts<'_>) -> Vec<Event> {
    let Some(paused) = state.admissions.unknown().filter(|_| policy == Recovery::Resume && facts.may_start) else {
        return Vec::new();
    };
    let mut events: Vec<Event> = unknown_calls(state, paused.turn.unwrap_or_default()).flat_map(stand_in).collect();
    if !events.is_empty() {
        events.extend(claim_next(state, paused.id, facts));
    }
    events
}
