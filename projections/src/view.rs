//! The views as people and programs get them: plain data with stable names (`interface.md`), made from a
//! [`SessionState`](crate::SessionState) of any version. Clean text only: what was sent for a message is shown by the
//! wire view, which needs a dialect and so lives with the actors.

mod ledger;
mod summary;
mod talk;
#[cfg(test)]
mod tests;
mod unknowns;
pub mod words;

pub use ledger::{
    LeaseView, MemoryView, MomentRow, ObligationRow, ObligationsView, PromptView, QueueRow, QueueView, TierView,
    ToolRow, ToolsView,
};
pub use summary::{PrefixRow, PrefixView, SessionStatus, SummaryView};
pub use talk::{MessageRow, TranscriptView};
pub use unknowns::{UnknownRow, UnknownsView};

use std::{fmt, str::FromStr};

/// Name of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewName {
    /// What was said.
    Transcript,
    /// The exact requests.
    Wire,
    /// Inputs that are not finished.
    Queue,
    /// Who may run a turn.
    Lease,
    /// System prompt and tools.
    Prompt,
    /// From when a memory may shape an answer.
    Memory,
    /// Tool calls.
    Tools,
    /// What is owed to the outside.
    Obligations,
    /// Tokens.
    Usage,
    /// All of them.
    All,
}

impl ViewName {
    /// Every view, in the order in which `all` shows them.
    pub const EVERY: [Self; 10] = [
        Self::Transcript,
        Self::Wire,
        Self::Queue,
        Self::Lease,
        Self::Prompt,
        Self::Memory,
        Self::Tools,
        Self::Obligations,
        Self::Usage,
        Self::All,
    ];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transcript => "transcript",
            Self::Wire => "wire",
            Self::Queue => "queue",
            Self::Lease => "lease",
            Self::Prompt => "prompt",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Obligations => "obligations",
            Self::Usage => "usage",
            Self::All => "all",
        }
    }
}

impl fmt::Display for ViewName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ViewName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::EVERY.into_iter().find(|view| view.as_str() == text).ok_or_else(|| {
            let names: Vec<_> = Self::EVERY.iter().map(|view| view.as_str()).collect();
            format!("there is no view `{text}`; the views are {}", names.join(", "))
        })
    }
}
