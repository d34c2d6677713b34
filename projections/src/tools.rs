//! Tool calls and their one result.

use dispatch_events::{
    Digest, Event, Recorded, Timestamp, TurnId,
    catalogue::tool::{ApprovalScope, CallRef, EffectClass, EffectDisposition, ToolApprovalGiven, ToolOutcome},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

/// How many characters of a running tool's output are kept: its end, which tells most.
pub const OUTPUT_KEPT: usize = 2_000;

/// Where a call is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Asked for; it has not run.
    Requested,
    /// A person is asked whether it may run.
    Asked {
        /// Digest of what is shown; a consent names it.
        digest: Digest,
        /// Why it is asked.
        why: String,
    },
    /// It may run, and has not.
    Approved,
    /// It must not run; its result says so in the same append.
    Denied {
        /// Why.
        why: String,
    },
    /// Its body may have run.
    Started {
        /// What a repeat would do.
        #[serde(serialize_with = "crate::view::words::snake")]
        class: EffectClass,
    },
    /// It has its result.
    Finished {
        /// How it ended.
        #[serde(serialize_with = "crate::view::words::snake")]
        outcome: ToolOutcome,
        /// Whether something outside may have changed.
        #[serde(serialize_with = "crate::view::words::snake")]
        effect: EffectDisposition,
        /// Milliseconds that it ran.
        duration_ms: u64,
    },
    /// Nobody can say how it ended.
    Unknown {
        /// Why.
        why: String,
    },
}

/// One call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToolUse {
    /// Turn.
    pub turn: TurnId,
    /// Which call.
    pub call: CallRef,
    /// Where it is.
    pub state: CallState,
    /// When it was asked for.
    pub at: Timestamp,
    /// When its body began, the last time that it did.
    pub started_at: Option<Timestamp>,
    /// Its last sign of life after that.
    pub alive_at: Option<Timestamp>,
    /// The end of what it has said so far, at most [`OUTPUT_KEPT`] characters. Gone with its result, which says it all.
    pub last_output: String,
}

/// All tool calls of a session, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ToolUses {
    all: BTreeMap<CallRef, ToolUse>,
    /// The ones without a result: what a turn has to do next, without a walk over the history.
    open: BTreeSet<CallRef>,
    /// What may run again in this session without another question, by the digest of tool and arguments.
    approved: BTreeSet<Digest>,
}

impl ToolUses {
    /// A call.
    pub fn get(&self, call: CallRef) -> Option<&ToolUse> {
        self.all.get(&call)
    }

    /// In order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &ToolUse> {
        self.all.values()
    }

    /// Calls of a turn without a result, in order.
    pub fn open(&self, turn: TurnId) -> impl Iterator<Item = &ToolUse> {
        self.open.iter().filter_map(|call| self.all.get(call)).filter(move |call| call.turn == turn)
    }

    /// Whether a person consented to exactly this for the whole session.
    pub fn approved(&self, digest: &Digest) -> bool {
        self.approved.contains(digest)
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::ToolRequested(event)) => {
                let call = ToolUse {
                    turn: event.turn,
                    call: event.call,
                    state: CallState::Requested,
                    at: recorded.recorded_at,
                    started_at: None,
                    alive_at: None,
                    last_output: String::new(),
                };
                self.all.insert(event.call, call);
                self.open.insert(event.call);
            }
            Some(Event::ToolStarted(event)) => self.update(event.call, |known| {
                known.state = CallState::Started { class: event.class };
                (known.started_at, known.alive_at) = (Some(recorded.recorded_at), Some(recorded.recorded_at));
                known.last_output.clear();
            }),
            Some(Event::ToolProgressed(event)) => self.update(event.call, |known| {
                known.alive_at = Some(recorded.recorded_at);
                known.last_output.push_str(&event.output);
                keep_end(&mut known.last_output);
            }),
            Some(Event::ToolFinished(event)) => {
                let (outcome, effect, duration_ms) = (event.outcome, event.effect, event.duration_ms);
                self.update(event.call, |known| {
                    known.state = CallState::Finished { outcome, effect, duration_ms };
                    known.last_output = String::new();
                });
                self.open.remove(&event.call);
            }
            Some(Event::ToolUnknown(event)) => {
                self.update(event.call, |known| known.state = CallState::Unknown { why: event.why.clone() });
            }
            Some(Event::ToolApprovalAsked(event)) => self.update(event.call, |known| {
                known.state = CallState::Asked { digest: event.digest, why: event.why.clone() };
            }),
            Some(Event::ToolApprovalGiven(event)) => self.consent(event),
            Some(Event::ToolApprovalDenied(event)) => {
                self.update(event.call, |known| known.state = CallState::Denied { why: event.why.clone() });
            }
            _ => {}
        }
    }

    /// Consent is for what was shown, and for nothing else.
    fn consent(&mut self, event: &ToolApprovalGiven) {
        let asked = self.open.contains(&event.call).then(|| self.all.get_mut(&event.call)).flatten();
        let Some(known) = asked else { return };
        if matches!(&known.state, CallState::Asked { digest, .. } if *digest == event.digest) {
            known.state = CallState::Approved;
            if event.scope == ApprovalScope::Session {
                self.approved.insert(event.digest);
            }
        }
    }

    /// A result is final: the model has read it, so nothing that comes later changes the call.
    fn update(&mut self, call: CallRef, change: impl FnOnce(&mut ToolUse)) {
        if self.open.contains(&call)
            && let Some(known) = self.all.get_mut(&call)
        {
            change(known);
        }
    }
}

fn keep_end(text: &mut String) {
    let many = text.chars().count();
    if many > OUTPUT_KEPT {
        let from = text.char_indices().nth(many - OUTPUT_KEPT).map_or(0, |(at, _)| at);
        text.drain(..from);
    }
}
