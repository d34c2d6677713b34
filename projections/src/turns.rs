//! Turns and how they ended.

use crate::rows::{Keyed, Rows};
use dispatch_events::{AdmissionId, Event, Recorded, Timestamp, TurnId, Version, catalogue::message::Message};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// With an answer.
    Completed,
    /// Somebody stopped it.
    Interrupted(String),
    /// With an error.
    Failed {
        /// Class of the error.
        code: String,
        /// Cause and next step.
        message: String,
    },
}

/// One turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// The admission that it carries.
    pub admission: AdmissionId,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub end: Option<TurnEnd>,
    /// Version of its user message, once that is recorded.
    pub user_message: Option<Version>,
    /// Requests to the model so far.
    pub attempts: u32,
    /// Failed requests since the last answer.
    pub failures: u32,
    /// Answers so far.
    pub answers: u32,
    /// The request that has no answer yet.
    pub in_flight: Option<u32>,
    /// Text that was shown of the answer in flight.
    pub shown: String,
    /// The recalled block, once there is one and until the turn ends: the user message is recorded by then, and the block
    /// stands in the memory timeline.
    pub recalled: Option<String>,
    /// Whether recall was tried, with or without result.
    pub recall_done: bool,
}

impl Keyed for Turn {
    type Key = TurnId;

    fn key(&self) -> TurnId {
        self.id
    }
}

/// All turns of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Turns(Rows<Turn>);

impl Turns {
    /// A turn by its id.
    pub fn get(&self, id: TurnId) -> Option<&Turn> {
        self.0.get(id)
    }

    /// In the order in which they began.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Turn> {
        self.0.as_slice().iter()
    }

    /// How many there were.
    pub fn len(&self) -> usize {
        self.0.as_slice().len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::TurnStarted(event)) => self.started(recorded, event.turn, event.admission),
            Some(Event::TurnCompleted(event)) => self.end(recorded, event.turn, TurnEnd::Completed),
            Some(Event::TurnInterrupted(event)) => {
                self.end(recorded, event.turn, TurnEnd::Interrupted(event.why.clone()));
            }
            Some(Event::TurnFailed(event)) => {
                let end = TurnEnd::Failed { code: event.code.clone(), message: event.message.clone() };
                self.end(recorded, event.turn, end);
            }
            Some(Event::MessageRecorded(event)) => self.update(event.turn, |turn| {
                // A steer is another admission's message in the same turn.
                if matches!(event.message, Message::User { admission } if admission == turn.admission) {
                    turn.user_message = Some(recorded.version);
                }
            }),
            Some(Event::MemoryRecalled(event)) => self.update(event.turn, |turn| {
                turn.recalled = Some(event.block.clone());
                turn.recall_done = true;
            }),
            Some(Event::MemoryRecallSkipped(event)) => self.update(event.turn, |turn| turn.recall_done = true),
            _ => self.model(recorded),
        }
    }

    fn model(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::ModelRequested(event)) => self.update(event.turn, |turn| {
                turn.attempts = event.attempt;
                turn.in_flight = Some(event.attempt);
                turn.shown.clear();
            }),
            Some(Event::ModelStreamed(event)) => self.update(event.turn, |turn| {
                // Nobody waits for these, so one may come after its answer; then the text stands in the message.
                if turn.in_flight == Some(event.attempt) {
                    turn.shown.push_str(&event.text);
                }
            }),
            Some(Event::ModelFailed(event)) => self.update(event.turn, |turn| {
                turn.in_flight = None;
                turn.failures += 1;
            }),
            Some(Event::ModelResponded(event)) => self.update(event.turn, |turn| {
                turn.in_flight = None;
                turn.failures = 0;
                turn.answers += 1;
                turn.shown.clear();
            }),
            _ => {}
        }
    }

    fn started(&mut self, recorded: &Recorded, id: TurnId, admission: AdmissionId) {
        if self.0.place(id).is_some() {
            return;
        }
        self.0.insert(Turn {
            id,
            admission,
            started_at: recorded.recorded_at,
            ended_at: None,
            end: None,
            user_message: None,
            attempts: 0,
            failures: 0,
            answers: 0,
            in_flight: None,
            shown: String::new(),
            recalled: None,
            recall_done: false,
        });
    }

    fn end(&mut self, recorded: &Recorded, id: TurnId, end: TurnEnd) {
        self.update(id, |turn| {
            turn.ended_at = Some(recorded.recorded_at);
            turn.end = Some(end);
            turn.in_flight = None;
            turn.shown = String::new();
            turn.recalled = None;
        });
    }

    fn update(&mut self, id: TurnId, change: impl FnOnce(&mut Turn)) {
        if let Some(turn) = self.0.get_mut(id) {
            change(turn);
        }
    }
}
