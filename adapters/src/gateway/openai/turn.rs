//! Follows one admission through the session's events and live text until it is settled. Pure: updates in, steps out.

use super::{
    super::problem::{Code, Problem},
    shown::Shown,
};
use dispatch_actors::{
    Receipt,
    handle::{TurnEnding, Update},
};
use dispatch_events::{
    AdmissionId, Event, Part, Position, Recorded, TurnId, Version,
    catalogue::{input::Outcome, message::Message, model::Usage},
};
use dispatch_projections::admissions::AdmissionState;

/// What an update means for the reader.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// Nothing.
    Nothing,
    /// This text leaves.
    Text(String),
    /// The turn is settled: durable point 3 has passed.
    Settled(Ending),
    /// No answer will come.
    Failed(Code, String),
}

/// How a turn ended that gave an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ending {
    /// Completed or interrupted.
    pub outcome: Outcome,
    /// Finish reason in the vendor's word.
    pub finish: Option<String>,
    /// Tokens of the turn's requests, where every one is known.
    pub usage: Option<Usage>,
    /// The turn.
    pub turn: Option<TurnId>,
    /// Position of the event that settled it.
    pub position: Position,
}

/// The follower.
#[derive(Debug)]
pub(super) struct Follower {
    admission: AdmissionId,
    /// Whether the input waits in the queue, where it can be stuck behind another one.
    waits: bool,
    /// The session's version when the receipt was given.
    as_of: Version,
    turn: Option<TurnId>,
    shown: Shown,
    finish: Option<String>,
    usage: Option<Usage>,
    /// The last attempt whose answer is whole. Its live text may still come, where the log was read first.
    answered: u32,
    calls: u32,
    failure: Option<(String, String)>,
}

impl Follower {
    /// Follows the admission of a receipt, from its `input.queued` on.
    pub fn of(receipt: &Receipt) -> Self {
        Self {
            admission: receipt.admission,
            waits: receipt.state == AdmissionState::Queued,
            as_of: if receipt.state == AdmissionState::Unknown { Version(0) } else { receipt.as_of },
            turn: receipt.turn,
            shown: Shown::default(),
            finish: None,
            usage: None,
            answered: 0,
            calls: 0,
            failure: None,
        }
    }

    /// The turn that carries the admission, once it is known.
    pub fn turn(&self) -> Option<TurnId> {
        self.turn
    }

    /// Takes one update.
    pub fn apply(&mut self, update: &Update) -> Step {
        match update {
            Update::Event(recorded) => self.event(recorded),
            Update::Delta { turn, attempt, at, text } if self.turn == Some(*turn) && *attempt > self.answered => {
                self.shown.delta(*attempt, *at, text).map_or(Step::Nothing, Step::Text)
            }
            Update::Broken { turn, code, message } if self.turn == Some(*turn) => {
                Step::Failed(Code::named(code), message.clone())
            }
            Update::Delta { .. } | Update::Broken { .. } => Step::Nothing,
        }
    }

    fn event(&mut self, recorded: &Recorded) -> Step {
        let Some(event) = recorded.event() else { return Step::Nothing };
        match event {
            Event::InputStarted(started) if started.admission == self.admission => {
                self.turn = Some(started.turn);
                self.waits = false;
            }
            Event::InputRequeued(requeued) if requeued.admission == self.admission => self.waits = true,
            // Its own outcome is unknown, or the queue stops before it and nobody knows for how long.
            // What was unknown before the receipt was given, and is not any more, is past.
            Event::InputUnknown(unknown)
                if recorded.version > self.as_of && (unknown.admission == self.admission || self.waits) =>
            {
                return Step::Failed(Code::UnknownExecution, unknown.why.clone());
            }
            Event::InputCancelled(cancelled) if cancelled.admission == self.admission => {
                return Step::Failed(Code::InvalidParams, "the input was withdrawn before its turn came".to_owned());
            }
            Event::InputSettled(settled) if settled.admission == self.admission => {
                return self.settled(settled.outcome, recorded.position);
            }
            Event::MessageRecorded(message) if self.turn == Some(message.turn) => {
                if let Message::Assistant { parts, .. } = &message.message {
                    return self.shown.recorded(&Part::joined(parts)).map_or(Step::Nothing, Step::Text);
                }
            }
            Event::ModelResponded(answer) if self.turn == Some(answer.turn) => {
                self.finish = Some(answer.finish.clone());
                self.usage = match (self.calls, self.usage, answer.usage) {
                    (0, _, usage) => usage,
                    (_, Some(before), Some(usage)) => Some(before.plus(usage)),
                    _ => None,
                };
                self.calls += 1;
                self.answered = answer.attempt;
            }
            Event::TurnFailed(failed) if self.turn == Some(failed.turn) => {
                self.failure = Some((failed.code.clone(), failed.message.clone()));
            }
            _ => {}
        }
        Step::Nothing
    }

    fn settled(&mut self, outcome: Outcome, position: Position) -> Step {
        let ending = Ending { outcome, finish: self.finish.take(), usage: self.usage, turn: self.turn, position };
        match checked(outcome, self.failure.take()) {
            Ok(()) => Step::Settled(ending),
            Err((code, message)) => Step::Failed(code, message),
        }
    }
}

/// Tells the outcomes that have an answer from those that have none. An interrupted turn has one: what was said before.
fn checked(outcome: Outcome, error: Option<(String, String)>) -> Result<(), (Code, String)> {
    match (outcome, error) {
        (Outcome::Completed | Outcome::Interrupted, _) => Ok(()),
        (_, Some((code, message))) => Err((Code::named(&code), message)),
        (Outcome::Rejected, None) => Err((
            Code::InvalidParams,
            "the input was refused when its turn came; the session's events say why".to_owned(),
        )),
        (Outcome::Cancelled, _) => {
            Err((Code::StaleGeneration, "the input was withdrawn before its turn came".to_owned()))
        }
        (Outcome::Failed, None) => Err((Code::ModelFailed, "the turn failed; the session's events say why".to_owned())),
    }
}

/// A whole answer.
pub(super) struct Answer {
    /// How its turn ended.
    pub ending: Ending,
    /// The clean text.
    pub text: String,
    /// The model that gave it, as it was asked; `None` when the turn ended before it asked one.
    pub model: Option<String>,
}

/// The answer of an ending that the host gives whole.
///
/// # Errors
/// [`Problem`], when there is none.
pub(super) fn answered(ending: TurnEnding) -> Result<Answer, Problem> {
    let TurnEnding { outcome, answer: text, error, finish, usage, model, turn, position, .. } = ending;
    checked(outcome, error).map_err(|(code, message)| Problem::new(code, message))?;
    Ok(Answer { ending: Ending { outcome, finish, usage, turn, position }, text, model })
}

#[cfg(test)]
mod tests;
