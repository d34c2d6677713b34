//! Who listens: the committer and the turns feed it, viewers hang on it.
//!
//! A viewer has a bounded channel. One that does not keep up is cut off; its [`Subscription`](crate::handle::Subscription)
//! reads what it missed from the log and comes back. A session needs no actor for its viewers.

use crate::handle::Update;
use actix::{Actor, Addr, AsyncContext, Context, Handler, Message};
use dispatch_events::{Recorded, StreamId, store::CommitObserver};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::mpsc::{self, error::TrySendError};

/// Messages that wait in the hub's mailbox: group commits and deltas.
const MAILBOX: usize = 8192;
/// Updates that wait for one viewer.
pub const VIEWER_BUFFER: usize = 512;
/// Time between sweeps for viewers that went away.
const SWEEP: Duration = Duration::from_secs(15);

/// What a viewer wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One stream, with live deltas.
    Stream(StreamId),
    /// The whole log.
    Log,
}

/// Counts that the committer's thread reads without asking.
#[derive(Default)]
pub struct Listening {
    viewers: AtomicUsize,
    /// A group commit did not fit in the mailbox: every viewer has to read the log.
    missed: AtomicBool,
}

/// The actor.
pub struct Hub {
    listening: Arc<Listening>,
    streams: HashMap<StreamId, Vec<mpsc::Sender<Update>>>,
    log: Vec<mpsc::Sender<Update>>,
}

impl Hub {
    /// Starts the hub.
    pub fn launch() -> (Addr<Self>, HubFeed) {
        let listening = Arc::new(Listening::default());
        let hub = Self { listening: listening.clone(), streams: HashMap::new(), log: Vec::new() };
        let hub = hub.start();
        (hub.clone(), HubFeed { hub, listening })
    }

    fn publish(&mut self, stream: StreamId, update: &Update) {
        if let Some(viewers) = self.streams.get_mut(&stream) {
            offer(viewers, update);
            if viewers.is_empty() {
                self.streams.remove(&stream);
            }
        }
    }

    fn catch_up(&mut self) {
        if self.listening.missed.swap(false, Ordering::SeqCst) {
            tracing::warn!("viewers were cut off because the hub fell behind; they resume from the log");
            self.streams.clear();
            self.log.clear();
        }
    }

    fn count(&self) {
        let viewers = self.log.len() + self.streams.values().map(Vec::len).sum::<usize>();
        self.listening.viewers.store(viewers, Ordering::SeqCst);
        metrics::gauge!("dispatch_viewers").set(viewers as f64);
    }
}

fn offer(viewers: &mut Vec<mpsc::Sender<Update>>, update: &Update) {
    viewers.retain(|viewer| match viewer.try_send(update.clone()) {
        Ok(()) => true,
        Err(TrySendError::Full(_)) => {
            metrics::counter!("dispatch_viewers_cut_off_total").increment(1);
            false
        }
        Err(TrySendError::Closed(_)) => false,
    });
}

impl Actor for Hub {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
        ctx.run_interval(SWEEP, |hub, _| {
            hub.log.retain(|viewer| !viewer.is_closed());
            hub.streams.retain(|_, viewers| {
                viewers.retain(|viewer| !viewer.is_closed());
                !viewers.is_empty()
            });
            hub.count();
        });
    }
}

/// Begin to listen. Answered when nothing after it is missed.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Listen {
    /// What to see.
    pub scope: Scope,
    /// Where updates go.
    pub viewer: mpsc::Sender<Update>,
}

impl Handler<Listen> for Hub {
    type Result = ();

    fn handle(&mut self, listen: Listen, _: &mut Self::Context) {
        match listen.scope {
            Scope::Stream(stream) => self.streams.entry(stream).or_default().push(listen.viewer),
            Scope::Log => self.log.push(listen.viewer),
        }
        self.count();
    }
}

/// Something that is not in the log: a live delta, or a turn that could not be recorded.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Live {
    /// The session.
    pub stream: StreamId,
    /// What viewers get.
    pub update: Update,
}

impl Handler<Live> for Hub {
    type Result = ();

    fn handle(&mut self, live: Live, _: &mut Self::Context) {
        self.catch_up();
        self.publish(live.stream, &live.update);
    }
}

/// One group commit.
#[derive(Message)]
#[rtype(result = "()")]
struct Committed(Vec<Arc<Recorded>>);

impl Handler<Committed> for Hub {
    type Result = ();

    fn handle(&mut self, committed: Committed, _: &mut Self::Context) {
        self.catch_up();
        for recorded in committed.0 {
            let stream = recorded.stream;
            let update = Update::Event(recorded);
            self.publish(stream, &update);
            if !self.log.is_empty() {
                offer(&mut self.log, &update);
            }
        }
    }
}

/// The committer's end of the hub.
pub struct HubFeed {
    hub: Addr<Hub>,
    listening: Arc<Listening>,
}

impl CommitObserver for HubFeed {
    fn committed(&self, events: &[Arc<Recorded>]) {
        if self.listening.viewers.load(Ordering::SeqCst) == 0 {
            return;
        }
        if self.hub.try_send(Committed(events.to_vec())).is_err() {
            self.listening.missed.store(true, Ordering::SeqCst);
        }
    }
}

/// Sends a live delta. One that does not fit is dropped: it is provisional, and the record follows.
pub fn delta(hub: &Addr<Hub>, stream: StreamId, update: Update) {
    if hub.try_send(Live { stream, update }).is_err() {
        metrics::counter!("dispatch_deltas_dropped_total").increment(1);
    }
}
