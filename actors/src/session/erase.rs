//! The erasure of a session: asked for, its key destroyed, what lies outside the log purged, done.
//!
//! Each step is durable before the next begins, and each can be repeated, so whoever finds an erasure half done (a later
//! start, or the caller who asks again) finishes it from its second step.

use super::{
    Session,
    commands::{Done, Reply},
    commit::Meta,
};
use crate::{
    command::{Erased, Refusal},
    courier::Forget,
    handle::Update,
    hub::Live,
    shared::PAGE_EVENTS,
};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture, fut, fut::LocalBoxActorFuture};
use dispatch_events::{
    Event, Log, StreamId, Version,
    catalogue::{
        input::Principal,
        session::{SessionEraseRequested, SessionErased},
    },
    envelope::Header,
    keys::KeyError,
};
use dispatch_projections::{SessionState, state::Erasure};

type Finished = LocalBoxActorFuture<Session, Result<(), Refusal>>;

impl Session {
    /// Why nothing can be asked of this session any more.
    pub(super) fn gone(&self) -> Option<Refusal> {
        self.state.erasure.map(|_| Refusal::Erased(self.id))
    }

    /// Erases the session, or finishes what was begun; `known` are the forks that the caller dealt with. A turn that runs is dropped: nobody could read how it ends.
    pub(super) fn erase(&mut self, principal: &Principal, known: Vec<StreamId>, reply: Reply<Erased>) -> Done {
        let meta = Meta { principal: self.shared.principal_id(principal), ..self.turn_meta(None) };
        let principal = principal.clone();
        let read = self.what_is_known();
        let requested = read.then(move |read, session: &mut Self, _| -> Finished {
            match (read, session.state.erasure) {
                (Err(refusal), _) => Box::pin(fut::ready(Err(refusal))),
                (_, Some(Erasure::Done)) => Box::pin(fut::ready(Err(Refusal::Erased(session.id)))),
                (_, Some(Erasure::Requested)) => Box::pin(fut::ready(Ok(()))),
                _ if session.state.version.0 == 0 => {
                    Box::pin(fut::ready(Err(Refusal::NotFound(session.id.to_string()))))
                }
                // It was forked while the caller looked at its forks.
                _ if session.state.family.branches.iter().any(|branch| !known.contains(&branch.child)) => {
                    Box::pin(fut::ready(Err(Refusal::Busy)))
                }
                _ => {
                    let event = SessionEraseRequested {
                        name: session.state.name.clone(),
                        route: session.state.opened.as_ref().and_then(|opened| opened.route.clone()),
                        by: principal,
                    };
                    Box::pin(session.commit(vec![event.into()], meta).map(|committed, _, _| committed.map(drop)))
                }
            }
        });
        let done = requested.then(move |requested, session: &mut Self, _| match requested {
            Ok(()) => session.finish_erasure(meta, false),
            // Its key may have come back with an older copy of the folder of keys.
            Err(Refusal::Erased(_)) => session.destroy_again(),
            Err(refusal) => Box::pin(fut::ready(Err(refusal))),
        });
        Box::pin(done.map(move |done, session: &mut Self, ctx: &mut Context<Self>| {
            let erased = Erased { session: session.id, version: session.state.version };
            if reply.send(done.clone().map(|()| erased)).is_err() {
                tracing::debug!("the caller went away before its session was erased");
            }
            if let Err(refusal @ (Refusal::Persistence(_) | Refusal::Storage(_))) = done {
                session.give_up(&refusal.to_string(), ctx);
            }
        }))
    }

    /// A session that can't be read can be erased all the same: where it ends is in the index, and what it was called
    /// in what can still be read.
    fn what_is_known(&mut self) -> Finished {
        if self.broken.is_none() {
            return Box::pin(fut::ready(Ok(())));
        }
        let (log, id) = (self.shared.log.clone(), self.id);
        let read = self.shared.settings.blocking.run(move || barely_read(&log, id));
        Box::pin(read.into_actor(self).map(|state, session, _| {
            let state = state.map_err(|error| error.to_string()).and_then(|state| state).map_err(Refusal::Storage)?;
            session.state = state;
            session.broken = None;
            Ok(())
        }))
    }

    fn destroy_again(&self) -> Finished {
        let (log, id) = (self.shared.log.clone(), self.id);
        let purged = self.shared.settings.blocking.run(move || purge(&log, id));
        Box::pin(purged.into_actor(self).map(move |purged, _, _| {
            match purged.map_err(|error| error.to_string()).and_then(|purged| purged) {
                Ok(()) => Err(Refusal::Erased(id)),
                Err(why) => Err(Refusal::Persistence(why)),
            }
        }))
    }

    /// Finishes what an earlier run of the host left half done.
    pub(super) fn resume_erasure(&mut self, ctx: &mut Context<Self>) {
        tracing::info!(session = %self.id, "an erasure that was begun is finished");
        let meta = self.turn_meta(None);
        let finished = self.finish_erasure(meta, true).map(|finished, session, ctx: &mut Context<Self>| {
            if let Err(refusal) = finished {
                session.give_up(&format!("its erasure is not finished: {refusal}"), ctx);
            }
        });
        ctx.wait(finished);
    }

    /// Everything after the request. What is appended at the end is sealed with a key of its own.
    fn finish_erasure(&mut self, meta: Meta, after_restart: bool) -> Finished {
        let (log, id) = (self.shared.log.clone(), self.id);
        let (forgotten, blocking) = (self.shared.courier.send(Forget(id)), self.shared.settings.blocking);
        let purged = async move {
            // Nothing of it is sent to a memory backend from here on.
            forgotten.await.map_err(|error| error.to_string())?;
            let purged = blocking.run(move || {
                purge(&log, id)?;
                log.keys().take().map_err(|error| error.to_string())
            });
            purged.await.map_err(|error| error.to_string())?
        };
        let event = SessionErased { events: self.state.version.0, after_restart };
        Box::pin(purged.into_actor(self).then(move |purged: Result<_, String>, session, _| -> Finished {
            match purged {
                Ok(fresh) => {
                    session.state.key = fresh;
                    Box::pin(session.commit(vec![event.into()], meta).map(|committed, _, _| committed.map(drop)))
                }
                Err(why) => Box::pin(fut::ready(Err(Refusal::Persistence(why)))),
            }
        }))
    }

    /// Drops what the actor held of the session, and tells who waits for its turn.
    pub(super) fn forget(&mut self) {
        if let Some(running) = self.running.take() {
            let message = Refusal::Erased(self.id).to_string();
            let update = Update::Broken { turn: running.turn, code: "not_found".to_owned(), message };
            if self.shared.hub.try_send(Live { stream: self.id, update }).is_err() {
                tracing::warn!(session = %self.id, "its viewers could not be told");
            }
        }
        self.rendered = None;
        self.owed.clear();
        self.shared.forget_names_of(self.id);
    }
}

/// Destroys the key, then removes what it sealed outside the log. The key is the one of the first event: the last one
/// of an erased session has another.
fn purge(log: &Log, id: StreamId) -> Result<(), String> {
    let first = log.store().read_stream(id, Version(1), 1).map_err(|error| error.to_string())?;
    let header = first.first().map(|record| Header::parse(record)).transpose().map_err(|error| error.to_string())?;
    let key = header.ok_or("its first event is missing")?.0.key;
    match log.keys().destroy(key) {
        // Without its slab nobody can read the session either.
        Err(KeyError::Missing(key)) => tracing::warn!(session = %id, %key, "the key to destroy is not in the folder"),
        other => other.map_err(|error| error.to_string())?,
    }
    log.snapshots().remove(id).map_err(|error| error.to_string())?;
    log.blobs().purge(id).map_err(|error| error.to_string())
}

/// The end of a session, its name and its forks, without a fold. Blocks.
///
/// # Errors
/// In words, when its head can't be read.
pub(crate) fn barely_read(log: &Log, id: StreamId) -> Result<SessionState, String> {
    let mut state = SessionState::empty(id);
    let Some(head) = log.store().head(id).map_err(|error| error.to_string())? else { return Ok(state) };
    (state.version, state.key, state.hash) = (head.version, head.key, head.hash);
    let mut next = Version(1);
    // Up to a record that is damaged itself; a payload that can't be read is skipped.
    while let Ok(page) = log.read_stream(id, next, PAGE_EVENTS)
        && let Some(last) = page.last()
    {
        next = last.version.next();
        for event in page.iter().filter_map(|recorded| recorded.event()) {
            match event {
                Event::SessionOpened(opened) => {
                    state.name.clone_from(&opened.name);
                    state.opened = Some(opened.clone());
                }
                Event::SessionRenamed(renamed) => state.name.clone_from(&renamed.name),
                Event::SessionBranched(branched) => state.family.branches.push(branched.clone()),
                Event::SessionEraseRequested(_) => state.erasure = Some(Erasure::Requested),
                _ => {}
            }
        }
    }
    Ok(state)
}
