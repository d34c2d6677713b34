//! A store that begins to misbehave at its n-th append; for tests of everything above a store.

use super::{
    Append, AppendError, AppendFuture, CommitObserver, EventStore, Head, LogHead, NameKey, NameSecret, ReadError,
};
use crate::{Digest, EventId, Position, StreamId, Version};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// What goes wrong from the n-th append on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: appends are only counted.
    None,
    /// Appends are refused, nothing is written.
    Refuse,
    /// The n-th append is written and the answer lost; later ones are refused.
    Tear,
    /// The n-th append is written and the answer lost; later ones go on, as after a short hiccup.
    Doubt,
    /// Appends take this many milliseconds longer.
    DelayMs(u64),
}

/// Wraps a store.
pub struct FaultyStore {
    inner: Arc<dyn EventStore>,
    fault: Fault,
    from: u64,
    appends: AtomicU64,
    held: watch::Sender<bool>,
    records_read: AtomicU64,
}

impl FaultyStore {
    /// `inner`, with `fault` from the append number `from` on, counted from 1.
    pub fn new(inner: Arc<dyn EventStore>, fault: Fault, from: u64) -> Self {
        Self {
            inner,
            fault,
            from,
            appends: AtomicU64::new(0),
            held: watch::Sender::new(false),
            records_read: AtomicU64::new(0),
        }
    }

    /// Holds every append from now on, as if its writer had been stopped just before it.
    pub fn hold(&self) {
        self.held.send_replace(true);
    }

    /// Lets the held appends go on.
    pub fn go_on(&self) {
        self.held.send_replace(false);
    }

    /// Appends that were asked for so far.
    pub fn appends(&self) -> u64 {
        self.appends.load(Ordering::SeqCst)
    }

    /// Records of single streams that were read forward so far.
    pub fn records_read(&self) -> u64 {
        self.records_read.load(Ordering::SeqCst)
    }
}

impl EventStore for FaultyStore {
    fn append(&self, append: Append) -> AppendFuture {
        let number = self.appends.fetch_add(1, Ordering::SeqCst) + 1;
        let due = number >= self.from;
        if *self.held.borrow() {
            let (inner, mut held) = (self.inner.clone(), self.held.subscribe());
            return Box::pin(async move {
                // The sender lives as long as the store; without it there is nothing to wait for.
                let _ = held.wait_for(|held| !held).await;
                inner.append(append).await
            });
        }
        match self.fault {
            Fault::Refuse if due => Box::pin(async { Err(AppendError::Unavailable("the test's disk is full".into())) }),
            Fault::Tear | Fault::Doubt if number == self.from => {
                let landed = self.inner.append(append);
                Box::pin(async move {
                    landed.await?;
                    Err(AppendError::Unknown("the test cut the answer off".into()))
                })
            }
            Fault::Tear if due => Box::pin(async { Err(AppendError::Unavailable("the test's disk is gone".into())) }),
            Fault::DelayMs(ms) if due => {
                let landed = self.inner.append(append);
                Box::pin(async move {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    landed.await
                })
            }
            _ => self.inner.append(append),
        }
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let records = self.inner.read_stream(stream, from, limit)?;
        self.records_read.fetch_add(records.len() as u64, Ordering::SeqCst);
        Ok(records)
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
