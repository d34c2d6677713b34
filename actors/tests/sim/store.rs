//! A store in a mood: it refuses, loses an answer, or takes its time.

use crate::world::World;
use dispatch_events::{
    Digest, EventId, Position, StreamId, Version,
    store::{
        Append, AppendError, AppendFuture, CommitObserver, EventStore, Head, LogHead, NameKey, NameSecret, ReadError,
    },
};
use std::{sync::Arc, time::Duration};

pub struct Moody {
    world: Arc<World>,
    inner: Arc<dyn EventStore>,
}

impl Moody {
    pub fn new(world: Arc<World>) -> Self {
        let inner = world.store.clone();
        Self { world, inner }
    }
}

impl EventStore for Moody {
    fn append(&self, append: Append) -> AppendFuture {
        let landing = self.inner.append(append);
        if self.world.goes_wrong(3) {
            return Box::pin(async { Err(AppendError::Unavailable("the simulated disk is full".into())) });
        }
        let torn = self.world.goes_wrong(2);
        let delay_ms = if self.world.goes_wrong(15) { self.world.choose(|random| random.below(3_000)) } else { 0 };
        let lands_first = self.world.choose(|random| random.percent(50));
        Box::pin(async move {
            let delay = tokio::time::sleep(Duration::from_millis(delay_ms));
            let landed = if lands_first {
                let landed = landing.await;
                if delay_ms > 0 {
                    delay.await;
                }
                landed
            } else {
                if delay_ms > 0 {
                    delay.await;
                }
                landing.await
            };
            if torn { landed.and(Err(AppendError::Unknown("the simulated answer is lost".into()))) } else { landed }
        })
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.inner.read_stream(stream, from, limit)
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.inner.read_stream_back(stream, from, limit)
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.inner.read_all(from, limit)
    }

    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        self.inner.head(stream)
    }

    fn log_head(&self) -> LogHead {
        self.inner.log_head()
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        self.inner.log_hash(position)
    }

    fn named(&self, name: &str) -> Result<Option<StreamId>, ReadError> {
        self.inner.named(name)
    }

    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        self.inner.streams(after, limit)
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        self.inner.names(after, limit)
    }

    fn name_secret(&self) -> &NameSecret {
        self.inner.name_secret()
    }

    fn open_streams(&self) -> Result<Vec<StreamId>, ReadError> {
        self.inner.open_streams()
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        self.inner.position_of(id)
    }

    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.inner.observe(observer);
    }

    fn engine(&self) -> &'static str {
        self.inner.engine()
    }

    fn refusal(&self) -> Option<String> {
        self.inner.refusal()
    }
}
