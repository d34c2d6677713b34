//! What the agent remembers, and from which moment it may shape an answer.

use crate::{Digest, ObligationId, TurnId};
use serde::{Deserialize, Serialize};

/// A memory file is about to change, in the agent's own stream. Visible to tools at once; a system prompt takes it only
/// when one is built next (`memory.adopted`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryNoted {
    /// The agent.
    pub agent: String,
    /// The file.
    pub target: MemoryTarget,
    /// What changes, in order. Applied to the file as it was before, they give the file after: so a start can finish what
    /// a crash cut off, and no text stands in the log a second time.
    pub changes: Vec<MemoryChange>,
    /// Digest of the file's bytes before.
    pub before: Digest,
    /// Digest of the file's bytes after.
    pub after: Digest,
    /// Who wrote: `tool`, `cli`, `http`, `file` (a person edited it).
    pub writer: String,
    /// The turn, where a tool wrote.
    pub turn: Option<TurnId>,
}

/// One of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemoryTarget {
    /// `MEMORY.md`: the agent's notes.
    Memory,
    /// `USER.md`: what it knows of the person.
    User,
}

impl MemoryTarget {
    /// The file's name.
    pub fn file(self) -> &'static str {
        match self {
            Self::Memory => "MEMORY.md",
            Self::User => "USER.md",
        }
    }
}

/// A change of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryChange {
    /// The text of a new entry, behind the others.
    Added(String),
    /// An entry in place of another.
    Replaced {
        /// Digest of the entry that went.
        old: Digest,
        /// Text of the entry that came.
        new: String,
    },
    /// Digest of an entry that went.
    Removed(Digest),
}

/// The newest `memory.noted` of a file is done with: the file holds it, or a person's edit came first. What the file
/// holds later is somebody's wish, and no start writes that change again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryWritten {
    /// The agent.
    pub agent: String,
    /// The file.
    pub target: MemoryTarget,
    /// Digest of the file's bytes now; that of `memory.noted` unless a person's edit came first.
    pub after: Digest,
}

/// The memory backend answered before the turn's first model call. The text stands here once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecalled {
    /// The turn.
    pub turn: TurnId,
    /// Backend that answered.
    pub backend: String,
    /// The block as it is sent, fence included.
    pub block: String,
    /// Milliseconds that it took.
    pub took_ms: u64,
}

/// The turn went on without recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecallSkipped {
    /// The turn.
    pub turn: TurnId,
    /// Backend that was asked, or would have been.
    pub backend: String,
    /// Why: `timeout`, `busy`, `error: …`, `nothing found`.
    pub why: String,
    /// Milliseconds that it took.
    pub took_ms: u64,
}

/// A system prompt took these entries in: from here on they shape the agent's identity in this session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryAdopted {
    /// The agent.
    pub agent: String,
    /// Digests of the entries of `MEMORY.md`.
    pub memory: Vec<Digest>,
    /// Digests of the entries of `USER.md`.
    pub user: Vec<Digest>,
}

/// The backend has the turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemorySynced {
    /// The turn.
    pub turn: TurnId,
    /// The obligation that it meets.
    pub obligation: ObligationId,
    /// True when an earlier attempt may have reached the backend too, and it knows no keys.
    pub possible_duplicate: bool,
}

/// The backend was asked to prepare the next recall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryWarmed {
    /// The turn.
    pub turn: TurnId,
    /// The obligation that it meets.
    pub obligation: ObligationId,
}
