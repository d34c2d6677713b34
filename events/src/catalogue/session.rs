//! A session's own life.

use super::input::Principal;
use crate::{StreamId, Timestamp, Version};
use serde::{Deserialize, Serialize};

/// A durable conversation began. Always version 1 of its stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// Unique name, claimed in the same commit.
    pub name: String,
    /// Routing key, where a channel made the session.
    pub route: Option<String>,
    /// Surface that opened it: `cli`, `http`, `openai`, …
    pub source: String,
    /// Agent that the session speaks for.
    pub agent: String,
    /// Where it was forked from.
    pub parent: Option<ForkPoint>,
    /// A system message that the caller gave; it goes to the context tier of the prompt.
    pub system: Option<String>,
}

/// A place in another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkPoint {
    /// The parent's stream.
    pub stream: StreamId,
    /// The last version that the child inherits.
    pub version: Version,
}

/// Somebody asked for the erasure of the session: from here on its key may be gone at any moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEraseRequested {
    /// The name that it had; it is free again.
    pub name: String,
    /// The routing key that it had, which is free again too. Since version 2.
    pub route: Option<String>,
    /// Who asked.
    pub by: Principal,
}

/// The erasure is done: the key was destroyed, blobs and snapshots are gone. The last event of its stream, and the only
/// one that can be read: it is sealed with a key of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionErased {
    /// Events of the stream that nobody can read any more, the request included.
    pub events: u64,
    /// Whether it was finished by a later start, because the host stopped in between.
    pub after_restart: bool,
}

/// The session has another name; the old one is free again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRenamed {
    /// The new unique name.
    pub name: String,
    /// The name that it had.
    pub previous: String,
    /// Who chose it; `None` in an event of version 1, which did not say. Since version 2.
    pub by: Option<Principal>,
}

/// The session was forked: another one begins with its events up to a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionBranched {
    /// The new session. It may not be there: a crash can fall between this and its opening.
    pub child: StreamId,
    /// The last version that it inherits.
    pub at: Version,
    /// Who wanted it.
    pub by: Principal,
}

/// The session began as a fork, and this is what became of what it inherited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionForked {
    /// The place in the parent's stream.
    pub from: ForkPoint,
    /// How many forks stand between this session and one that is none, this one included.
    pub depth: u32,
    /// Model profile that it uses instead of its parent's.
    pub profile: Option<String>,
    /// The stand-in result of every inherited call that had none; `None` if each had its result.
    pub unfinished: Option<String>,
    /// What could not be carried over, in words; `None` if everything was.
    pub dropped: Option<String>,
}

/// An event that the session inherits, under its own key: the session that it was forked from was about to be erased.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionInherited {
    /// The stream that it stood in.
    pub stream: StreamId,
    /// Its version there.
    pub version: Version,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// Its type.
    pub kind: String,
    /// Its schema version.
    pub schema: u16,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// The conversation begins anew: what was said stays in the log and is not sent any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionReset {
    /// Why.
    pub reason: ResetReason,
    /// What the model is told of it with the next input; `None` if nothing.
    pub note: Option<String>,
    /// Who wanted it.
    pub by: Principal,
}

/// Why a conversation begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ResetReason {
    /// Somebody asked for it.
    Asked,
    /// Nobody had spoken for long.
    Idle,
    /// The day's hour of the reset has passed since.
    Daily,
}

/// The conversation goes on from an earlier place. What is behind it stays in the log and is not sent any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRewound {
    /// Everything from this place on is left out: that of a user message, which may be inherited.
    pub to: ForkPoint,
    /// Why.
    pub reason: RewindReason,
    /// Who wanted it.
    pub by: Principal,
}

/// Why a conversation goes on from an earlier place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RewindReason {
    /// To a place that somebody named.
    Rewind,
    /// The last exchanges were taken back.
    Undo,
    /// The last input is tried again.
    Retry,
}

/// What a rewind left out is there again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRestored {
    /// Version of the `session.rewound` that is taken back.
    pub rewound: Version,
    /// Who wanted it.
    pub by: Principal,
}

/// The session is out of the way: it is left out of lists. It can still be read and spoken to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionArchived {
    /// Who put it there.
    pub by: Principal,
}

/// The session is in lists again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionUnarchived {
    /// Who put it back.
    pub by: Principal,
}

/// A setting of this session alone was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionConfigured {
    /// What an input that does not say wants of a running turn; `None` for the host's setting.
    pub busy: Option<BusyMode>,
    /// Who wanted it.
    pub by: Principal,
}

/// What an input that does not say wants of a running turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BusyMode {
    /// Wait for its turn.
    Queue,
    /// Go into the running turn after its next tool result.
    Steer,
    /// Stop the running turn and be the next.
    Interrupt,
}
