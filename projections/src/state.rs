//! The composition of all folds: what a session is.

use crate::{
    admissions::Admissions, calls::ModelCalls, fork::Family, lease::Lease, memory::MemoryTimeline,
    obligations::Obligations, prompt::Prompt, tools::ToolUses, transcript::Transcript, turns::Turns,
    usage::UsageTotals,
};
use dispatch_events::{
    Body, Digest, Event, Position, Recorded, StreamId, Timestamp, Version,
    catalogue::session::{BusyMode, ForkPoint, SessionOpened},
    keys::KeyId,
    log::Tip,
};
use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) mod history;
#[cfg(test)]
pub(crate) mod properties;
#[cfg(test)]
mod tests;

/// Why an event was not folded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    /// Not the next event of this stream.
    #[error("stream {stream}: version {version} does not follow version {after}")]
    Gap {
        /// The stream.
        stream: StreamId,
        /// The event's version.
        version: Version,
        /// The version that the state has.
        after: Version,
    },
    /// The session is a fork, and what was folded before it is not what it began with.
    #[error(
        "stream {stream} begins at {parent:?} and was folded on {folded:?}: fold its parent up to the fork point first"
    )]
    Origin {
        /// The stream.
        stream: StreamId,
        /// Where it begins.
        parent: Option<ForkPoint>,
        /// What was folded.
        folded: Option<ForkPoint>,
    },
    /// The payload can't be read: the history would look whole without it, and is not.
    #[error("position {position}: the event `{kind}` can't be read: {why}")]
    Unreadable {
        /// Where.
        position: Position,
        /// Its type.
        kind: String,
        /// Why.
        why: String,
    },
}

/// How far the erasure of a session has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Erasure {
    /// It was asked for: the key is gone, or will be in a moment. Nothing may happen to the session any more.
    Requested,
    /// Nothing of it is left but the chain of its sealed events.
    Done,
}

/// A session, folded from its stream. A change of a field here, or of what an event does to one, is a new
/// [`FOLD_VERSION`](crate::snapshot::FOLD_VERSION).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// Its stream.
    pub stream: StreamId,
    /// Version of the last event that was folded.
    pub version: Version,
    /// Position of the last event that was folded.
    pub position: Position,
    /// Hash of the last event that was folded: whose history this is.
    pub hash: Digest,
    /// Key that seals it.
    pub key: KeyId,
    /// Raised only by events that change what a person sees.
    pub revision: u64,
    /// How it began.
    pub opened: Option<SessionOpened>,
    /// Its name now.
    pub name: String,
    /// When it began.
    pub opened_at: Timestamp,
    /// When the last event was recorded.
    pub updated_at: Timestamp,
    /// Inputs.
    pub admissions: Admissions,
    /// The right to run a turn.
    pub lease: Lease,
    /// Turns.
    pub turns: Turns,
    /// System prompt and tools.
    pub prompt: Prompt,
    /// What was said.
    pub transcript: Transcript,
    /// Requests to models.
    pub calls: ModelCalls,
    /// Tool calls.
    pub tools: ToolUses,
    /// Memory.
    pub memory: MemoryTimeline,
    /// What is owed.
    pub obligations: Obligations,
    /// Tokens.
    pub usage: UsageTotals,
    /// Events of another build that were skipped.
    pub skipped: u64,
    /// What an input that does not say wants of a running turn, where the session has a setting of its own.
    pub busy: Option<BusyMode>,
    /// Whether it is left out of lists.
    pub archived: bool,
    /// Its forks, and its own origin.
    pub family: Family,
    /// Whether it was erased, or is about to be.
    pub erasure: Option<Erasure>,
}

impl SessionState {
    /// The state of a stream that has no events.
    pub fn empty(stream: StreamId) -> Self {
        Self { stream, ..Self::default() }
    }

    /// Where the next event goes.
    pub fn tip(&self) -> Tip {
        Tip { stream: self.stream, version: self.version, key: self.key }
    }

    /// Folds one event.
    ///
    /// # Errors
    /// [`FoldError`] when it is not the next one or can't be read; the state is as it was.
    pub fn apply(&mut self, recorded: &Recorded) -> Result<(), FoldError> {
        if recorded.stream != self.stream || recorded.version != self.version.next() {
            let (stream, version, after) = (recorded.stream, recorded.version, self.version);
            return Err(FoldError::Gap { stream, version, after });
        }
        self.belongs(recorded)?;
        match &recorded.body {
            Body::Known(_) => {}
            Body::Unknown { .. } => self.skipped += 1,
            Body::Erased => self.erasure = self.erasure.or(Some(Erasure::Requested)),
            Body::Unreadable(why) => return Err(unreadable(recorded, why)),
        }
        self.version = recorded.version;
        self.position = recorded.position;
        self.hash = recorded.hash;
        self.key = recorded.key;
        self.updated_at = recorded.recorded_at;
        if recorded.version == Version(1) {
            self.opened_at = recorded.recorded_at;
        }
        self.identity(recorded);
        self.relate(recorded);
        self.admissions.apply(recorded);
        self.lease.apply(recorded);
        self.turns.apply(recorded);
        self.prompt.apply(recorded);
        self.transcript.apply(recorded, &self.admissions, &self.turns);
        self.calls.apply(recorded);
        self.tools.apply(recorded);
        self.memory.apply(recorded);
        self.obligations.apply(recorded);
        self.usage.apply(recorded);
        if let Some(Event::SessionErased(_)) = recorded.event() {
            self.forget();
        }
        Ok(())
    }

    /// What is left of an erased session, whether it was folded before its key was destroyed or after.
    fn forget(&mut self) {
        *self = Self {
            stream: self.stream,
            version: self.version,
            position: self.position,
            key: self.key,
            revision: self.version.0,
            opened_at: self.opened_at,
            updated_at: self.updated_at,
            erasure: Some(Erasure::Done),
            ..Self::default()
        };
    }

    fn identity(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::SessionOpened(event)) => {
                self.name.clone_from(&event.name);
                self.opened = Some(event.clone());
                self.revision += 1;
            }
            Some(Event::SessionRenamed(event)) => {
                self.name.clone_from(&event.name);
                self.revision += 1;
            }
            Some(Event::SessionEraseRequested(_)) => {
                self.erasure = Some(Erasure::Requested);
                self.revision += 1;
            }
            Some(Event::SessionConfigured(event)) => self.busy = event.busy,
            Some(Event::SessionArchived(_)) => {
                self.archived = true;
                self.revision += 1;
            }
            Some(Event::SessionUnarchived(_)) => {
                self.archived = false;
                self.revision += 1;
            }
            Some(
                Event::InputQueued(_)
                | Event::InputSettled(_)
                | Event::InputCancelled(_)
                | Event::InputRequeued(_)
                | Event::InputUnknown(_)
                | Event::SessionRewound(_)
                | Event::SessionRestored(_)
                | Event::SessionReset(_)
                | Event::MessageRecorded(_)
                | Event::ToolFinished(_)
                | Event::TurnInterrupted(_)
                | Event::TurnFailed(_),
            ) => self.revision += 1,
            _ => {}
        }
    }
}

fn unreadable(recorded: &Recorded, why: &str) -> FoldError {
    FoldError::Unreadable { position: recorded.position, kind: recorded.kind.clone(), why: why.to_owned() }
}
