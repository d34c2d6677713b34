//! A store whose disk has a bad place.

use dispatch_events::{
    Digest, EventId, Position, StreamId, Version,
    store::{Append, AppendFuture, CommitObserver, EventStore, Head, LogHead, NameKey, NameSecret, ReadError},
};
use std::sync::Arc;

/// Flips a bit in the record at a position whenever the log is read.
pub struct Damaging(pub Arc<dyn EventStore>, pub Position);

impl EventStore for Damaging {
    fn append(&self, append: Append) -> AppendFuture {
        self.0.append(append)
    }
    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.0.read_stream(stream, from, limit)
    }
    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.0.read_stream_back(stream, from, limit)
    }
    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let mut records = self.0.read_all(from, limit)?;
        let bad = self.1.0.checked_sub(from.0).and_then(|at| records.get_mut(at as usize));
        if let Some(last) = bad.and_then(|record| record.last_mut()) {
            *last ^= 1;
        }
        Ok(records)
    }
    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        self.0.head(stream)
    }
    fn log_head(&self) -> LogHead {
        self.0.log_head()
    }
    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        self.0.log_hash(position)
    }
    fn named(&self, name: &str) -> Result<Option<StreamId>, ReadError> {
        self.0.named(name)
    }
    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        self.0.streams(after, limit)
    }
    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        self.0.names(after, limit)
    }
    fn name_secret(&self) -> &NameSecret {
        self.0.name_secret()
    }
    fn open_streams(&self) -> Result<Vec<StreamId>, ReadError> {
        self.0.open_streams()
    }
    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        self.0.position_of(id)
    }
    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.0.observe(observer);
    }
    fn engine(&self) -> &'static str {
        self.0.engine()
    }
    fn refusal(&self) -> Option<String> {
        self.0.refusal()
    }
}
