//! The erasure of a session: asked for, its key destroyed, what lies outside the log purged, done.
//!
//! Each step is durable before the next begins, and each can be repeated, so whoever finds an erasure half done (a later
//! start, or the caller who asks again) finishes it from its second step.

use super::{Session, commands::Reply, commit::Meta};
use crate::{
    command::{Erased, Refusal},
    handle::Update,
    hub::Live,
};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture, fut, fut::LocalBoxActorFuture};
use dispatch_events::{
    Log, StreamId,
    catalogue::{
        input::Principal,
        session::{SessionEraseRequested, SessionErased},
    },
    keys::{KeyError, KeyId},
};
use dispatch_projections::state::Erasure;

type Finished = LocalBoxActorFuture<Session, Result<(), Refusal>>;

impl Session {
    /// Why nothing can be asked of this session any more.
    pub(super) fn gone(&self) -> Option<Refusal> {
        self.state.erasure.map(|_| Refusal::Erased(self.id))
    }

    /// Erases the session, or finishes what was begun. A turn that runs is dropped: nobody could read how it ends.
    pub(super) fn erase(&mut self, principal: &Principal, reply: Reply<Erased>) -> LocalBoxActorFuture<Self, ()> {
        let meta = Meta { principal: self.shared.principal_id(principal), ..self.turn_meta(None) };
        let requested: Finished = match (self.state.erasure, &self.state.opened) {
            (Some(Erasure::Done), _) => Box::pin(fut::ready(Err(Refusal::Erased(self.id)))),
            (Some(Erasure::Requested), _) => Box::pin(fut::ready(Ok(()))),
            (None, None) => Box::pin(fut::ready(Err(Refusal::NotFound(self.id.to_string())))),
            (None, Some(_)) => {
                let event = SessionEraseRequested { name: self.state.name.clone(), by: principal.clone() };
                Box::pin(self.commit(vec![event.into()], meta).map(|committed, _, _| committed.map(drop)))
            }
        };
        let done = requested.then(move |requested, session: &mut Self, _| match requested {
            Ok(()) => session.finish_erasure(meta, false),
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
        let (log, id, key) = (self.shared.log.clone(), self.id, self.state.key);
        let purged = tokio::task::spawn_blocking(move || purge(&log, id, key));
        let event = SessionErased { events: self.state.version.0, after_restart };
        Box::pin(purged.into_actor(self).then(move |purged, session, _| -> Finished {
            match purged.map_err(|error| error.to_string()).and_then(|purged| purged) {
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

/// Destroys the key, then removes what it sealed outside the log; returns the key for what is still to be written.
fn purge(log: &Log, id: StreamId, key: KeyId) -> Result<KeyId, String> {
    match log.keys().destroy(key) {
        // Without its slab nobody can read the session either.
        Err(KeyError::Missing(key)) => tracing::warn!(session = %id, %key, "the key to destroy is not in the folder"),
        other => other.map_err(|error| error.to_string())?,
    }
    log.snapshots().remove(id).map_err(|error| error.to_string())?;
    log.blobs().purge(id).map_err(|error| error.to_string())?;
    log.keys().take().map_err(|error| error.to_string())
}
