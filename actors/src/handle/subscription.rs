//! A viewer's view: every event from a place on, first from the log, then live, no gap and no duplicate.

use crate::{
    command::Refusal,
    hub::{Listen, Scope, VIEWER_BUFFER},
    shared::Shared,
};
use dispatch_events::{Position, Recorded, StreamId, TurnId, Version};
use futures_util::stream::{self, Stream};
use std::{collections::VecDeque, sync::Arc};
use tokio::sync::mpsc;

/// Events of one page while catching up.
const PAGE: usize = 256;

/// What a viewer gets.
#[derive(Clone, Debug)]
pub enum Update {
    /// An event of the log: durable.
    Event(Arc<Recorded>),
    /// Text that is coming in: provisional, void if the attempt fails.
    Delta {
        /// The turn.
        turn: TurnId,
        /// The request that it answers.
        attempt: u32,
        /// Bytes of the answer's text before this piece: a viewer that missed one sees the gap.
        at: u64,
        /// The piece.
        text: String,
    },
    /// The turn's actor gave up and could not record why; the session is rebuilt from the log when it is spoken to.
    Broken {
        /// The turn.
        turn: TurnId,
        /// Class of the error.
        code: String,
        /// Cause and next step.
        message: String,
    },
}

/// A subscription. Falls back to the log by itself when it was cut off for being slow.
pub struct Subscription {
    shared: Arc<Shared>,
    scope: Scope,
    /// Number of the next event: a version, or a position for the whole log.
    next: u64,
    backlog: VecDeque<Arc<Recorded>>,
    viewer: Option<mpsc::Receiver<Update>>,
    live: bool,
}

impl Subscription {
    pub(super) fn stream(shared: Arc<Shared>, stream: StreamId, from: Version) -> Self {
        Self::new(shared, Scope::Stream(stream), from.0)
    }

    pub(super) fn log(shared: Arc<Shared>, from: Position) -> Self {
        Self::new(shared, Scope::Log, from.0)
    }

    /// Listens to a stream from now on. [`Subscription::begin`] says from where it is read.
    pub(super) async fn attached(shared: Arc<Shared>, stream: StreamId) -> Option<Self> {
        let mut subscription = Self::stream(shared, stream, Version(1));
        subscription.attach().await?;
        Some(subscription)
    }

    /// Begins at a version. `heard` says that everything from it on was committed after the subscription began to listen,
    /// so that the log need not be read.
    pub(super) fn begin(&mut self, from: Version, heard: bool) {
        self.next = from.0;
        self.live = heard;
    }

    async fn attach(&mut self) -> Option<()> {
        let (sender, viewer) = mpsc::channel(VIEWER_BUFFER);
        self.shared.hub.send(Listen { scope: self.scope, viewer: sender }).await.ok()?;
        self.viewer = Some(viewer);
        self.live = false;
        Some(())
    }

    fn new(shared: Arc<Shared>, scope: Scope, from: u64) -> Self {
        Self { shared, scope, next: from.max(1), backlog: VecDeque::new(), viewer: None, live: false }
    }

    /// The next update. `None` when the host is gone. May be dropped while it waits without losing anything.
    pub async fn next(&mut self) -> Option<Result<Update, Refusal>> {
        loop {
            if let Some(recorded) = self.backlog.pop_front() {
                self.next = self.number(&recorded) + 1;
                return Some(Ok(Update::Event(recorded)));
            }
            if self.viewer.is_none() {
                self.attach().await?;
            }
            if !self.live {
                match self.page().await {
                    Ok(page) if page.is_empty() => self.live = true,
                    Ok(page) => self.backlog.extend(page),
                    Err(refusal) => return Some(Err(refusal)),
                }
                continue;
            }
            match self.viewer.as_mut()?.recv().await {
                Some(Update::Event(recorded)) => match self.number(&recorded) {
                    number if number < self.next => {}
                    number if number == self.next => {
                        self.next += 1;
                        return Some(Ok(Update::Event(recorded)));
                    }
                    // Something is missing in between: the log has it.
                    _ => self.live = false,
                },
                Some(other) => return Some(Ok(other)),
                None => self.viewer = None,
            }
        }
    }

    /// The same as a stream.
    pub fn into_stream(self) -> impl Stream<Item = Result<Update, Refusal>> + Send {
        stream::unfold(self, |mut subscription| async move {
            let update = subscription.next().await?;
            Some((update, subscription))
        })
    }

    fn number(&self, recorded: &Recorded) -> u64 {
        match self.scope {
            Scope::Stream(_) => recorded.version.0,
            Scope::Log => recorded.position.0,
        }
    }

    async fn page(&self) -> Result<Vec<Arc<Recorded>>, Refusal> {
        let (log, scope, next) = (self.shared.log.clone(), self.scope, self.next);
        let read = self.shared.settings.blocking.run(move || match scope {
            Scope::Stream(stream) => log.read_stream(stream, Version(next), PAGE),
            Scope::Log => log.read_all(Position(next), PAGE),
        });
        let page = read.await.map_err(|error| Refusal::Storage(error.to_string()))?;
        let page = page.map_err(|error| Refusal::Storage(error.to_string()))?;
        Ok(page.into_iter().map(Arc::new).collect())
    }
}
