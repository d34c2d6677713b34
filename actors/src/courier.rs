//! Meets what is owed to the outside, in the order in which it was recorded, with back-off and the same key each time.
//!
//! It holds nothing that the log does not: a session hands over what its log says is open, and gets a verdict for each
//! attempt, which it records in one append.

use crate::{
    backoff::wait_ms,
    decide::obligation::Verdict,
    host::{Host, ToSession},
    memory_worker::{Job, MemoryWorker, SyncJob},
    session::SessionCommand,
};
use actix::{Actor, ActorFutureExt, Addr, AsyncContext, Context, Handler, Message, WrapFuture};
use dispatch_events::{ObligationId, Position, StreamId};
use std::{
    collections::{HashSet, VecDeque},
    time::Duration,
};
use tokio::sync::oneshot;

/// Wait before a verdict that was not recorded is told again.
const TELL_AGAIN: Duration = Duration::from_secs(1);
/// Most obligations in memory; what is beyond them stays in the log until the next start.
const HELD_MAX: usize = 10_000;

/// One obligation as its session hands it over.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub struct Owe {
    /// The session.
    pub session: StreamId,
    /// The obligation.
    pub obligation: ObligationId,
    /// What to do.
    pub job: Job,
    /// Position of its `obligation.created`: they are met in this order.
    pub position: Position,
    /// Attempts that had a verdict.
    pub attempts: u32,
    /// An attempt of an earlier host run may have reached the far side.
    pub again: bool,
}

/// The actor.
pub struct Courier {
    memory: Addr<MemoryWorker>,
    jitter: Option<u64>,
    host: Option<Addr<Host>>,
    queue: VecDeque<Owe>,
    /// The one that is attempted, or waits for its next attempt.
    current: Option<Owe>,
    held: HashSet<ObligationId>,
    busy: bool,
    stopped: bool,
    drained: Vec<oneshot::Sender<()>>,
    /// Sessions that this run erased.
    forgotten: HashSet<StreamId>,
}

impl Courier {
    /// A courier for memory obligations.
    pub fn new(memory: Addr<MemoryWorker>, jitter: Option<u64>) -> Self {
        Self {
            memory,
            jitter,
            host: None,
            queue: VecDeque::new(),
            current: None,
            held: HashSet::new(),
            busy: false,
            stopped: false,
            drained: Vec::new(),
            forgotten: HashSet::new(),
        }
    }

    fn next(&mut self, ctx: &mut Context<Self>) {
        if self.busy || self.stopped {
            return;
        }
        // Also what comes back from its back-off: nobody can be asked for it any more.
        while let Some(owed) = self.queue.pop_front_if(|owed| self.forgotten.contains(&owed.session)) {
            self.held.remove(&owed.obligation);
        }
        let Some(owed) = self.queue.pop_front() else {
            for waiting in self.drained.drain(..) {
                // Whoever waited for the drain has given up if this fails.
                let _ = waiting.send(());
            }
            return;
        };
        self.busy = true;
        self.current = Some(owed.clone());
        let retry_after_ms = backoff_ms(owed.attempts + 1, self.jitter);
        let attempt = self.memory.send(SyncJob { job: owed.job.clone(), again: owed.again, retry_after_ms });
        let attempt = attempt.into_actor(self).map(move |verdict, courier, ctx| {
            let verdict = verdict.unwrap_or_else(|error| Verdict::Abandoned(error.to_string()));
            courier.settle(owed, verdict, ctx);
        });
        ctx.spawn(attempt);
    }

    /// Has the session record the verdict, then goes on: order is kept, so a failed one is tried again before the next. A
    /// verdict that is not recorded is told again; what it is about is not done again.
    fn settle(&mut self, owed: Owe, verdict: Verdict, ctx: &mut Context<Self>) {
        let wait = match &verdict {
            Verdict::Failed { retry_after_ms, .. } => Some(Duration::from_millis(*retry_after_ms)),
            _ => None,
        };
        let (reply, recorded) = oneshot::channel();
        let command = SessionCommand::Verdict { obligation: owed.obligation, verdict: verdict.clone(), reply };
        if let Some(host) = &self.host
            && host.try_send(ToSession { session: owed.session, fresh: None, command }).is_err()
        {
            tracing::debug!(obligation = %owed.obligation, "the host is busy");
        }
        let done = recorded.into_actor(self).map(move |recorded, courier, ctx| match (recorded, wait) {
            (Ok(Ok(true)), Some(wait)) => courier.again(owed, wait, ctx),
            (Ok(Ok(_)), _) => {
                courier.held.remove(&owed.obligation);
                courier.busy = false;
                courier.current = None;
                courier.next(ctx);
            }
            (_, _) => {
                tracing::warn!(obligation = %owed.obligation, "its verdict was not recorded; it is told again");
                ctx.run_later(TELL_AGAIN, move |courier, ctx| courier.settle(owed, verdict, ctx));
            }
        });
        ctx.spawn(done);
    }

    fn again(&mut self, mut owed: Owe, wait: Duration, ctx: &mut Context<Self>) {
        owed.attempts += 1;
        owed.again = true;
        ctx.run_later(wait, move |courier, ctx| {
            courier.current = None;
            courier.queue.push_front(owed);
            courier.busy = false;
            courier.next(ctx);
        });
    }
}

/// 1 s, doubling, at most five minutes, with jitter.
fn backoff_ms(attempt: u32, jitter: Option<u64>) -> u64 {
    wait_ms(Duration::from_secs(1), Duration::from_secs(300), attempt.max(1), jitter)
}

impl Actor for Courier {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(1024);
    }
}

/// The host that sessions are reached through.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Through(pub Addr<Host>);

impl Handler<Through> for Courier {
    type Result = ();

    fn handle(&mut self, through: Through, ctx: &mut Self::Context) {
        self.host = Some(through.0);
        self.next(ctx);
    }
}

impl Handler<Owe> for Courier {
    type Result = ();

    fn handle(&mut self, owed: Owe, ctx: &mut Self::Context) {
        if self.held.contains(&owed.obligation) {
            return;
        }
        if self.queue.len() >= HELD_MAX {
            tracing::warn!(obligation = %owed.obligation, "{HELD_MAX} obligations wait already: it stays in the log until the next start");
            return;
        }
        self.held.insert(owed.obligation);
        let place = self.queue.iter().rposition(|other| other.position <= owed.position).map_or(0, |at| at + 1);
        self.queue.insert(place, owed);
        self.next(ctx);
    }
}

/// Drop what is owed of a session: it is erased. What is under way can't be called back.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Forget(pub StreamId);

impl Handler<Forget> for Courier {
    type Result = ();

    fn handle(&mut self, forget: Forget, _: &mut Self::Context) {
        self.forgotten.insert(forget.0);
        if self.current.as_ref().is_some_and(|owed| owed.session == forget.0) {
            tracing::warn!(session = %forget.0, "it is erased while one of its memory writes is under way");
        }
    }
}

/// Wait until nothing is owed. The one who asks bounds the time.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Drained(pub oneshot::Sender<()>);

impl Handler<Drained> for Courier {
    type Result = ();

    fn handle(&mut self, drained: Drained, ctx: &mut Self::Context) {
        self.drained.push(drained.0);
        if !self.busy {
            self.next(ctx);
        }
    }
}

/// Stop, and say what is left, the one under way included.
#[derive(Message)]
#[rtype(result = "Vec<Owe>")]
pub struct Stop;

impl Handler<Stop> for Courier {
    type Result = actix::MessageResult<Stop>;

    fn handle(&mut self, _: Stop, _: &mut Self::Context) -> Self::Result {
        self.stopped = true;
        actix::MessageResult(self.current.take().into_iter().chain(self.queue.drain(..)).collect())
    }
}
