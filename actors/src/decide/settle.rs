//! How does an admission end, and who is next?

use dispatch_events::{
    AdmissionId, Epoch, Event, Generation, TurnId,
    catalogue::{
        input::{InputSettled, InputStarted, Outcome},
        lease::{LeaseAcquired, LeaseReleased},
        turn::TurnStarted,
    },
};
use dispatch_projections::{SessionState, admissions::AdmissionState};

/// The facts of the host that a claim needs.
#[derive(Clone, Copy, Debug)]
pub struct ClaimFacts {
    /// Host run that would hold the lease.
    pub epoch: Epoch,
    /// Life of the lease in milliseconds.
    pub lease_ttl_ms: u64,
    /// Id of the next turn, if a new one starts.
    pub next_turn: TurnId,
    /// Whether the next input may start; a host that shuts down leaves it queued.
    pub may_start: bool,
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
pub fn settle(state: &SessionState, outcome: Outcome, facts: ClaimFacts) -> Vec<Event> {
    let Some(running) = state.admissions.started().or_else(|| state.admissions.unknown()) else { return Vec::new() };
    let generation = running.generation.unwrap_or_default();
    let mut events: Vec<Event> = vec![InputSettled { admission: running.id, outcome, why: None }.into()];
    if state.lease.held.is_some() {
        events.push(LeaseReleased { generation }.into());
    }
    let next = state.admissions.pending().find(|admission| admission.id != running.id);
    if let Some(next) = next.filter(|next| facts.may_start && next.state == AdmissionState::Queued) {
        events.extend(claim_next(state, next.id, facts));
    }
    events
}

/// Claims a waiting admission.
pub fn claim_next(state: &SessionState, admission: AdmissionId, facts: ClaimFacts) -> Vec<Event> {
    let had = state.admissions.get(admission).and_then(|admission| admission.turn);
    let generation = state.lease.generation.next();
    let turn = had.unwrap_or(facts.next_turn);
    claim(admission, turn, had.is_none(), generation, facts.epoch, facts.lease_ttl_ms)
}
