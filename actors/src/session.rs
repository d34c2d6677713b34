//! A session: the only writer of its stream.
//!
//! Its state is [`SessionState`], folded from the log and from nothing else. A command is decided, the decision is
//! appended, the state takes what was appended, and only then anything happens. While an append is under way the mailbox
//! is not read ([`AtomicResponse`](actix::AtomicResponse)), so no decision is made on a state that is about to change.
//!
//! What a session does besides answering follows from its state after each append ([`settled`](Session::settled)): it
//! starts the turn that was claimed, and hands over what is owed. So an actor that is rebuilt does what the lost one
//! would have done.

mod approvals;
mod cancel;
mod commands;
mod commit;
mod erase;
mod fork;
mod interrupt;
mod kept;
mod lease;
mod load;
mod reconcile;
mod report;
mod request;
mod rewrite;
mod snapshot;
mod submit;
mod tool_calls;
mod watch;

pub use commands::{Leave, SessionCommand};
pub(crate) use erase::barely_read;
pub use fork::Beginning;
pub(crate) use load::{beginning, fold};
pub use report::{Advance, Outgoing, Preparation, Report, RunnableCall, Step, Streamed};
pub(crate) use snapshot::newest;
pub use tool_calls::Progressed;

use crate::{
    courier::Owe,
    decide::settle::ClaimFacts,
    handle::Update,
    host::{Gone, Host, Passivate},
    hub::Live,
    memory_worker::Job,
    ports::{Exchange, RecallQuery},
    shared::Shared,
    turn::{Abandon, Activity, Turn, TurnStart},
    wire::Rendered,
};
use actix::{Actor, ActorContext, Addr, AsyncContext, Context};
use dispatch_events::{Generation, ObligationId, StreamId, TurnId, Version, catalogue::obligation::ObligationKind};
use dispatch_projections::SessionState;
use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::time::Instant;

/// Commands and reports that wait in a session's mailbox.
const MAILBOX: usize = 64;

/// The actor.
pub struct Session {
    shared: Arc<Shared>,
    host: Addr<Host>,
    id: StreamId,
    /// Which actor of this session it is.
    spawn: u64,
    /// Name that the session gets with its first event.
    fresh: Option<String>,
    state: SessionState,
    /// Why it can't be used, if its log can't be read.
    broken: Option<String>,
    /// The rendered conversation, for as long as the actor lives.
    rendered: Option<Rendered>,
    running: Option<Running>,
    owed: HashSet<ObligationId>,
    /// What was in the log before this actor: somebody may have acted on it.
    loaded: Version,
    /// The last version that a usable snapshot holds; zero if there is none.
    snapshot: Version,
    /// Whether what an earlier run left was dealt with.
    recovered: bool,
    /// The host knows that this actor goes.
    said_gone: bool,
    last_used: Instant,
    /// When this actor last saw the lease taken or renewed, by its own clock.
    lease_seen: Instant,
    /// It has just looked at the stream.
    looked: bool,
    /// Inputs that wait for another host's lease.
    waiting: VecDeque<lease::Waiting>,
}

/// The turn that this actor carries.
struct Running {
    turn: TurnId,
    generation: Generation,
    actor: Addr<Turn>,
    activity: Arc<Activity>,
    /// The sign of life after which it was found standing still, and when.
    suspected: Option<(u64, Instant)>,
    _counted: Counted,
}

/// Counts a running turn for as long as it is carried, however that ends.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.live.turns.fetch_add(1, Ordering::SeqCst);
        Self(shared.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.live.turns.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Session {
    /// An actor for a session; `fresh` is the name of one that is not in the log yet.
    pub fn new(shared: Arc<Shared>, host: Addr<Host>, id: StreamId, spawn: u64, fresh: Option<String>) -> Self {
        Self {
            shared,
            host,
            id,
            spawn,
            fresh,
            state: SessionState::empty(id),
            broken: None,
            rendered: None,
            running: None,
            owed: HashSet::new(),
            loaded: Version(0),
            snapshot: Version(0),
            recovered: false,
            said_gone: false,
            last_used: Instant::now(),
            lease_seen: Instant::now(),
            looked: false,
            waiting: VecDeque::new(),
        }
    }

    /// What follows from the state after an append.
    fn settled(&mut self, ctx: &mut Context<Self>) {
        self.last_used = Instant::now();
        if self.state.erasure.is_some() {
            self.forget();
            return;
        }
        if !self.recovered {
            return;
        }
        self.hand_over();
        let started = self.state.admissions.started().filter(|_| self.holds_lease());
        let claimed = started.and_then(|admission| Some((admission.turn?, admission.generation?)));
        let running = self.running.as_ref().map(|running| running.generation);
        if running == claimed.map(|(_, generation)| generation) {
            return;
        }
        self.running = None;
        if let Some((turn, generation)) = claimed {
            let activity = Arc::<Activity>::default();
            let start = TurnStart {
                activity: activity.clone(),
                shared: self.shared.clone(),
                host: self.host.clone(),
                session: ctx.address(),
                stream: self.id,
                turn,
                generation,
            };
            let (actor, _counted) = (Turn::new(start).start(), Counted::new(&self.shared));
            self.running = Some(Running { turn, generation, actor, activity, suspected: None, _counted });
        }
    }

    /// Hands what is owed to the Courier, once per actor.
    fn hand_over(&mut self) {
        for obligation in self.state.obligations.open() {
            if self.owed.contains(&obligation.id) || self.leaves_to(obligation.epoch) {
                continue;
            }
            let said = self.state.turns.get(obligation.turn).and_then(|turn| turn.user_message);
            let (user, assistant) = self.state.transcript.exchange(obligation.turn, said);
            let text = user.as_deref().unwrap_or_default().to_owned();
            let job = match obligation.kind {
                ObligationKind::MemorySync => Job::Sync(Exchange {
                    user: text,
                    assistant: assistant.as_deref().unwrap_or_default().to_owned(),
                    session: self.id,
                    turn: obligation.turn,
                    key: obligation.key.clone(),
                }),
                ObligationKind::MemoryWarm => Job::Warm(RecallQuery { text, session: self.id }),
            };
            let owe = Owe {
                session: self.id,
                obligation: obligation.id,
                job,
                attempts: obligation.attempts,
                position: obligation.position,
                again: obligation.attempts > 0 || obligation.version <= self.loaded,
            };
            match self.shared.courier.try_send(owe) {
                Ok(()) => {
                    self.owed.insert(obligation.id);
                }
                Err(_) => {
                    tracing::warn!(session = %self.id, "the courier is busy: what is owed is handed over later");
                    break;
                }
            }
        }
    }

    fn claim_facts(&self) -> ClaimFacts<'_> {
        ClaimFacts {
            epoch: self.shared.log.epoch(),
            lease_ttl_ms: self.shared.settings.lease_ttl_ms,
            next_turn: TurnId::fresh(),
            // A host that recovers nothing carries no turn until it is asked to.
            may_start: self.recovered && !self.shared.is_draining(),
            policy: &*self.shared.policy,
        }
    }

    /// Gives up: what it had acknowledged is in the log, and the next command rebuilds it from there.
    fn give_up(&mut self, why: &str, ctx: &mut Context<Self>) {
        if self.state.version.0 > 0 {
            tracing::error!(session = %self.id, why, "the session's actor gives up; the log has what was acknowledged");
        }
        let carried = self.state.admissions.started().and_then(|admission| admission.turn);
        if let Some(turn) = carried {
            let update = Update::Broken { turn, code: "persistence_failed".to_owned(), message: why.to_owned() };
            if self.shared.hub.try_send(Live { stream: self.id, update }).is_err() {
                tracing::warn!(session = %self.id, "its viewers could not be told");
            }
        }
        self.running = None;
        self.said_gone = true;
        let gone = Gone { session: self.id, spawn: self.spawn, carried: carried.is_some() };
        if self.host.try_send(gone).is_err() {
            tracing::debug!("the host is busy; it notices the dead address by itself");
        }
        ctx.stop();
    }

    fn watch_idle(&self, ctx: &mut Context<Self>) {
        let idle = Duration::from_millis(self.shared.settings.idle_ms.max(1));
        ctx.run_interval(idle, move |session, _| {
            if session.recovered {
                session.hand_over();
            }
            let passivate = Passivate { session: session.id, spawn: session.spawn };
            if session.is_idle() && session.last_used.elapsed() >= idle && session.host.try_send(passivate).is_err() {
                tracing::debug!("the host is busy; the session asks again");
            }
        });
    }

    fn watch_lease(&self, ctx: &mut Context<Self>) {
        let every = Duration::from_millis(self.shared.settings.lease_renew_ms.max(1));
        ctx.run_interval(every, |session, ctx| session.renew(ctx));
        self.watch_foreign(ctx);
    }

    /// Nothing runs, and all that is owed is in the Courier's hands.
    fn is_idle(&self) -> bool {
        let handed_over =
            !self.recovered || self.state.obligations.open().all(|obligation| self.owed.contains(&obligation.id));
        self.running.is_none()
            && handed_over
            && !self.awaits_host()
            && (!self.recovered || self.state.admissions.started().is_none())
    }
}

impl Drop for Running {
    /// However its session ends, a turn that nobody records does not go on.
    fn drop(&mut self) {
        if self.actor.try_send(Abandon).is_err() {
            tracing::debug!(turn = %self.turn, "the turn's actor was gone already");
        }
    }
}

impl Drop for Session {
    /// After a panic nobody has told the host that a turn has to be recovered.
    fn drop(&mut self) {
        let carried = self.state.admissions.started().is_some();
        if !self.said_gone && carried {
            let gone = Gone { session: self.id, spawn: self.spawn, carried };
            if self.host.try_send(gone).is_err() {
                tracing::debug!("the host is gone or busy; the turn is recovered when the session is spoken to");
            }
        }
    }
}

impl Actor for Session {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
        self.watch_idle(ctx);
        self.watch_lease(ctx);
        self.watch_turn(ctx);
        self.load(ctx);
    }
}
