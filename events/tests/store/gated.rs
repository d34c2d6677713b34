//! An engine whose commits a test holds still, after the rows are written and before they count as durable.

use dispatch_events::{
    Digest, EventId, Position, StreamId, Version,
    store::{Engine, EngineError, Head, LogHead, NameKey, ReadError, engine::Batch},
};
use std::sync::{Arc, Condvar, Mutex};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Commits {
    /// As the engine below does.
    Pass,
    /// The rows are written, then the commit waits.
    Hold,
    /// Nothing is written, and that is said.
    Refuse,
    /// The rows are written, and an error is said.
    Break,
}

#[derive(Default)]
pub struct Gate {
    state: Mutex<(Option<Commits>, bool)>,
    changed: Condvar,
}

impl Gate {
    pub fn set(&self, commits: Commits) {
        *self.state.lock().unwrap() = (Some(commits), false);
        self.changed.notify_all();
    }

    /// Waits until a commit has written its rows.
    pub fn wait_until_written(&self) {
        drop(self.changed.wait_while(self.state.lock().unwrap(), |(_, written)| !*written).unwrap());
    }

    fn now(&self) -> Commits {
        self.state.lock().unwrap().0.unwrap_or(Commits::Pass)
    }
}

/// Opens the gate when it is dropped, so that a check that fails behind it ends the test instead of hanging it.
pub struct Released<'a>(pub &'a Gate);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.set(Commits::Pass);
    }
}

pub struct Gated<E> {
    pub inner: E,
    pub gate: Arc<Gate>,
}

impl<E: Engine> Engine for Gated<E> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn commit(&self, batch: &Batch) -> Result<(), EngineError> {
        let commits = self.gate.now();
        if commits == Commits::Refuse {
            return Err(EngineError::Refused("the gate is shut".into()));
        }
        self.inner.commit(batch)?;
        let mut state = self.gate.state.lock().unwrap();
        state.1 = true;
        self.gate.changed.notify_all();
        drop(self.gate.changed.wait_while(state, |(commits, _)| *commits == Some(Commits::Hold)).unwrap());
        if commits == Commits::Break { Err(EngineError::Broken("the gate fell".into())) } else { Ok(()) }
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

    fn log_head(&self) -> Result<LogHead, ReadError> {
        self.inner.log_head()
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        self.inner.log_hash(position)
    }

    fn named(&self, name: NameKey) -> Result<Option<StreamId>, ReadError> {
        self.inner.named(name)
    }

    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        self.inner.streams(after, limit)
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        self.inner.names(after, limit)
    }

    fn clear_indexes(&self) -> Result<(), EngineError> {
        self.inner.clear_indexes()
    }

    fn open_streams(&self) -> Result<Vec<(StreamId, u32)>, ReadError> {
        self.inner.open_streams()
    }

    fn open_count(&self, stream: StreamId) -> Result<u32, ReadError> {
        self.inner.open_count(stream)
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        self.inner.position_of(id)
    }

    fn greatest_id(&self) -> Result<EventId, ReadError> {
        self.inner.greatest_id()
    }
}
