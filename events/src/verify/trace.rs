//! How far a stream has come, and what was found in it.

use super::{StreamVerdict, Verdict};
use crate::{Body, Digest, Event, Position, Recorded, StreamId, Version};

/// What is kept of a stream while the log is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trace {
    /// Version of its last record.
    pub version: Version,
    /// Hash of its last record.
    pub hash: Digest,
    /// Position of its last record.
    pub position: Position,
    /// The worst that is wrong with it, and where that began.
    worst: Option<(Verdict, Position)>,
    /// Whether its last record is the end of an erasure.
    closed: bool,
    /// Payloads that could be opened, the end of an erasure aside.
    opened: u64,
    /// Payloads whose key was destroyed.
    erased: u64,
    /// The first payload that could not be read.
    unread: Option<Position>,
}

impl Trace {
    /// The next record of the stream.
    pub fn goes_on(&mut self, version: Version, hash: Digest, position: Position, kind: &str) {
        (self.version, self.hash, self.position) = (version, hash, position);
        // The header says it in clear, so it is known without any key.
        self.closed = kind == SESSION_ERASED;
    }

    /// What its last record's payload holds.
    pub fn payload(&mut self, recorded: &Recorded) {
        match recorded.body {
            Body::Known(Event::SessionErased(_)) => {}
            Body::Known(_) | Body::Unknown { .. } => self.opened += 1,
            Body::Erased => self.erased += 1,
            Body::Unreadable(_) => drop(self.unread.get_or_insert(recorded.position)),
        }
    }

    /// Something is wrong with it.
    pub fn marked(&mut self, verdict: Verdict, position: Position) {
        if self.worst.is_none_or(|(worst, _)| worst < verdict) {
            self.worst = Some((verdict, position));
        }
    }

    /// What became of it.
    pub fn verdict(&self, stream: StreamId) -> StreamVerdict {
        let (verdict, position) = match (self.worst, self.unread) {
            (Some(worst), _) => worst,
            (None, _) if self.closed && self.opened == 0 => (Verdict::Erased, self.position),
            (None, _) if self.closed || self.erased > 0 => (Verdict::HalfErased, self.position),
            (None, Some(unread)) => (Verdict::Unreadable, unread),
            (None, None) => (Verdict::Intact, self.position),
        };
        StreamVerdict { stream, verdict, version: self.version, position }
    }
}

const SESSION_ERASED: &str = "session.erased";
