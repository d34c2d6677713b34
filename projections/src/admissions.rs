//! What was submitted, in which order, and what became of it.

use crate::rows::{Keyed, Rows};
use dispatch_events::{
    AdmissionId, Digest, Event, Generation, Part, Position, PrincipalId, Recorded, Timestamp, TurnId, Version,
    catalogue::input::{InputQueued, InputVerdict, Intent, Outcome, Principal},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

#[cfg(test)]
mod tests;

/// Where an admission is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdmissionState {
    /// It waits for its turn.
    Queued,
    /// A turn carries it.
    Started,
    /// Nobody can say what it did; the session is paused.
    Unknown,
    /// It is finished.
    Terminal,
}

/// One submitted input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Admission {
    /// Its id.
    pub id: AdmissionId,
    /// The caller's idempotency key.
    pub request: String,
    /// Who submitted it.
    pub principal: Principal,
    /// The same, opaque.
    pub principal_id: PrincipalId,
    /// Digest of what was asked.
    pub digest: Digest,
    /// What it wants of a running turn.
    pub intent: Intent,
    /// What was asked for, where the host made another intent of it.
    pub demoted: Option<Intent>,
    /// The platform's id of the message.
    pub message: Option<String>,
    /// Place in the queue.
    pub seq: u64,
    /// What was said.
    pub parts: Arc<[Part]>,
    /// Where it is.
    pub state: AdmissionState,
    /// The turn that carries it, or into which it was put.
    pub turn: Option<TurnId>,
    /// The attempt that carries it.
    pub generation: Option<Generation>,
    /// How often it went back to the queue.
    pub requeues: u32,
    /// How it ended; `None` before the end.
    pub outcome: Option<Outcome>,
    /// Why it ended so, where no other event says it.
    pub why: Option<String>,
    /// Why it is unknown, or was when it ended.
    pub unknown: Option<String>,
    /// Version of its `input.queued`.
    pub version: Version,
    /// Position of its `input.queued`.
    pub position: Position,
    /// When it was queued; for people.
    pub queued_at: Timestamp,
}

impl Keyed for Admission {
    type Key = AdmissionId;

    fn key(&self) -> AdmissionId {
        self.id
    }
}

impl Admission {
    /// Its place among those that wait, the lowest first: one whose turn began already, then one that stopped a turn to be
    /// the next, then one that was meant for a turn that has ended, then the others; each kind in the order in which it
    /// came.
    pub fn order(&self) -> (u8, u64) {
        (order(self.turn.is_some(), self.intent), self.seq)
    }
}

/// The kind of an input that waits: of two kinds the lower is claimed first.
pub fn order(began: bool, intent: Intent) -> u8 {
    match (began, intent) {
        (true, _) => 0,
        (false, Intent::Redirect) => 1,
        (false, Intent::Steer) => 2,
        (false, Intent::Queue) => 3,
    }
}

/// All admissions of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct Admissions {
    all: Rows<Admission>,
    #[serde(skip_serializing)]
    by_request: HashMap<(Principal, String), AdmissionId>,
    /// By adapter and the platform's id of the message.
    #[serde(skip_serializing)]
    by_message: HashMap<(String, String), AdmissionId>,
    pending: BTreeMap<u64, AdmissionId>,
    last_seq: u64,
}

/// What a snapshot holds of them; the rest follows.
#[derive(Deserialize)]
struct Kept {
    all: Rows<Admission>,
    pending: BTreeMap<u64, AdmissionId>,
    last_seq: u64,
}

impl From<Kept> for Admissions {
    fn from(Kept { all, pending, last_seq }: Kept) -> Self {
        let rows = all.as_slice().iter();
        let by_request = rows.clone().map(|one| ((one.principal.clone(), one.request.clone()), one.id)).collect();
        let by_message =
            rows.filter_map(|one| Some(((one.principal.adapter.clone(), one.message.clone()?), one.id))).collect();
        Self { all, by_request, by_message, pending, last_seq }
    }
}

impl Admissions {
    /// An admission by its id.
    pub fn get(&self, id: AdmissionId) -> Option<&Admission> {
        self.all.get(id)
    }

    /// The admission that a caller's idempotency key made.
    pub fn by_request(&self, principal: &Principal, request: &str) -> Option<&Admission> {
        self.by_request.get(&(principal.clone(), request.to_owned())).and_then(|id| self.all.get(*id))
    }

    /// The admission that a platform's message made. Platforms number their messages each for itself, so a message is
    /// that of its adapter.
    pub fn by_message(&self, adapter: &str, message: &str) -> Option<&Admission> {
        self.by_message.get(&(adapter.to_owned(), message.to_owned())).and_then(|id| self.all.get(*id))
    }

    /// Every one, in the order in which they came.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Admission> {
        self.all.as_slice().iter()
    }

    /// What is not finished, in order.
    pub fn pending(&self) -> impl Iterator<Item = &Admission> {
        self.pending.values().filter_map(|id| self.all.get(*id))
    }

    /// How many are not finished.
    pub fn pending_len(&self) -> usize {
        self.pending.len()
    }

    /// The one that a turn carries.
    pub fn started(&self) -> Option<&Admission> {
        self.pending().find(|admission| admission.state == AdmissionState::Started)
    }

    /// The one that pauses the session.
    pub fn unknown(&self) -> Option<&Admission> {
        self.pending().find(|admission| admission.state == AdmissionState::Unknown)
    }

    /// What waits in the queue, in the order in which it came.
    pub fn waiting(&self) -> impl Iterator<Item = &Admission> {
        self.pending().filter(|admission| admission.state == AdmissionState::Queued)
    }

    /// How many wait in the queue; the one that runs does not.
    pub fn waiting_len(&self) -> usize {
        self.waiting().count()
    }

    /// The next to claim, if nothing runs and nothing is unknown.
    pub fn next(&self) -> Option<&Admission> {
        if self.started().is_some() || self.unknown().is_some() {
            return None;
        }
        self.waiting().min_by_key(|admission| admission.order())
    }

    /// Number of the next input.
    pub fn next_seq(&self) -> u64 {
        self.last_seq + 1
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::InputQueued(event)) => self.queued(recorded, event),
            Some(Event::InputStarted(event)) => self.update(event.admission, |admission| {
                admission.state = AdmissionState::Started;
                admission.turn = Some(event.turn);
                admission.generation = Some(event.generation);
                admission.unknown = None;
            }),
            Some(Event::InputRequeued(event)) => self.update(event.admission, |admission| {
                admission.state = AdmissionState::Queued;
                admission.requeues = event.times;
                admission.unknown = None;
            }),
            Some(Event::InputUnknown(event)) => self.update(event.admission, |admission| {
                admission.state = AdmissionState::Unknown;
                admission.unknown = Some(event.why.clone());
            }),
            // Given up, it stays unknown until it is settled, in the same append.
            Some(Event::InputReconciled(event)) if event.verdict == InputVerdict::Again => {
                self.update(event.admission, |admission| {
                    admission.state = AdmissionState::Queued;
                    admission.requeues = 0;
                    admission.unknown = None;
                });
            }
            Some(Event::TurnSteered(event)) => {
                self.update(event.admission, |admission| admission.turn = Some(event.turn));
            }
            Some(Event::InputCancelled(event)) => self.finish(event.admission, Outcome::Cancelled, None),
            Some(Event::InputSettled(event)) => self.finish(event.admission, event.outcome, event.why.clone()),
            _ => {}
        }
    }

    fn queued(&mut self, recorded: &Recorded, event: &InputQueued) {
        self.last_seq = self.last_seq.max(event.seq);
        self.pending.insert(event.seq, event.admission);
        self.by_request.insert((event.principal.clone(), event.request.clone()), event.admission);
        if let Some(message) = &event.message {
            self.by_message.insert((event.principal.adapter.clone(), message.clone()), event.admission);
        }
        let admission = Admission {
            id: event.admission,
            request: event.request.clone(),
            principal: event.principal.clone(),
            principal_id: recorded.principal,
            digest: event.digest,
            intent: event.intent,
            demoted: event.demoted,
            message: event.message.clone(),
            seq: event.seq,
            parts: event.parts.clone().into(),
            state: AdmissionState::Queued,
            turn: None,
            generation: None,
            requeues: 0,
            outcome: None,
            why: None,
            unknown: None,
            version: recorded.version,
            position: recorded.position,
            queued_at: recorded.recorded_at,
        };
        self.all.insert(admission);
    }

    fn update(&mut self, id: AdmissionId, change: impl FnOnce(&mut Admission)) {
        if let Some(admission) = self.all.get_mut(id) {
            change(admission);
        }
    }

    fn finish(&mut self, id: AdmissionId, outcome: Outcome, why: Option<String>) {
        if let Some(admission) = self.all.get_mut(id) {
            admission.state = AdmissionState::Terminal;
            admission.outcome = Some(outcome);
            admission.why = why;
            self.pending.remove(&admission.seq);
        }
    }
}
