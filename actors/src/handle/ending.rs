//! How an input ended: waited for, or read from the log.

use super::{HostHandle, Subscription, Update};
use crate::command::{Receipt, Refusal, SessionRef};
use dispatch_events::{
    AdmissionId, Event, Part, Position, StreamId, TurnId, Version,
    catalogue::{
        input::Outcome,
        message::Message,
        model::Usage,
        turn::{TurnCompleted, TurnFailed, TurnInterrupted},
    },
};
use dispatch_projections::{
    SessionState,
    admissions::{Admission, AdmissionState},
    calls::CallEnd,
    transcript::Said,
    turns::TurnEnd,
};
use serde::Serialize;

/// How an admission ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnEnding {
    /// How; of an input that was put into a running turn, how that turn ended.
    pub outcome: Outcome,
    /// Clean text of the turn's last assistant message; empty if there is none.
    pub answer: String,
    /// Class and words of the error, if it failed or was refused when its turn came.
    pub error: Option<(String, String)>,
    /// Finish reason of the last answer.
    pub finish: Option<String>,
    /// Tokens of all answers of the turn; `None` if one is unknown.
    pub usage: Option<Usage>,
    /// Model of the last request.
    pub model: Option<String>,
    /// The turn.
    pub turn: Option<TurnId>,
    /// Position of `input.settled`.
    pub position: Position,
    /// Version of `input.settled`.
    pub version: Version,
}

/// What a waiter has seen of a turn so far.
#[derive(Default)]
struct Seen {
    turn: Option<TurnId>,
    /// It was put into the turn, which is another input's.
    steered: bool,
    answer: String,
    error: Option<(String, String)>,
    finish: Option<String>,
    usage: Option<Usage>,
    answers: u32,
    model: Option<String>,
}

impl HostHandle {
    /// Waits until an input is finished; one that is put into a running turn, until that turn is.
    ///
    /// # Errors
    /// [`Refusal::Persistence`] when the turn could not be recorded any further, [`Refusal::Paused`] when it waits behind
    /// an outcome that nobody knows.
    pub async fn wait(&self, receipt: &Receipt) -> Result<TurnEnding, Refusal> {
        let updates = self.subscribe(receipt.session, receipt.version);
        if receipt.state == AdmissionState::Queued {
            self.not_behind_a_pause(receipt).await?;
        }
        self.wait_on(updates, receipt).await
    }

    /// As [`HostHandle::wait`], on a subscription that began at the input.
    ///
    /// # Errors
    /// As [`HostHandle::wait`].
    pub async fn wait_on(&self, mut updates: Subscription, receipt: &Receipt) -> Result<TurnEnding, Refusal> {
        let mut seen = Seen::default();
        while let Some(update) = updates.next().await {
            match update? {
                Update::Event(recorded) => {
                    let Some(event) = recorded.event() else { continue };
                    match seen.event(receipt, recorded.version, event) {
                        Mark::Nothing => {}
                        Mark::Settled(outcome) => {
                            return Ok(seen.ending(outcome, recorded.position, recorded.version));
                        }
                        Mark::TurnOver => {
                            // What the turn had said before the input was put into it is in the log alone.
                            if let Some(ending) = self.ending(receipt.session, receipt.admission).await? {
                                return Ok(ending);
                            }
                        }
                        Mark::Stuck(why) => return Err(Refusal::Paused(why)),
                    }
                }
                Update::Broken { turn, message, .. } if Some(turn) == seen.turn => {
                    return Err(Refusal::Persistence(message));
                }
                Update::Broken { .. } | Update::Delta { .. } => {}
            }
        }
        Err(Refusal::Draining)
    }

    /// How an input ended; `None` while it is not finished.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for an admission that is not the session's.
    pub async fn ending(&self, session: StreamId, admission: AdmissionId) -> Result<Option<TurnEnding>, Refusal> {
        let state = self.state(&SessionRef::Id(session), None).await?;
        let known = state.admissions.get(admission).ok_or_else(|| Refusal::NotFound(admission.to_string()))?;
        Ok(outcome(&state, known).map(|outcome| ending(&state, known, outcome)))
    }

    /// Who waits behind an outcome that nobody knows may wait for days.
    async fn not_behind_a_pause(&self, receipt: &Receipt) -> Result<(), Refusal> {
        let state = self.state(&SessionRef::Id(receipt.session), None).await?;
        let waits = state.admissions.get(receipt.admission).is_some_and(|known| known.state == AdmissionState::Queued);
        match state.admissions.unknown().filter(|_| waits) {
            Some(paused) => Err(Refusal::Paused(paused.unknown.clone().unwrap_or_default())),
            None => Ok(()),
        }
    }
}

/// What an event means for who waits.
enum Mark {
    Nothing,
    /// The input is finished.
    Settled(Outcome),
    /// The turn is over into which the input was put.
    TurnOver,
    /// Nobody knows how it goes on.
    Stuck(String),
}

impl Seen {
    fn event(&mut self, receipt: &Receipt, version: Version, event: &Event) -> Mark {
        let admission = receipt.admission;
        match event {
            Event::InputStarted(started) if started.admission == admission => self.turn = Some(started.turn),
            Event::TurnSteered(steered) if steered.admission == admission => {
                self.turn = Some(steered.turn);
                self.steered = true;
            }
            Event::TurnCompleted(TurnCompleted { turn })
            | Event::TurnInterrupted(TurnInterrupted { turn, .. })
            | Event::TurnFailed(TurnFailed { turn, .. })
                if self.steered && Some(*turn) == self.turn =>
            {
                return Mark::TurnOver;
            }
            // Its message was delivered; the answer comes with the end of the turn.
            Event::InputSettled(settled) if settled.admission == admission && self.steered => {}
            Event::InputSettled(settled) if settled.admission == admission => {
                self.error = self.error.take().or(refused(settled.outcome, settled.why.clone()));
                return Mark::Settled(settled.outcome);
            }
            Event::InputCancelled(cancelled) if cancelled.admission == admission => {
                return Mark::Settled(Outcome::Cancelled);
            }
            // One that was settled before the receipt was given is past.
            Event::InputUnknown(unknown) if version > receipt.as_of || receipt.state == AdmissionState::Unknown => {
                let waits = receipt.state == AdmissionState::Queued && self.turn.is_none();
                // Its own outcome is unknown, or that of the turn that has it, or the queue stops before it.
                if waits || self.steered || unknown.admission == admission {
                    return Mark::Stuck(unknown.why.clone());
                }
            }
            Event::MessageRecorded(message) if Some(message.turn) == self.turn => {
                if let Message::Assistant { parts, .. } = &message.message {
                    self.answer = Part::joined(parts);
                }
            }
            Event::ModelRequested(requested) if Some(requested.turn) == self.turn => {
                self.model = Some(requested.model.clone());
            }
            Event::ModelResponded(responded) if Some(responded.turn) == self.turn => {
                self.responded(&responded.finish, responded.usage);
            }
            Event::TurnFailed(failed) if Some(failed.turn) == self.turn => {
                self.error = Some((failed.code.clone(), failed.message.clone()));
            }
            _ => {}
        }
        Mark::Nothing
    }

    fn responded(&mut self, finish: &str, usage: Option<Usage>) {
        self.finish = Some(finish.to_owned());
        self.answers += 1;
        self.usage = match (self.answers, self.usage, usage) {
            (1, _, usage) => usage,
            (_, Some(before), Some(usage)) => Some(before.plus(usage)),
            _ => None,
        };
    }

    fn ending(self, outcome: Outcome, position: Position, version: Version) -> TurnEnding {
        TurnEnding {
            outcome,
            answer: self.answer,
            error: self.error,
            finish: self.finish,
            usage: self.usage,
            model: self.model,
            turn: self.turn,
            position,
            version,
        }
    }
}

/// Why an input was refused when its turn came.
fn refused(outcome: Outcome, why: Option<String>) -> Option<(String, String)> {
    why.filter(|_| outcome == Outcome::Rejected).map(|why| ("permission_denied".to_owned(), why))
}

/// How an input ended, if it did: of one that was put into another input's turn, how that turn ended.
fn outcome(state: &SessionState, known: &Admission) -> Option<Outcome> {
    let outcome = known.outcome?;
    let turn = known.turn.and_then(|turn| state.turns.get(turn)).filter(|turn| turn.admission != known.id);
    match turn.map(|turn| &turn.end) {
        None => Some(outcome),
        Some(None) => None,
        Some(Some(TurnEnd::Completed)) => Some(Outcome::Completed),
        Some(Some(TurnEnd::Interrupted(_))) => Some(Outcome::Interrupted),
        Some(Some(TurnEnd::Failed { .. })) => Some(Outcome::Failed),
    }
}

fn ending(state: &SessionState, admission: &Admission, outcome: Outcome) -> TurnEnding {
    let turn = admission.turn;
    let error = refused(outcome, admission.why.clone());
    let mut seen = Seen { turn, error, ..Seen::default() };
    let known = turn.and_then(|turn| state.turns.get(turn));
    // A history that the caller gave belongs to the first turn too, and stands before its user message.
    let said = known.and_then(|turn| turn.user_message);
    for entry in state.transcript.entries().iter().filter(|entry| Some(entry.turn) == turn) {
        if let Said::Assistant { content, .. } = &entry.said
            && said.is_some_and(|said| entry.version > said)
        {
            seen.answer = content.to_string();
        }
    }
    for request in state.calls.requests().iter().filter(|request| Some(request.turn) == turn) {
        seen.model = Some(request.model.clone());
        if let Some(CallEnd::Responded { finish, usage, .. }) = &request.end {
            seen.responded(finish, *usage);
        }
    }
    if let Some(TurnEnd::Failed { code, message }) = known.and_then(|turn| turn.end.clone()) {
        seen.error = Some((code, message));
    }
    seen.ending(outcome, state.position, state.version)
}
