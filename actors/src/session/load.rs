//! Becoming what the log says, and going on where it ends.

use super::{
    Session, kept,
    snapshot::{Folded, newest},
};
use crate::{
    decide::lease::Standing,
    decide::{
        fork::{DEPTH_MAX, LINE_MAX},
        recover::{abandon, recover},
        settle::ClaimFacts,
    },
    settings::Ownership,
    shared::PAGE_EVENTS,
};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use dispatch_events::{Event, Log, Recorded, StreamId, Version, catalogue::session::ForkPoint};
use dispatch_projections::{SessionState, state::Erasure};
use tokio::time::Instant;

impl Session {
    /// Reads the stream before the first message is handled, then recovers what nobody carries.
    pub(super) fn load(&mut self, ctx: &mut Context<Self>) {
        let (log, id) = (self.shared.log.clone(), self.id);
        let shared = self.shared.clone();
        let read = self.shared.settings.blocking.run(move || {
            let Folded { state, snapshot } = newest(&log, id)?;
            // Rendering a long history is the blocking pool's work too.
            let rendered = super::request::rendered(&shared, &state);
            Ok((state, snapshot, rendered))
        });
        let loaded = read.into_actor(self).map(|state, session, ctx| {
            match state.map_err(|error| error.to_string()).and_then(|state| state) {
                Ok((state, snapshot, rendered)) => {
                    session.loaded = state.version;
                    session.snapshot = snapshot;
                    session.state = state;
                    session.lease_seen = Instant::now();
                    session.rendered = rendered;
                }
                Err(why) => {
                    tracing::error!(session = %session.id, why, "the session can't be read");
                    session.broken = Some(why);
                    return;
                }
            }
            if session.state.erasure.is_some() {
                session.fresh = None;
                if session.state.erasure == Some(Erasure::Requested) && session.shared.settings.recover {
                    session.resume_erasure(ctx);
                }
                return;
            }
            if session.state.version.0 > 0 {
                session.fresh = None;
                session.shared.remember(&session.state.name, session.id);
            }
            if session.shared.settings.recover {
                session.recover(ctx);
            }
        });
        ctx.wait(loaded);
    }

    /// What an earlier run of the host left, as events that deal with it. Once for each actor.
    pub(super) fn left_behind(&mut self) -> Vec<Event> {
        if std::mem::replace(&mut self.recovered, true) {
            return Vec::new();
        }
        if matches!(self.standing(), Standing::Held(_)) {
            return Vec::new();
        }
        let mut events = self.lost(self.claim_facts());
        if !self.shared.settings.durable_memory && self.shared.settings.ownership == Ownership::Sole {
            let abandoned = abandon(&self.state, self.shared.log.epoch());
            if !abandoned.is_empty() {
                tracing::warn!(session = %self.id, count = abandoned.len(), "memory writes of an earlier run are abandoned");
            }
            events.extend(abandoned);
        }
        if let Some(first) = events.first() {
            tracing::info!(session = %self.id, first = first.name(), "what an earlier run left is recovered");
        }
        events
    }

    /// What follows for a turn that nobody carries.
    pub(super) fn lost(&self, facts: ClaimFacts) -> Vec<Event> {
        recover(&self.state, &self.why_lost(), self.shared.settings.recovery, facts)
    }

    fn recover(&mut self, ctx: &mut Context<Self>) {
        let events = self.left_behind();
        if events.is_empty() {
            self.settled(ctx);
            return;
        }
        let meta = self.turn_meta(None);
        let commit = self.commit(events, meta).map(|result, session, ctx: &mut Context<Session>| {
            if let Err(refusal) = result {
                session.give_up(&refusal.to_string(), ctx);
            }
        });
        ctx.wait(commit);
    }
}

/// Folds a stream from its first event up to and including `at`; a fork from the first event of its line. Blocks.
///
/// # Errors
/// In words, with the position of what can't be read.
pub(crate) fn fold(log: &Log, id: StreamId, at: Option<Version>) -> Result<SessionState, String> {
    fold_line(log, id, at, LINE_MAX)
}

/// `forks` is how many may stand before it: a log that names a session as its own parent ends somewhere.
fn fold_line(log: &Log, id: StreamId, at: Option<Version>, forks: u32) -> Result<SessionState, String> {
    let (page, last) = log.read_page(id, Version(1), PAGE_EVENTS).map_err(|error| error.to_string())?;
    let before = before_first(log, id, &page, forks)?;
    fold_on(log, before, (&page, last), at)
}

/// What a session has before its first event: nothing, or what it inherits as a fork. Blocks.
///
/// # Errors
/// As [`fold`].
pub(crate) fn beginning(log: &Log, id: StreamId, page: &[Recorded]) -> Result<SessionState, String> {
    before_first(log, id, page, LINE_MAX)
}

fn before_first(log: &Log, id: StreamId, page: &[Recorded], forks: u32) -> Result<SessionState, String> {
    let Some(from) = page.first().and_then(origin) else { return Ok(SessionState::empty(id)) };
    // As long as it holds a part only, those before it are read.
    if depth(page) > DEPTH_MAX
        && let Ok(Some(parent)) = kept::parent(log, id, from)
    {
        return Ok(SessionState::forked(parent, id));
    }
    let left = forks.checked_sub(1).ok_or_else(|| format!("session {id} has more than {LINE_MAX} forks before it"))?;
    inherit(log, id, from, left)
}

/// How many forks stand between a session and one that is none, by its first events.
fn depth(page: &[Recorded]) -> u32 {
    match page.get(1).and_then(|second| second.event()) {
        Some(Event::SessionForked(forked)) => forked.depth,
        _ => 0,
    }
}

/// What a fork inherits. Blocks.
///
/// # Errors
/// As [`fold`]; also when its parent was erased: the conversation would look shorter than it was.
pub(super) fn inherited(log: &Log, child: StreamId, from: ForkPoint) -> Result<SessionState, String> {
    inherit(log, child, from, LINE_MAX)
}

fn inherit(log: &Log, child: StreamId, from: ForkPoint, forks: u32) -> Result<SessionState, String> {
    match parent_of(log, child, from, forks) {
        Ok(parent) => Ok(SessionState::forked(parent, child)),
        // It may hold itself what its parent does not any more.
        Err(why) => match kept::parent(log, child, from)? {
            Some(parent) => Ok(SessionState::forked(parent, child)),
            None => Err(why),
        },
    }
}

fn parent_of(log: &Log, child: StreamId, from: ForkPoint, forks: u32) -> Result<SessionState, String> {
    let parent = fold_line(log, from.stream, Some(from.version), forks)?;
    if parent.erasure.is_some() {
        return Err(format!("{}, which was erased: what it inherited can't be read any more", fork_of(child, from)));
    }
    if parent.version != from.version {
        let last = parent.version;
        return Err(format!(
            "{}, whose log ends at version {last}: `dispatch audit verify` shows why",
            fork_of(child, from)
        ));
    }
    Ok(parent)
}

fn fork_of(child: StreamId, from: ForkPoint) -> String {
    format!("session {child} is a fork of session {} at version {}", from.stream, from.version)
}

/// Where a session was forked from, by its first event.
pub(super) fn origin(first: &Recorded) -> Option<ForkPoint> {
    match first.event() {
        Some(Event::SessionOpened(opened)) => opened.parent,
        _ => None,
    }
}

/// Folds `page`, which is what follows `state`, and the rest of the stream behind it, up to and including `at`. A page
/// comes with the word whether it is the last one. Blocks.
///
/// # Errors
/// As [`fold`].
pub(super) fn fold_on(
    log: &Log,
    mut state: SessionState,
    page: (&[Recorded], bool),
    at: Option<Version>,
) -> Result<SessionState, String> {
    let mut next;
    let (mut page, mut last) = page;
    loop {
        for recorded in page {
            if at.is_some_and(|at| recorded.version > at) {
                return Ok(state);
            }
            state.apply(recorded).map_err(|error| error.to_string())?;
        }
        if last {
            return Ok(state);
        }
        (next, last) =
            log.read_page(state.stream, state.version.next(), PAGE_EVENTS).map_err(|error| error.to_string())?;
        if next.is_empty() {
            return Ok(state);
        }
        page = &next;
    }
}
