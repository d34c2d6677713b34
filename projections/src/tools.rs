//! Tool calls and their one result.

use dispatch_events::{
    Event, Recorded, Timestamp, TurnId,
    catalogue::tool::{CallRef, EffectClass, EffectDisposition, ToolOutcome},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

/// Where a call is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Asked for; it has not run.
    Requested,
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
}

/// All tool calls of a session, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ToolUses {
    all: BTreeMap<CallRef, ToolUse>,
    /// The ones without a result: what a turn has to do next, without a walk over the history.
    open: BTreeSet<CallRef>,
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

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::ToolRequested(event)) => {
                let at = recorded.recorded_at;
                let call = ToolUse { turn: event.turn, call: event.call, state: CallState::Requested, at };
                self.all.insert(event.call, call);
                self.open.insert(event.call);
            }
            Some(Event::ToolStarted(event)) => self.set(event.call, CallState::Started { class: event.class }),
            Some(Event::ToolFinished(event)) => self.set(
                event.call,
                CallState::Finished { outcome: event.outcome, effect: event.effect, duration_ms: event.duration_ms },
            ),
            Some(Event::ToolUnknown(event)) => self.set(event.call, CallState::Unknown { why: event.why.clone() }),
            _ => {}
        }
    }

    /// A result is final: the model has read it, so nothing that comes later changes the call.
    fn set(&mut self, call: CallRef, state: CallState) {
        let finished = matches!(state, CallState::Finished { .. });
        if self.open.contains(&call)
            && let Some(known) = self.all.get_mut(&call)
        {
            known.state = state;
            if finished {
                self.open.remove(&call);
            }
        }
    }
}
