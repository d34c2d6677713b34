//! What is owed to the outside.

use crate::rows::{Keyed, Rows};
use dispatch_events::{
    Epoch, Event, ObligationId, Position, Recorded, Timestamp, TurnId, Version,
    catalogue::obligation::{ObligationCreated, ObligationKind},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[cfg(test)]
mod tests;

/// Where an obligation is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// Position of its `obligation.created`.
    pub position: Position,
    /// Host run that took it on.
    pub epoch: Epoch,
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

impl Keyed for Obligation {
    type Key = ObligationId;

    fn key(&self) -> ObligationId {
        self.id
    }
}

/// All obligations of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Obligations {
    all: Rows<Obligation>,
    /// Places in `all` of what is still owed, in whatever order the rest was closed.
    open: BTreeSet<usize>,
}

impl Obligations {
    /// An obligation by its id.
    pub fn get(&self, id: ObligationId) -> Option<&Obligation> {
        self.all.get(id)
    }

    /// In the order in which they were created.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Obligation> {
        self.all.as_slice().iter()
    }

    /// What is still owed, in order.
    pub fn open(&self) -> impl Iterator<Item = &Obligation> {
        self.open.iter().filter_map(|place| self.all.as_slice().get(*place))
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::ObligationCreated(event)) => self.created(recorded, event),
            Some(Event::ObligationFailed(event)) => self.update(event.obligation, |obligation| {
                obligation.attempts = event.attempts;
                obligation.failure = Some(event.why.clone());
                obligation.due_at = recorded.recorded_at.plus_ms(event.retry_after_ms);
            }),
            Some(Event::ObligationMet(event)) => self.update(event.obligation, |obligation| {
                obligation.attempts = event.attempts;
                obligation.state = ObligationState::Met;
            }),
            Some(Event::ObligationAbandoned(event)) => self.update(event.obligation, |obligation| {
                obligation.state = ObligationState::Abandoned(event.why.clone());
            }),
            _ => {}
        }
    }

    fn created(&mut self, recorded: &Recorded, event: &ObligationCreated) {
        if self.all.place(event.obligation).is_some() {
            return;
        }
        let place = self.all.insert(Obligation {
            id: event.obligation,
            kind: event.kind,
            key: event.key.clone(),
            turn: event.turn,
            version: recorded.version,
            position: recorded.position,
            epoch: recorded.epoch,
            created_at: recorded.recorded_at,
            attempts: 0,
            due_at: recorded.recorded_at,
            failure: None,
            state: ObligationState::Open,
        });
        self.open.insert(place);
    }

    /// Changes what is still owed; what was met or abandoned stays so.
    fn update(&mut self, id: ObligationId, change: impl FnOnce(&mut Obligation)) {
        let Some(place) = self.all.place(id).filter(|place| self.open.contains(place)) else { return };
        if let Some(obligation) = self.all.get_mut(id) {
            change(obligation);
            if obligation.state != ObligationState::Open {
                self.open.remove(&place);
            }
        }
    }
}
