//! How an input ended: waited for, or read from the log.

use super::{HostHandle, Subscription, Update};
use crate::command::{Receipt, Refusal, SessionRef};
use dispatch_events::{
    AdmissionId, Event, Part, Position, StreamId, TurnId, Version,
    catalogue::{input::Outcome, message::Message, model::Usage},
};
use dispatch_projections::{
    SessionState, admissions::AdmissionState, calls::CallEnd, transcript::Said, turns::TurnEnd,
};
use serde::Serialize;

/// How an admission ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnEnding {
    /// How.
    pub outcome: Outcome,
    /// Clean text of the turn's last assistant message; empty if there is none.
    pub answer: String,
    /// Class and words of the error, if it failed.
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
    answer: String,
    error: Option<(String, String)>,
    finish: Option<String>,
    usage: Option<Usage>,
    answers: u32,
    model: Option<String>,
}

impl HostHandle {
    /// Waits until an input is finished.
    ///
    /// # Errors
    /// [`Refusal::Persistence`] when the turn could not be recorded any further.
    pub async fn wait(&self, receipt: &Receipt) -> Result<TurnEnding, Refusal> {
        self.wait_on(self.subscribe(receipt.session, receipt.version), receipt).await
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
                    if let Event::InputSettled(settled) = event
                        && settled.admission == receipt.admission
                    {
                        return Ok(seen.ending(settled.outcome, recorded.position, recorded.version));
                    }
                    if let Event::InputUnknown(unknown) = event {
                        let waits = receipt.state == AdmissionState::Queued && seen.turn.is_none();
                        // Its own outcome is unknown, or the queue stops before it.
                        if waits || unknown.admission == receipt.admission {
                            return Err(Refusal::Paused(unknown.why.clone()));
                        }
                    }
                    seen.event(receipt.admission, event);
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
        Ok(known.outcome.map(|outcome| ending(&state, known.turn, outcome)))
    }
}

impl Seen {
    fn event(&mut self, admission: AdmissionId, event: &Event) {
        match event {
            Event::InputStarted(started) if started.admission == admission => self.turn = Some(started.turn),
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

fn ending(state: &SessionState, turn: Option<TurnId>, outcome: Outcome) -> TurnEnding {
    let mut seen = Seen { turn, ..Seen::default() };
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
