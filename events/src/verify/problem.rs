//! What is wrong.

use super::Verdict;
use crate::{Position, StreamId};
use serde::Serialize;
use std::ops::Deref;

/// Most problems that are listed; the rest is counted.
pub const PROBLEMS_LISTED: usize = 1000;

/// Of which kind a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// An index does not fit the records, which are whole.
    Index,
    /// A record is there, but its checksum does not fit or the engine can't read it.
    Unreadable,
    /// A record is not where the log says that one is.
    Missing,
    /// The head of a stream, of the log or of an anchor says more than the records have.
    MissingTail,
    /// There is the head of a stream, or an anchor names it, but none of its records is there.
    MissingStream,
    /// A record is whole in itself, but it is not the one that was written: a chain does not fit.
    Edited,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Of which kind.
    pub kind: ProblemKind,
    /// Where in the log.
    pub position: Position,
    /// Which stream, where that is known.
    pub stream: Option<StreamId>,
    /// What, in words.
    pub what: String,
}

/// Everything that is wrong, in the order in which it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Problems {
    /// The first [`PROBLEMS_LISTED`].
    #[serde(rename = "problems")]
    pub listed: Vec<Problem>,
    /// Problems beyond those that are listed.
    #[serde(rename = "more_problems")]
    pub more: u64,
    /// The worst of them, those that are not listed included.
    #[serde(skip)]
    worst: Option<Verdict>,
}

/// Those that are listed.
impl Deref for Problems {
    type Target = [Problem];

    fn deref(&self) -> &[Problem] {
        &self.listed
    }
}

impl Problems {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.listed.len() as u64 + self.more
    }

    /// The worst of them, as a verdict; `None` if nothing is wrong.
    pub fn worst(&self) -> Option<Verdict> {
        self.worst
    }

    pub(crate) fn add(
        &mut self,
        kind: ProblemKind,
        position: Position,
        stream: Option<StreamId>,
        what: impl Into<String>,
    ) {
        self.worst = self.worst.max(Some(kind.into()));
        if self.listed.len() < PROBLEMS_LISTED {
            self.listed.push(Problem { kind, position, stream, what: what.into() });
        } else {
            self.more += 1;
        }
    }
}
