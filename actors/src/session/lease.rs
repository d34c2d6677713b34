//! The session's lease, where several hosts share a log: look before deciding, wait for another host's lease, take over
//! what was left, and stop at once when the lease is lost.

use super::{
    Session, SessionCommand,
    commands::{Done, answer},
};
use crate::{
    command::{Refusal, Submit},
    decide::{
        lease::{LeaseFacts, Standing, standing, why},
        submit::{self, Submitted},
    },
    session::commands::Reply,
    settings::Ownership,
    shared::PAGE_EVENTS,
    start::append_to_own,
};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use dispatch_events::{
    Epoch, Event, Log, Recorded, StreamId, Version, catalogue::host::AppendRefused, store::AppendError,
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Time between two looks at a session that another host holds.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// An input that waits for another host's lease.
pub(super) struct Waiting {
    command: Box<(Submit, String, Reply<crate::Receipt>)>,
    since: Instant,
}

impl Session {
    fn is_shared(&self) -> bool {
        self.shared.settings.ownership == Ownership::Shared
    }

    /// How the session stands to this host.
    pub(super) fn standing(&self) -> Standing {
        let unseen_ms = u64::try_from(self.lease_seen.elapsed().as_millis()).unwrap_or(u64::MAX);
        let facts = LeaseFacts { epoch: self.shared.log.epoch(), ownership: self.shared.settings.ownership, unseen_ms };
        standing(&self.state, facts)
    }

    /// Whether the turn that the log calls running is this host's.
    pub(super) fn holds_lease(&self) -> bool {
        self.state.lease.held.is_some_and(|held| held.holder == self.shared.log.epoch())
    }

    /// Why whoever carried the turn does not carry it any more.
    pub(super) fn why_lost(&self) -> String {
        let held = self.state.lease.held;
        let (holder, ttl_ms) = (held.map(|held| held.holder), held.map_or(0, |held| held.ttl_ms));
        why(self.shared.settings.ownership, holder, self.shared.log.epoch(), ttl_ms)
    }

    /// Whether another host may have moved the stream on since this one looked. One that carries a turn learns that
    /// from the version of its next append.
    pub(super) fn looks_first(&mut self) -> bool {
        let looked = std::mem::take(&mut self.looked);
        self.is_shared() && !looked && self.running.is_none() && self.broken.is_none()
    }

    /// Looks at the stream, then takes the command.
    pub(super) fn look_then(&mut self, command: SessionCommand) -> Done {
        Box::pin(self.look().map(|(), session: &mut Self, ctx: &mut Context<Self>| {
            session.looked = true;
            ctx.notify(command);
        }))
    }

    /// The command, if this host may carry it out now. An input waits for the lease; everything else is refused.
    pub(super) fn if_ours(&mut self, command: SessionCommand) -> Option<SessionCommand> {
        let Standing::Held(holder) = self.standing() else { return Some(command) };
        match command {
            SessionCommand::Submit { submit, request, reply } if self.is_shared() => {
                self.wait_for_lease(submit, request, reply)
            }
            SessionCommand::Wake { reply } => answer(reply, Ok(())),
            other => other.refuse(Refusal::Held(holder)),
        }
        None
    }

    fn wait_for_lease(&mut self, submit: Submit, request: String, reply: Reply<crate::Receipt>) {
        // What needs no append needs no lease either: a repeated input, or one that is refused anyway.
        match submit::submit(&self.state, &submit, &self.submit_facts(&request)) {
            Ok(Submitted::Repeated(before)) => answer(reply, self.receipt(before, true)),
            Err(refusal) => answer(reply, Err(refusal)),
            Ok(_) if self.waiting.len() >= self.shared.settings.queue_limit => {
                answer(reply, Err(Refusal::QueueFull(self.waiting.len())));
            }
            Ok(_) => {
                let command = Box::new((submit, request, reply));
                self.waiting.push_back(Waiting { command, since: Instant::now() });
            }
        }
    }

    /// Whether what a host run owes is left to that run: it may be alive, and meet it.
    pub(super) fn leaves_to(&self, owner: Epoch) -> bool {
        let alive = Duration::from_millis(self.shared.settings.lease_ttl_ms);
        self.is_shared() && owner != self.shared.log.epoch() && self.lease_seen.elapsed() < alive
    }

    pub(super) fn watch_foreign(&self, ctx: &mut Context<Self>) {
        if self.is_shared() {
            ctx.run_interval(LOOK_EVERY, |session, ctx| session.look_at_lease(ctx));
        }
    }

    /// Whether this actor waits for another host.
    pub(super) fn awaits_host(&self) -> bool {
        !self.waiting.is_empty() || (self.is_shared() && self.state.lease.held.is_some() && !self.holds_lease())
    }

    fn look_at_lease(&mut self, ctx: &mut Context<Self>) {
        if self.broken.is_some() || self.running.is_some() || !self.awaits_host() {
            return;
        }
        let looked = self.look().map(|(), session, ctx: &mut Context<Self>| session.after_look(ctx));
        ctx.wait(looked);
    }

    fn after_look(&mut self, ctx: &mut Context<Self>) {
        if let Standing::Held(holder) = self.standing() {
            let limit = Duration::from_millis(self.shared.settings.lease_wait_ms);
            while let Some(waited) = self.waiting.pop_front_if(|waiting| waiting.since.elapsed() >= limit) {
                answer(waited.command.2, Err(Refusal::Held(holder)));
            }
            return;
        }
        if self.state.erasure.is_none() && (self.shared.settings.recover || !self.waiting.is_empty()) {
            self.take_over(ctx);
        }
        for waited in self.waiting.drain(..) {
            let (submit, request, reply) = *waited.command;
            ctx.notify(SessionCommand::Submit { submit, request, reply });
        }
    }

    /// Takes what another host left, and what waits.
    fn take_over(&mut self, ctx: &mut Context<Self>) {
        let events = self.lost(self.claim_facts());
        let meta = self.turn_meta(None);
        let taken = self.commit(events, meta).map(|taken, session, ctx: &mut Context<Self>| {
            if let Err(refusal) = taken {
                session.after_refusal(&refusal, ctx);
            }
        });
        ctx.wait(taken);
    }

    /// Folds what other hosts have appended since this one looked.
    fn look(&mut self) -> Done {
        let (log, id, version) = (self.shared.log.clone(), self.id, self.state.version);
        let read = self.shared.settings.blocking.run(move || tail(&log, id, version));
        Box::pin(read.into_actor(self).map(|tail, session, ctx: &mut Context<Self>| {
            match tail.map_err(|error| error.to_string()).and_then(|tail| tail) {
                Ok(tail) if tail.is_empty() => {}
                Ok(tail) => session.moved_on(&tail, ctx),
                Err(why) => tracing::warn!(session = %session.id, why, "what other hosts wrote can't be read"),
            }
        }))
    }

    fn moved_on(&mut self, tail: &[Recorded], ctx: &mut Context<Self>) {
        for recorded in tail {
            if let Err(error) = self.state.apply(recorded) {
                return self.give_up(&error.to_string(), ctx);
            }
            match recorded.event() {
                Some(Event::LeaseAcquired(_) | Event::LeaseRenewed(_)) => self.lease_seen = Instant::now(),
                Some(Event::SessionOpened(_) | Event::SessionRenamed(_)) => {
                    self.shared.forget_names_of(self.id);
                    self.shared.remember(&self.state.name, self.id);
                }
                _ => {}
            }
        }
        self.fresh = None;
        self.loaded = self.state.version;
        self.rendered = None;
        self.settled(ctx);
    }

    /// An append met another host's. Whoever carried a turn has lost its lease: the turn stops now, and what was refused
    /// is put on record. Whoever carried none looks again and decides once more.
    pub(super) fn overtaken(&mut self, error: &AppendError, what: Vec<String>) -> Refusal {
        let AppendError::Conflict { stream, expected, actual } = error else {
            return Refusal::Persistence(error.to_string());
        };
        if !self.holds_lease() {
            return Refusal::Moved;
        }
        tracing::warn!(session = %self.id, %expected, %actual, "its lease is lost: its turn stops, nothing of it is written");
        self.running = None;
        let owner = self.shared.log.epoch();
        let refused = AppendRefused { owner, stream: *stream, expected: *expected, actual: *actual, what };
        let shared = self.shared.clone();
        actix::spawn(async move {
            if let Err(error) = append_to_own(&shared.log, shared.settings.blocking, refused.into()).await {
                tracing::warn!(%error, "a refused write could not be put on record");
            }
        });
        Refusal::Persistence(format!("{error}: another host has the session now, and nothing was written"))
    }
}

/// The events behind a version. Blocks.
fn tail(log: &Arc<Log>, id: StreamId, version: Version) -> Result<Vec<Recorded>, String> {
    let head = log.store().head(id).map_err(|error| error.to_string())?;
    let mut tail = Vec::new();
    let mut next = version.next();
    while head.is_some_and(|head| head.version >= next) {
        let page = log.read_stream(id, next, PAGE_EVENTS).map_err(|error| error.to_string())?;
        let Some(last) = page.last() else { break };
        next = last.version.next();
        tail.extend(page);
    }
    Ok(tail)
}
