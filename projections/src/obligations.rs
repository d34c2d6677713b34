//! What is owed to the outside.

use dispatch_events::{
    Event, ObligationId, Recorded, Timestamp, TurnId, Version, catalogue::obligation::ObligationKind,
};
use serde::Serialize;
use std::collections::HashMap;

/// Where an obligation is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObligationState {
    /// It is owed.
    Open,
    /// It was done.
    Met,
    /// It will not be done.
    Abandoned(String),
}

/// One obligation.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Its id.
    pub id: ObligationId,
    /// What it is.
    pub kind: ObligationKind,
    /// Idempotency key for the far side.
    pub key: String,
    /// Turn that it comes from.
    pub turn: TurnId,
    /// Version of its `obligation.created`.
    pub version: Version,
    /// When it was created.
    pub created_at: Timestamp,
    /// Attempts with a verdict so far.
    pub attempts: u32,
    /// Not before this, after a failed attempt.
    pub due_at: Timestamp,
    /// Why the last attempt failed.
    pub failure: Option<String>,
    /// Where it is.
    pub state: ObligationState,
}

/// All obligations of a session.
#[derive(Clone, Debug, Default)]
pub struct Obligations {
    all: HashMap<ObligationId, Obligation>,
    order: Vec<ObligationId>,
    open: usize,
}

impl Obligations {
    /// An obligation by its id.
    pub fn get(&self, id: ObligationId) -> Option<&Obligation> {
        self.all.get(&id)
    }

    /// In the order in which they were created.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Obligation> {
        self.order.iter().filter_map(|id| self.all.get(id))
    }

    /// What is still owed, in order.
    pub fn open(&self) -> impl Iterator<Item = &Obligation> {
        let wanted = self.open;
        // They are met in order, so the open ones are the newest.
        let mut open: Vec<_> =
            self.iter().rev().filter(|obligation| obligation.state == ObligationState::Open).take(wanted).collect();
        open.reverse();
        open.into_iter()
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::ObligationCreated(event)) => {
                self.open += 1;
                self.order.push(event.obligation);
                let obligation = Obligation {
                    id: event.obligation,
                    kind: event.kind,
                    key: event.key.clone(),
                    turn: event.turn,
                    version: recorded.version,
                    created_at: recorded.recorded_at,
                    attempts: 0,
                    due_at: recorded.recorded_at,
                    failure: None,
                    state: ObligationState::Open,
                };
                self.all.insert(event.obligation, obligation);
            }
            Some(Event::ObligationFailed(event)) => self.update(event.obligation, |obligation| {
                obligation.attempts = event.attempts;
                obligation.failure = Some(event.why.clone());
                obligation.due_at = recorded.recorded_at.plus_ms(event.retry_after_ms);
            }),
            Some(Event::ObligationMet(event)) => self.close(event.obligation, event.attempts, ObligationState::Met),
            Some(Event::ObligationAbandoned(event)) => {
                let attempts = self.all.get(&event.obligation).map_or(0, |obligation| obligation.attempts);
                self.close(event.obligation, attempts, ObligationState::Abandoned(event.why.clone()));
            }
            _ => {}
        }
    }

    fn close(&mut self, id: ObligationId, attempts: u32, state: ObligationState) {
        let mut closed = false;
        self.update(id, |obligation| {
            closed = obligation.state == ObligationState::Open;
            obligation.attempts = attempts;
            obligation.state = state;
        });
        self.open -= usize::from(closed);
    }

    fn update(&mut self, id: ObligationId, change: impl FnOnce(&mut Obligation)) {
        if let Some(obligation) = self.all.get_mut(&id) {
            change(obligation);
        }
    }
}
