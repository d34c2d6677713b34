//! A session's own life.

use super::input::Principal;
use crate::{StreamId, Version};
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
}
