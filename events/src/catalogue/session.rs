//! A session's own life.

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

/// The session has another name; the old one is free again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRenamed {
    /// The new unique name.
    pub name: String,
    /// The name that it had.
    pub previous: String,
}
