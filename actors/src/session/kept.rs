//! What a fork inherits, under its own key: its parent is about to be erased, and the fork is to stay.
//!
//! The events of the whole line before it are appended to the fork's own stream as they were. Folded again, they give
//! the very state that the fork began with, so nothing that was sent or shown is another.

use super::{
    Session,
    commands::{Done, Reply, answer},
    load,
};
use crate::{command::Refusal, shared::PAGE_EVENTS};
use actix::{ActorFutureExt, Context, WrapFuture, fut};
use dispatch_events::{
    Body, CorrelationId, Digest, Epoch, Event, EventId, Log, Position, PrincipalId, Recorded, StreamId, Version,
    catalogue::{
        input::Principal,
        session::{ForkPoint, SessionInherited},
    },
    keys::KeyId,
};
use dispatch_projections::SessionState;
use std::collections::HashSet;

/// Events of one append.
const AT_ONCE: usize = 100;
/// Bytes of payloads from which on an append takes no more events.
const AT_ONCE_BYTES: usize = 1024 * 1024;

impl Session {
    /// Appends what the session inherits and does not hold itself yet.
    pub(super) fn keep_inherited(&mut self, principal: &Principal, reply: Reply<()>) -> Done {
        let Some(inherited) = self.state.family.inherited else {
            answer(reply, Ok(()));
            return Box::pin(fut::ready(()));
        };
        let (log, id, principal) = (self.shared.log.clone(), self.id, principal.clone());
        let read = self.shared.settings.blocking.run(move || missing(&log, id, inherited.from));
        Box::pin(read.into_actor(self).then(move |missing, session: &mut Self, _: &mut Context<Self>| {
            match missing.map_err(|error| error.to_string()).and_then(|missing| missing) {
                Ok(missing) => session.append_inherited(missing, principal, reply),
                Err(why) => {
                    answer(reply, Err(Refusal::Storage(why)));
                    Box::pin(fut::ready(()))
                }
            }
        }))
    }

    /// One append after the other; what is there already when one fails is not appended again.
    fn append_inherited(&mut self, mut rest: Vec<SessionInherited>, by: Principal, reply: Reply<()>) -> Done {
        let mut bytes = 0;
        let fits = |event: &&SessionInherited| {
            let fits = bytes < AT_ONCE_BYTES;
            bytes += event.payload.len();
            fits
        };
        let count = rest.iter().take(AT_ONCE).take_while(fits).count();
        let later = rest.split_off(count);
        let meta = self.command_meta(&by);
        let events: Vec<Event> = rest.into_iter().map(Event::from).collect();
        if later.is_empty() {
            return self.commit_and_answer(events, meta, reply, |_| Ok(()));
        }
        let commit = self.commit(events, meta);
        Box::pin(commit.then(move |committed, session: &mut Self, ctx: &mut Context<Self>| match committed {
            Ok(_) => session.append_inherited(later, by, reply),
            Err(refusal) => {
                session.tell(Err(refusal), reply, |_| Ok(()), ctx);
                Box::pin(fut::ready(()))
            }
        }))
    }
}

/// What the line before a fork holds and the fork does not. Blocks.
fn missing(log: &Log, child: StreamId, from: ForkPoint) -> Result<Vec<SessionInherited>, String> {
    let there: HashSet<_> = kept(log, child)?.into_iter().map(|event| (event.stream, event.version)).collect();
    let mut line = line(log, from)?;
    line.retain(|event| !there.contains(&(event.stream, event.version)));
    Ok(line)
}

/// Every event that somebody inherits who was forked there, the oldest session's first. Blocks.
fn line(log: &Log, from: ForkPoint) -> Result<Vec<SessionInherited>, String> {
    let own = stream(log, from.stream, Some(from.version))?;
    let mut line = match own.first().and_then(load::origin) {
        None => Vec::new(),
        // What it holds itself first: then those before it may be gone.
        Some(before) => match kept(log, from.stream)? {
            kept if kept.is_empty() => self::line(log, before)?,
            kept => kept,
        },
    };
    for recorded in own {
        let (kind, schema, payload) = match &recorded.body {
            Body::Known(Event::SessionInherited(_)) => ("session.inherited".to_owned(), 0, Vec::new()),
            Body::Known(event) => {
                let payload = event.encode().map_err(|error| error.to_string())?;
                (event.name().to_owned(), event.schema(), payload)
            }
            Body::Unknown { .. } => (recorded.kind.clone(), 0, Vec::new()),
            Body::Erased | Body::Unreadable(_) => {
                return Err(format!("position {}: what the fork inherits can't be read", recorded.position));
            }
        };
        let (stream, version, recorded_at) = (recorded.stream, recorded.version, recorded.recorded_at);
        line.push(SessionInherited { stream, version, recorded_at, kind, schema, payload });
    }
    Ok(line)
}

/// The inherited events that a session holds itself. Blocks.
pub(super) fn kept(log: &Log, id: StreamId) -> Result<Vec<SessionInherited>, String> {
    let own = stream(log, id, None)?;
    let kept = own.into_iter().filter_map(|recorded| match recorded.body {
        Body::Known(Event::SessionInherited(event)) => Some(event),
        _ => None,
    });
    Ok(kept.collect())
}

fn stream(log: &Log, id: StreamId, to: Option<Version>) -> Result<Vec<Recorded>, String> {
    let (mut all, mut next) = (Vec::new(), Version(1));
    loop {
        let (page, last) = log.read_page(id, next, PAGE_EVENTS).map_err(|error| error.to_string())?;
        let Some(end) = page.last().map(|recorded| recorded.version) else { return Ok(all) };
        all.extend(page.into_iter().filter(|recorded| to.is_none_or(|to| recorded.version <= to)));
        if last || to.is_some_and(|to| end >= to) {
            return Ok(all);
        }
        next = end.next();
    }
}

/// The state of the session at `from`, folded from what a fork of it holds itself; `None` if it holds nothing. Blocks.
///
/// # Errors
/// In words, when it does not hold all of it.
pub(super) fn parent(log: &Log, child: StreamId, from: ForkPoint) -> Result<Option<SessionState>, String> {
    let mut state: Option<SessionState> = None;
    for event in kept(log, child)? {
        let stream = event.stream;
        let mut now = match state {
            Some(state) if state.stream == stream => state,
            Some(before) => SessionState::forked(before, stream),
            None => SessionState::empty(stream),
        };
        now.apply(&recorded(log, event)?).map_err(|error| error.to_string())?;
        state = Some(now);
    }
    match state {
        Some(state) if (state.stream, state.version) != (from.stream, from.version) => {
            Err(format!("session {child} holds only a part of what it inherits: erasing its parent was cut off"))
        }
        state => Ok(state),
    }
}

fn recorded(log: &Log, event: SessionInherited) -> Result<Recorded, String> {
    let SessionInherited { stream, version, recorded_at, kind, schema, payload } = event;
    let known = Event::decode(&kind, schema, &payload).map_err(|error| error.to_string())?;
    let texts = known.iter().flat_map(Event::shared_texts);
    let shared = texts.map(|text| log.blobs().shared(text.address)).collect::<Result<_, _>>();
    let body = match known {
        Some(event) => Body::Known(event),
        None => Body::Unknown { length: payload.len() },
    };
    Ok(Recorded {
        position: Position::default(),
        stream,
        version,
        id: EventId::default(),
        recorded_at,
        epoch: Epoch::default(),
        correlation: CorrelationId::default(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
        kind,
        schema,
        key: KeyId::default(),
        hash: Digest::default(),
        body,
        shared: shared.map_err(|error| error.to_string())?,
    })
}
