//! Memory: the agent's two files, and at most one external backend.

use dispatch_events::{
    Digest, StreamId, TurnId,
    catalogue::memory::{MemoryChange, MemoryTarget},
};
use futures_util::future::BoxFuture;

/// What to look for.
#[derive(Clone, Debug)]
pub struct RecallQuery {
    /// The clean words of the person.
    pub text: String,
    /// The session.
    pub session: StreamId,
}

/// A completed exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The clean words of the person.
    pub user: String,
    /// The answer.
    pub assistant: String,
    /// The session.
    pub session: StreamId,
    /// The turn.
    pub turn: TurnId,
    /// Idempotency key, the same at every attempt.
    pub key: String,
}

/// Why a backend did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// It may work later.
    #[error("{0}")]
    Temporary(String),
    /// It won't work later either: the request or the credentials are wrong.
    #[error("{0}")]
    Permanent(String),
}

/// One external memory backend.
pub trait MemoryBackend: Send + Sync {
    /// Name, for example `mem0`.
    fn name(&self) -> &'static str;

    /// What leaves the machine and where to, in one line.
    fn destination(&self) -> String;

    /// Whether the far side does a write with a known key only once.
    fn honours_keys(&self) -> bool;

    /// What it knows about the query, as plain text; `None` if nothing.
    fn recall(&self, query: RecallQuery) -> BoxFuture<'static, Result<Option<String>, MemoryError>>;

    /// Takes a completed exchange.
    fn sync(&self, exchange: Exchange) -> BoxFuture<'static, Result<(), MemoryError>>;

    /// Prepares the next recall of the session.
    fn warm(&self, query: RecallQuery) -> BoxFuture<'static, Result<(), MemoryError>>;
}

/// A change somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryEdit {
    /// The file.
    pub target: MemoryTarget,
    /// The operations, all or none.
    pub operations: Vec<MemoryOperation>,
}

/// One operation on a memory file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryOperation {
    /// A new entry.
    Add {
        /// Its text.
        content: String,
    },
    /// Another text for the one entry that holds `old_text`.
    Replace {
        /// Words that exactly one entry holds.
        old_text: String,
        /// The new text.
        content: String,
    },
    /// Without the one entry that holds `old_text`.
    Remove {
        /// Words that exactly one entry holds.
        old_text: String,
    },
}

/// An edit that was checked against the file as it is: nothing is written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedEdit {
    /// The file.
    pub target: MemoryTarget,
    /// What changes; empty if the file is already as asked.
    pub changes: Vec<MemoryChange>,
    /// Digest of the file's bytes before.
    pub before: Digest,
    /// The file's text after.
    pub after: String,
    /// What the writer is told, for example `Entry added. [38 % of 2,200 characters]`.
    pub summary: String,
}

/// Both files as a prompt would take them now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemorySnapshot {
    /// The block for `MEMORY.md`; `None` if there is nothing to show.
    pub memory_block: Option<String>,
    /// The block for `USER.md`.
    pub user_block: Option<String>,
    /// Entries of `MEMORY.md` that the block shows.
    pub memory: Vec<String>,
    /// Entries of `USER.md` that the block shows.
    pub user: Vec<String>,
}

/// The agent's memory files. Calls block.
pub trait MemoryFiles: Send + Sync {
    /// What a prompt takes, with blocked entries replaced by a placeholder.
    ///
    /// # Errors
    /// In words, when a file can't be read.
    fn snapshot(&self) -> Result<MemorySnapshot, String>;

    /// All live entries of a file.
    ///
    /// # Errors
    /// In words, when the file can't be read.
    fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, String>;

    /// Checks an edit against the file as it is (limits, duplicates, ambiguity, threat scan, drift) and says what it
    /// would do. May save a copy of a file that it refuses to rewrite.
    ///
    /// # Errors
    /// The refusal, in words that help the writer to do better.
    fn plan(&self, edit: &MemoryEdit) -> Result<PlannedEdit, String>;

    /// Applies recorded changes to the file as it is, to write again what a crash cut off. Nothing is checked but that
    /// the changes fit: they were checked when they were planned.
    ///
    /// # Errors
    /// In words, when the file can't be read or does not hold the entries that the changes name.
    fn replay(&self, target: MemoryTarget, changes: &[MemoryChange]) -> Result<PlannedEdit, String>;

    /// Writes a planned edit as one step. Refuses if the file is not the one that was planned for; does nothing if it
    /// is already as planned.
    ///
    /// # Errors
    /// In words.
    fn write(&self, planned: &PlannedEdit) -> Result<(), String>;

    /// Digest of the file's bytes, of an empty text if there is none.
    ///
    /// # Errors
    /// In words, when the file can't be read.
    fn digest(&self, target: MemoryTarget) -> Result<Digest, String>;
}

/// What an edit gave.
pub type MemoryReply = Result<String, String>;

/// The way from a tool to the memory files: planned, recorded, then written, by the MemoryWorker.
pub trait MemoryPort: Send + Sync {
    /// Carries out an edit of a turn. The answer is for the model.
    fn edit(&self, edit: MemoryEdit, turn: TurnId) -> BoxFuture<'static, MemoryReply>;
}
