//! From when a memory may shape an answer.

use dispatch_events::{
    Digest, Event, Position, Recorded, StreamId, Timestamp, TurnId, Version, catalogue::memory::MemoryTarget,
};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// One moment in the life of a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Place in the whole log.
    pub position: Position,
    /// Stream that it stands in.
    pub stream: StreamId,
    /// Number in the stream.
    pub version: Version,
    /// When; for people.
    pub at: Timestamp,
    /// What happened.
    pub what: What,
}

/// What happened to a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A file changed: tools see it at once, prompts do not.
    Noted {
        /// The file.
        #[serde(serialize_with = "crate::view::words::snake")]
        target: MemoryTarget,
        /// Entries that came.
        added: Vec<Entry>,
        /// Entries that went.
        removed: Vec<Digest>,
        /// Who wrote.
        writer: String,
        /// The turn, where a tool wrote.
        turn: Option<TurnId>,
    },
    /// A system prompt took the entries in: from here on they shape the agent in this session.
    Adopted {
        /// The agent.
        agent: String,
        /// Entries of `MEMORY.md`.
        memory: Vec<Digest>,
        /// Entries of `USER.md`.
        user: Vec<Digest>,
    },
    /// Recalled for one turn.
    Recalled {
        /// The turn.
        turn: TurnId,
        /// Backend.
        backend: String,
        /// The block that was sent.
        block: String,
        /// Milliseconds.
        took_ms: u64,
    },
    /// The turn went on without recall.
    RecallSkipped {
        /// The turn.
        turn: TurnId,
        /// Backend.
        backend: String,
        /// Why.
        why: String,
        /// Milliseconds.
        took_ms: u64,
    },
    /// The backend has the turn.
    Synced {
        /// The turn.
        turn: TurnId,
        /// Whether an earlier attempt may have reached it too.
        possible_duplicate: bool,
    },
    /// The backend was asked to prepare the next recall.
    Warmed {
        /// The turn.
        turn: TurnId,
    },
}

/// An entry of a memory file. Later moments name it by its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Digest of the text.
    pub digest: Digest,
    /// The text.
    pub text: String,
}

impl Entry {
    fn of(text: &str) -> Self {
        Self { digest: Digest::of(text.as_bytes()), text: text.to_owned() }
    }
}

/// The moments of one stream, in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MemoryTimeline(Vec<Moment>);

impl MemoryTimeline {
    /// In order.
    pub fn moments(&self) -> &[Moment] {
        &self.0
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        if let Some(what) = what(recorded) {
            self.0.push(Moment {
                position: recorded.position,
                stream: recorded.stream,
                version: recorded.version,
                at: recorded.recorded_at,
                what,
            });
        }
    }
}

fn what(recorded: &Recorded) -> Option<What> {
    use dispatch_events::catalogue::memory::MemoryChange;
    Some(match recorded.event()? {
        Event::MemoryNoted(event) => {
            let (mut added, mut removed) = (Vec::new(), Vec::new());
            for change in &event.changes {
                match change {
                    MemoryChange::Added(new) => added.push(Entry::of(new)),
                    MemoryChange::Replaced { old, new } => {
                        removed.push(*old);
                        added.push(Entry::of(new));
                    }
                    MemoryChange::Removed(old) => removed.push(*old),
                }
            }
            What::Noted { target: event.target, added, removed, writer: event.writer.clone(), turn: event.turn }
        }
        Event::MemoryAdopted(event) => {
            What::Adopted { agent: event.agent.clone(), memory: event.memory.clone(), user: event.user.clone() }
        }
        Event::MemoryRecalled(event) => What::Recalled {
            turn: event.turn,
            backend: event.backend.clone(),
            block: event.block.clone(),
            took_ms: event.took_ms,
        },
        Event::MemoryRecallSkipped(event) => What::RecallSkipped {
            turn: event.turn,
            backend: event.backend.clone(),
            why: event.why.clone(),
            took_ms: event.took_ms,
        },
        Event::MemorySynced(event) => What::Synced { turn: event.turn, possible_duplicate: event.possible_duplicate },
        Event::MemoryWarmed(event) => What::Warmed { turn: event.turn },
        _ => return None,
    })
}
