//! Changes of a session's own history. Each is an event; nothing is ever removed.

use super::Receipt;
use dispatch_events::{
    StreamId, Version,
    catalogue::{input::Principal, session::BusyMode},
};
use serde::Serialize;

/// Who changes, and what they saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Who.
    pub principal: Principal,
    /// The revision that they saw; another one refuses the change. `None` takes any.
    pub expected_revision: Option<u64>,
}

impl Change {
    /// By somebody who takes any revision.
    pub fn by(principal: Principal) -> Self {
        Self { principal, expected_revision: None }
    }
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryChange {
    /// Leave out everything from this version on: the version of a user message.
    Rewind {
        /// See above.
        to: Version,
    },
    /// Take back this many exchanges.
    Undo {
        /// From 1.
        exchanges: u32,
    },
    /// Take back the last rewind that still holds.
    Restore,
    /// Take the last exchange back and submit its input again.
    Retry,
    /// Begin anew, with a new prompt.
    Reset,
    /// Leave the session out of lists.
    Archive,
    /// Put it into lists again.
    Unarchive,
    /// What an input that does not say wants of a running turn; `None` for the host's setting.
    Configure {
        /// See above.
        busy: Option<BusyMode>,
    },
}

/// A session after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// The session.
    pub session: StreamId,
    /// Version of its last event.
    pub version: Version,
    /// Its revision.
    pub revision: u64,
    /// The input that a retry submitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
}

/// A fork that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkRequest {
    /// Who wants it.
    pub principal: Principal,
    /// The last version that the child inherits; the newest if none is named.
    pub at: Option<Version>,
    /// The child's name; its id if none is given.
    pub name: Option<String>,
    /// Model profile that the child uses instead of its parent's.
    pub profile: Option<String>,
    /// Surface that asks: `cli`, `http`, …
    pub source: String,
}

/// What becomes of a session's forks when it is erased: what they inherited is sealed with its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forks {
    /// A session that has forks is not erased.
    #[default]
    Refuse,
    /// They stay: each takes over what it inherits, under its own key.
    Keep,
    /// They are erased before it, and theirs before them.
    EraseAll,
}
