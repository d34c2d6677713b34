//! How does an admission end, and who is next?

use super::interrupt::stopped;
use crate::ports::Policy;
use dispatch_events::{
    AdmissionId, Epoch, Event, Generation, TurnId,
    catalogue::{
        input::{InputQueued, InputSettled, InputStarted, Outcome, Principal},
        lease::{LeaseAcquired, LeaseReleased},
        turn::TurnStarted,
    },
};
use dispatch_projections::{SessionState, admissions::order};

/// The facts of the host that a claim needs.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFacts<'a> {
    /// Host run that would hold the lease.
    pub epoch: Epoch,
    /// Life of the lease in milliseconds.
    pub lease_ttl_ms: u64,
    /// Id of the next turn, if a new one starts.
    pub next_turn: TurnId,
    /// Whether the next input may start; a host that shuts down leaves it queued.
    pub may_start: bool,
    /// Who may have a turn.
    pub policy: &'a dyn Policy,
}

/// Who is in line besides what the state says.
#[derive(Clone, Copy, Debug)]
pub enum Besides<'a> {
    /// Nobody.
    Nobody,
    /// This one went back to the queue, in the same append.
    Again(AdmissionId),
    /// This one came, in the same append.
    New(&'a InputQueued),
}

/// An admission is claimed by a turn: a new one, or after a crash the one that it had.
pub fn claim(
    admission: AdmissionId,
    turn: TurnId,
    new: bool,
    generation: Generation,
    holder: Epoch,
    ttl_ms: u64,
) -> Vec<Event> {
    let mut events: Vec<Event> =
        vec![InputStarted { admission, turn, generation }.into(), LeaseAcquired { holder, generation, ttl_ms }.into()];
    if new {
        events.push(TurnStarted { turn, admission }.into());
    }
    events
}

/// The running admission ends, and the next one starts in the same append.
pub fn settle(state: &SessionState, outcome: Outcome, facts: ClaimFacts<'_>) -> Vec<Event> {
    settle_besides(state, outcome, Besides::Nobody, facts)
}

/// As [`settle`], with somebody else in line.
pub fn settle_besides(
    state: &SessionState,
    outcome: Outcome,
    besides: Besides<'_>,
    facts: ClaimFacts<'_>,
) -> Vec<Event> {
    let Some(running) = state.admissions.started().or_else(|| state.admissions.unknown()) else { return Vec::new() };
    let generation = running.generation.unwrap_or_default();
    let mut events: Vec<Event> = vec![InputSettled { admission: running.id, outcome, why: None }.into()];
    if state.lease.held.is_some() {
        events.push(LeaseReleased { generation }.into());
    }
    events.extend(claim_first(state, besides, facts));
    events
}

/// Claims the first of those who wait whom the policy lets run; those before it are refused by name. The state's own
/// running admission is taken for ended.
pub fn claim_first(state: &SessionState, besides: Besides<'_>, facts: ClaimFacts<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    if !facts.may_start {
        return events;
    }
    for next in line(state, besides) {
        let Err(why) = facts.policy.may_run(next.principal) else {
            let generation = state.lease.generation.next();
            let turn = next.turn.unwrap_or(facts.next_turn);
            events.extend(claim(
                next.admission,
                turn,
                next.turn.is_none(),
                generation,
                facts.epoch,
                facts.lease_ttl_ms,
            ));
            return events;
        };
        // What its turn had begun before it went back to the queue is ended as by a stop.
        if let Some(turn) = next.turn {
            let shown = state.turns.get(turn).map(|turn| turn.shown.as_str()).unwrap_or_default();
            events.extend(stopped(state, turn, &why, shown));
        }
        let (admission, outcome) = (next.admission, Outcome::Rejected);
        events.push(InputSettled { admission, outcome, why: Some(why) }.into());
    }
    events
}

/// The turn of an admission that somebody let go on: the same turn, another attempt. No policy is asked.
pub fn claim_next(state: &SessionState, admission: AdmissionId, facts: ClaimFacts<'_>) -> Vec<Event> {
    let had = state.admissions.get(admission).and_then(|admission| admission.turn);
    let turn = had.unwrap_or(facts.next_turn);
    claim(admission, turn, had.is_none(), state.lease.generation.next(), facts.epoch, facts.lease_ttl_ms)
}

/// One who waits.
struct InLine<'a> {
    order: (u8, u64),
    admission: AdmissionId,
    principal: &'a Principal,
    turn: Option<TurnId>,
}

fn line<'a>(state: &'a SessionState, besides: Besides<'a>) -> Vec<InLine<'a>> {
    let again = match besides {
        Besides::Again(admission) => state.admissions.get(admission),
        _ => None,
    };
    let mut line: Vec<_> = state
        .admissions
        .waiting()
        .chain(again)
        .map(|waiting| InLine {
            order: waiting.order(),
            admission: waiting.id,
            principal: &waiting.principal,
            turn: waiting.turn,
        })
        .collect();
    if let Besides::New(new) = besides {
        line.push(InLine {
            order: (order(false, new.intent), new.seq),
            admission: new.admission,
            principal: &new.principal,
            turn: None,
        });
    }
    line.sort_by_key(|waiting| waiting.order);
    line
}
