//! A session's state from its newest snapshot and the events behind it, and the next snapshot when the session rests.

use super::{Session, load};
use crate::{decide::fork::LINE_MAX, shared::PAGE_EVENTS};
use dispatch_events::{Log, StreamId, Version, snapshot::Snapshot};
use dispatch_projections::{SessionState, snapshot::shape};
use std::sync::Arc;

/// Events behind the last snapshot up to which a session is folded from them: they take less time than a file (design §5).
const TAIL_EVENTS: u64 = 200;
/// How many times the events of the last snapshot a session has before it gets the next: so all its snapshots together
/// are at most twice as large as the last one (design §5).
const GROWTH: u64 = 2;

/// A state that was read.
pub(crate) struct Folded {
    /// The state.
    pub state: SessionState,
    /// Version of the snapshot that it began with; zero if every event was read.
    pub snapshot: Version,
}

/// Folds a session up to its end. Blocks.
///
/// # Errors
/// In words, with the position of what can't be read.
pub(crate) fn newest(log: &Log, id: StreamId) -> Result<Folded, String> {
    if let Some(state) = restored(log, id)
        && is_whole(log, &state)
    {
        let (page, end) = log.read_page(id, state.version, PAGE_EVENTS).map_err(|error| error.to_string())?;
        // The last event of the snapshot is read again: it says whether the log is the one that was folded.
        match page.split_first() {
            Some((last, tail)) if (last.hash, last.position) == (state.hash, state.position) => {
                let snapshot = state.version;
                let state = load::fold_on(log, state, (tail, end), None)?;
                return Ok(Folded { state, snapshot });
            }
            _ => discard(id, "the log has another history"),
        }
    }
    Ok(Folded { state: load::fold(log, id, None)?, snapshot: Version(0) })
}

fn restored(log: &Log, id: StreamId) -> Option<SessionState> {
    let Snapshot { version, hash, bytes } = log.snapshot(id, shape())?;
    match SessionState::from_bytes(&bytes, |text| log.blobs().shared(text.address)) {
        Ok(state) if (state.stream, state.version, state.hash) == (id, version, hash) => return Some(state),
        Ok(_) => discard(id, "it holds another state than its header says"),
        Err(error) => discard(id, &error.to_string()),
    }
    None
}

/// Whether what the state inherited can still be read in the log: it must not outlive the erasure of its parent.
fn is_whole(log: &Log, state: &SessionState) -> bool {
    let mut from = state.family.inherited.map(|inherited| inherited.from);
    for _ in 0..=LINE_MAX {
        let Some(parent) = from else { return true };
        let first = log.read_stream(parent.stream, Version(1), 1).ok();
        match first.as_ref().and_then(|page| page.first()) {
            Some(first) if first.event().is_some() => from = load::origin(first),
            _ => break,
        }
    }
    discard(state.stream, "a session that it was forked from is gone");
    false
}

fn discard(id: StreamId, why: &str) {
    tracing::warn!(session = %id, why, "a snapshot is not used; the history is read instead");
}

/// Whether a session of this version, whose last snapshot is of version `last`, gets one. `inherited` is the version of
/// its parent that it goes on from.
fn is_due(version: Version, last: Version, inherited: Version) -> bool {
    if last.0 == 0 && inherited.0 > TAIL_EVENTS {
        // Its parent's events are read with its own.
        return version.0 > 0;
    }
    version.0 > last.0 + TAIL_EVENTS && version.0 >= last.0 * GROWTH
}

impl Session {
    /// Keeps what was folded, if that saves the next actor time. The actor has no use for its state any more; writing is
    /// the blocking pool's work, and nobody waits for it.
    pub(super) fn rest(&mut self) {
        let inherited = self.state.family.inherited.map_or(Version(0), |inherited| inherited.from.version);
        if self.state.erasure.is_some() || !is_due(self.state.version, self.snapshot, inherited) {
            return;
        }
        let (log, state) = (self.shared.log.clone(), std::mem::replace(&mut self.state, SessionState::empty(self.id)));
        self.shared.settings.blocking.detach(move || keep(&log, &state));
    }
}

fn keep(log: &Arc<Log>, state: &SessionState) {
    let kept = state.to_bytes().map_err(|error| error.to_string()).and_then(|bytes| {
        let snapshot = Snapshot { version: state.version, hash: state.hash, bytes };
        log.keep_snapshot(state.tip(), shape(), &snapshot).map_err(|error| error.to_string())
    });
    match kept {
        Ok(()) => tracing::debug!(session = %state.stream, version = %state.version, "a snapshot is kept"),
        Err(why) => tracing::warn!(session = %state.stream, why, "no snapshot; the session is replayed next time"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_due_when_the_tail_is_long_and_the_session_has_doubled() {
        for (version, last, inherited, due) in [
            (0, 0, 0, false),
            (200, 0, 0, false),
            (201, 0, 0, true),
            (300, 201, 0, false),
            (401, 201, 0, false),
            (402, 201, 0, true),
            (9_999, 5_000, 0, false),
            (10_000, 5_000, 0, true),
            (0, 0, 500, false),
            (2, 0, 200, false),
            (2, 0, 201, true),
            (9, 2, 500, false),
        ] {
            assert_eq!(is_due(Version(version), Version(last), Version(inherited)), due, "{version} after {last}");
        }
    }
}
