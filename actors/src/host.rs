//! The directory of active sessions, and the only way to their mailboxes.
//!
//! A session that is not active is spawned when somebody speaks to it, and is read from the log. An idle one is given up
//! by a hand-over that loses nothing: it asks, the host stops routing to it and holds what arrives, the session agrees
//! or refuses, and what was held goes to the next actor or back to this one (measured.md §3.4). A dead address (a
//! panic) is dropped, the session is spawned again, and the command goes to the new one.

use crate::{
    command::Refusal,
    session::{Leave, Session, SessionCommand},
    shared::Shared,
};
use actix::{
    Actor, ActorFutureExt, Addr, ArbiterHandle, AsyncContext, Context, Handler, Message, MessageResult, WrapFuture,
    dev::SendError,
};
use dispatch_events::StreamId;
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{sync::oneshot, time::Instant};

/// Commands that wait in the host's mailbox.
const MAILBOX: usize = 4096;
/// Commands that are held for one session while it leaves.
const HELD_MAX: usize = 256;
/// From this many names on, old ones that were never opened are forgotten.
const OPENING_MANY: usize = 1024;
/// No session takes this long to be opened or refused.
const OPENING_FORGET: Duration = Duration::from_secs(60);
/// Wait before a session that gave up over a turn is woken; it doubles each time.
const REVIVE_FIRST: Duration = Duration::from_millis(250);
/// A session that has been well for this long begins anew.
const REVIVE_FORGET: Duration = Duration::from_secs(300);

/// The actor.
pub struct Host {
    shared: Arc<Shared>,
    arbiters: Vec<ArbiterHandle>,
    sessions: HashMap<StreamId, Entry>,
    /// Names, and routing keys, of sessions that are being opened, so that two first requests make one session.
    opening: HashMap<String, (StreamId, Instant)>,
    /// How often a session that gave up over a turn was woken, and when last.
    revived: HashMap<StreamId, (u32, Instant)>,
    spawned: u64,
}

enum Entry {
    Active { session: Addr<Session>, spawn: u64 },
    Leaving { session: Addr<Session>, spawn: u64, held: Vec<ToSession> },
}

impl Host {
    /// The host over these arbiters; without one, its sessions run on its own.
    pub fn new(shared: Arc<Shared>, arbiters: Vec<ArbiterHandle>) -> Self {
        Self {
            shared,
            arbiters,
            sessions: HashMap::new(),
            opening: HashMap::new(),
            revived: HashMap::new(),
            spawned: 0,
        }
    }

    fn route(&mut self, mut message: ToSession, ctx: &mut Context<Self>) {
        if self.shared.is_draining() && message.command.is_new_work() {
            message.command.refuse(Refusal::Draining);
            return;
        }
        // Twice: the second time with a new actor, if the address that we had is dead.
        for _ in 0..2 {
            if !self.sessions.contains_key(&message.session) {
                self.spawn(message.session, message.fresh.as_deref(), ctx);
            }
            let session = match self.sessions.get_mut(&message.session) {
                Some(Entry::Active { session, .. }) => session,
                Some(Entry::Leaving { held, .. }) if held.len() < HELD_MAX => return held.push(message),
                Some(Entry::Leaving { .. }) | None => return message.command.refuse(Refusal::Busy),
            };
            // Every clone of an address has one place in the mailbox: a stop and a verdict get in when it is full.
            let sent = match message.command.is_control() {
                true => session.clone().try_send(message.command),
                false => session.try_send(message.command),
            };
            match sent {
                Ok(()) => return,
                Err(SendError::Full(command)) => return command.refuse(Refusal::Busy),
                Err(SendError::Closed(command)) => {
                    tracing::warn!(session = %message.session, "its actor is gone; it is rebuilt from the log");
                    self.forget(message.session);
                    message.command = command;
                }
            }
        }
        message.command.refuse(Refusal::Busy);
    }

    fn spawn(&mut self, id: StreamId, fresh: Option<&str>, ctx: &mut Context<Self>) {
        self.spawned += 1;
        let spawn = self.spawned;
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let (shared, host) = (self.shared.clone(), ctx.address());
        let fresh = fresh.map(str::to_owned);
        let session = match self.arbiters.len() {
            0 => Session::new(shared, host, id, spawn, fresh).start(),
            many => {
                let arbiter = &self.arbiters[(hasher.finish() % many as u64) as usize];
                Session::start_in_arbiter(arbiter, move |_| Session::new(shared, host, id, spawn, fresh))
            }
        };
        self.sessions.insert(id, Entry::Active { session, spawn });
        self.shared.live.active.store(self.sessions.len(), Ordering::SeqCst);
        metrics::gauge!("dispatch_sessions_active").set(self.sessions.len() as f64);
    }

    fn forget(&mut self, id: StreamId) {
        self.sessions.remove(&id);
        self.shared.live.active.store(self.sessions.len(), Ordering::SeqCst);
        metrics::gauge!("dispatch_sessions_active").set(self.sessions.len() as f64);
    }

    /// Wakes a session whose actor gave up over a turn: after a quarter of a second, and each time twice as late.
    fn revive_later(&mut self, id: StreamId, ctx: &mut Context<Self>) {
        let now = Instant::now();
        self.revived.retain(|_, (_, at)| now.duration_since(*at) < REVIVE_FORGET);
        let (times, at) = self.revived.entry(id).or_insert((0, now));
        let wait = REVIVE_FIRST.saturating_mul(1 << (*times).min(7));
        *times += 1;
        *at = now + wait;
        ctx.run_later(wait, move |host, ctx| {
            let (reply, _nobody_waits) = oneshot::channel();
            let message = ToSession { session: id, fresh: None, command: SessionCommand::Wake { reply } };
            host.route(message, ctx);
        });
    }

    fn left(&mut self, id: StreamId, spawn: u64, agreed: bool, ctx: &mut Context<Self>) {
        let Some(Entry::Leaving { session, spawn: leaving, held }) = self.sessions.remove(&id) else { return };
        if leaving == spawn && !agreed {
            self.sessions.insert(id, Entry::Active { session, spawn });
        } else {
            self.forget(id);
        }
        for message in held {
            self.route(message, ctx);
        }
    }
}

impl Actor for Host {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

/// A command for a session.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ToSession {
    /// The session.
    pub session: StreamId,
    /// The name that it gets, if it has no events yet.
    pub fresh: Option<String>,
    /// The command, with its way back.
    pub command: SessionCommand,
}

impl Handler<ToSession> for Host {
    type Result = ();

    fn handle(&mut self, message: ToSession, ctx: &mut Self::Context) {
        self.route(message, ctx);
    }
}

/// The id that a new session of this name gets: the same for everybody who asks while it is being opened.
#[derive(Message)]
#[rtype(result = "StreamId")]
pub struct IdForNew(pub String);

impl Handler<IdForNew> for Host {
    type Result = MessageResult<IdForNew>;

    fn handle(&mut self, IdForNew(name): IdForNew, _: &mut Self::Context) -> Self::Result {
        let now = Instant::now();
        if self.opening.len() >= OPENING_MANY {
            self.opening.retain(|_, (_, since)| now.duration_since(*since) < OPENING_FORGET);
        }
        MessageResult(self.opening.entry(name).or_insert_with(|| (StreamId::fresh(), now)).0)
    }
}

/// This session is open, or will not be: from here on the log knows what it is called.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Opened(pub StreamId);

impl Handler<Opened> for Host {
    type Result = ();

    fn handle(&mut self, opened: Opened, _: &mut Self::Context) {
        self.opening.retain(|_, (id, _)| *id != opened.0);
    }
}

/// A session has been idle and would like to go.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Passivate {
    /// The session.
    pub session: StreamId,
    /// Which of its actors.
    pub spawn: u64,
}

impl Handler<Passivate> for Host {
    type Result = ();

    fn handle(&mut self, passivate: Passivate, ctx: &mut Self::Context) {
        let Passivate { session: id, spawn } = passivate;
        match self.sessions.remove(&id) {
            Some(Entry::Active { session, spawn: active }) if active == spawn => {
                let leave = session.send(Leave);
                self.sessions.insert(id, Entry::Leaving { session, spawn, held: Vec::new() });
                // A session that can't answer is gone already.
                let leave = leave.into_actor(self).map(move |agreed, host, ctx| {
                    host.left(id, spawn, agreed.unwrap_or(true), ctx);
                });
                ctx.spawn(leave);
            }
            Some(other) => {
                self.sessions.insert(id, other);
            }
            None => {}
        }
    }
}

/// A session's actor has given up by itself.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Gone {
    /// The session.
    pub session: StreamId,
    /// Which of its actors.
    pub spawn: u64,
    /// Whether it carried a turn, which somebody has to recover.
    pub carried: bool,
}

impl Handler<Gone> for Host {
    type Result = ();

    fn handle(&mut self, gone: Gone, ctx: &mut Self::Context) {
        if matches!(self.sessions.get(&gone.session), Some(Entry::Active { spawn, .. }) if *spawn == gone.spawn) {
            self.forget(gone.session);
        }
        if gone.carried {
            self.revive_later(gone.session, ctx);
        }
    }
}

/// A session's actor died over a turn: somebody has to recover it.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Revive(pub StreamId);

impl Handler<Revive> for Host {
    type Result = ();

    fn handle(&mut self, Revive(session): Revive, ctx: &mut Self::Context) {
        self.revive_later(session, ctx);
    }
}
