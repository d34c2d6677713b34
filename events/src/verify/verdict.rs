//! What became of a stream, or of the whole log.

use super::ProblemKind;
use crate::{Position, StreamId, Version};
use serde::Serialize;
use std::fmt;

/// Most streams that are listed for not being intact; the rest is counted.
pub const STREAMS_LISTED: usize = 1000;

/// The answer of a check, from the best to the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// All of it is there, as it was written, and can be read.
    #[default]
    Intact,
    /// Erased on purpose: the last event says so, and the chain verifies without the key.
    Erased,
    /// Its key is gone but the erasure was not finished, or it was finished and the key is here again. A start of the host
    /// finishes it.
    HalfErased,
    /// The records are whole, an index is not: `dispatch doctor --repair-indexes` makes it again.
    Index,
    /// A record, or a payload's key or blob, can't be read or is not there.
    Unreadable,
    /// The last events are not there.
    MissingTail,
    /// None of its events is there.
    MissingStream,
    /// Events were changed, taken out or put in.
    Edited,
}

impl From<ProblemKind> for Verdict {
    fn from(kind: ProblemKind) -> Self {
        match kind {
            ProblemKind::Index => Self::Index,
            ProblemKind::Unreadable | ProblemKind::Missing => Self::Unreadable,
            ProblemKind::MissingTail => Self::MissingTail,
            ProblemKind::MissingStream => Self::MissingStream,
            ProblemKind::Edited => Self::Edited,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Intact => "intact",
            Self::Erased => "erased on purpose",
            Self::HalfErased => "half erased",
            Self::Index => "index damaged",
            Self::Unreadable => "unreadable",
            Self::MissingTail => "missing tail",
            Self::MissingStream => "missing stream",
            Self::Edited => "edited",
        })
    }
}

/// A stream that is not plainly intact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamVerdict {
    /// The stream.
    pub stream: StreamId,
    /// What became of it.
    pub verdict: Verdict,
    /// Version of the last record that is there; zero if none is.
    pub version: Version,
    /// Position of the first record that made it so; of the last one for an erasure.
    pub position: Position,
}

/// How many streams have which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// [`Verdict::Intact`].
    pub intact: u64,
    /// [`Verdict::Erased`].
    pub erased: u64,
    /// [`Verdict::HalfErased`].
    pub half_erased: u64,
    /// [`Verdict::Index`].
    pub index: u64,
    /// [`Verdict::Unreadable`].
    pub unreadable: u64,
    /// [`Verdict::MissingTail`].
    pub missing_tail: u64,
    /// [`Verdict::MissingStream`].
    pub missing_stream: u64,
    /// [`Verdict::Edited`].
    pub edited: u64,
}

impl Verdicts {
    pub(super) fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Intact => &mut self.intact,
            Verdict::Erased => &mut self.erased,
            Verdict::HalfErased => &mut self.half_erased,
            Verdict::Index => &mut self.index,
            Verdict::Unreadable => &mut self.unreadable,
            Verdict::MissingTail => &mut self.missing_tail,
            Verdict::MissingStream => &mut self.missing_stream,
            Verdict::Edited => &mut self.edited,
        } += 1;
    }
}
