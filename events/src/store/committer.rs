//! The committer: one thread that owns all writes.

mod plan;

use self::plan::Plan;
use super::{
    Append, AppendError, AppendFuture, Appended, CommitObserver, Engine, EngineError, EventStore, Head, LogHead,
    ReadError,
};
use crate::{Digest, EventId, Position, Recorded, StreamId, Version, envelope::Header};
use std::{
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::{Builder, JoinHandle},
};
use tokio::sync::{mpsc, oneshot};

/// Appends that wait in the channel; a writer beyond them waits for room.
const CHANNEL: usize = 1024;
/// Most appends in one group commit.
const GROUP_APPENDS: usize = 256;
/// Most bytes in one group commit, unless a single append is larger.
const GROUP_BYTES: usize = 1024 * 1024;

type Answer = oneshot::Sender<Result<Appended, AppendError>>;

/// An [`EventStore`] over an engine.
pub struct Store<E: Engine> {
    shared: Arc<Shared<E>>,
    sender: Mutex<Option<mpsc::Sender<(Append, Answer)>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared<E> {
    engine: E,
    /// Last durable position: reads never show what lies behind it.
    durable: AtomicU64,
    head: RwLock<LogHead>,
    broken: RwLock<Option<String>>,
    observers: RwLock<Vec<Arc<dyn CommitObserver>>>,
}

impl<E: Engine> Store<E> {
    /// Starts the committer over an open engine.
    ///
    /// # Errors
    /// [`ReadError`] when the end of the log can't be read.
    pub fn start(engine: E) -> Result<Self, ReadError> {
        let head = engine.log_head()?;
        let shared = Arc::new(Shared {
            durable: AtomicU64::new(head.position.0),
            head: RwLock::new(head),
            broken: RwLock::default(),
            observers: RwLock::default(),
            engine,
        });
        let mut plan = Plan::new(head, shared.engine.greatest_id()?);
        let (sender, mut receiver) = mpsc::channel(CHANNEL);
        let mine = shared.clone();
        let thread = Builder::new()
            .name("committer".into())
            .spawn(move || {
                while let Some(first) = receiver.blocking_recv() {
                    mine.group(&mut plan, first, &mut receiver);
                }
            })
            .map_err(|error| ReadError::Io(error.to_string()))?;
        Ok(Self { shared, sender: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    /// The engine below.
    pub fn engine_ref(&self) -> &E {
        &self.shared.engine
    }
}

impl<E: Engine> Drop for Store<E> {
    /// Stops the committer when everything that was handed to it is committed, so that the engine is closed when the
    /// store is gone.
    fn drop(&mut self) {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
            && thread.join().is_err()
        {
            tracing::error!("the committer panicked; what it had not answered was not acknowledged");
        }
    }
}

impl<E: Engine> Shared<E> {
    /// One group: what waits now, checked, made durable, answered.
    fn group(&self, plan: &mut Plan, first: (Append, Answer), more: &mut mpsc::Receiver<(Append, Answer)>) {
        let mut answers = Vec::new();
        let mut next = Some(first);
        while let Some((append, answer)) = next.take() {
            if let Some(why) = self.refusal() {
                respond(answer, Err(AppendError::Unavailable(why)));
            } else {
                match plan.add(&self.engine, append) {
                    Ok(appended) => answers.push((answer, appended)),
                    Err(error) => respond(answer, Err(error)),
                }
            }
            if plan.appends() < GROUP_APPENDS && plan.batch().bytes() < GROUP_BYTES {
                next = more.try_recv().ok();
            }
        }
        if plan.appends() > 0 {
            match self.engine.commit(plan.batch()) {
                Ok(()) => self.publish(plan.done()),
                Err(error) => return self.failed(plan, answers, &error),
            }
        }
        for (answer, appended) in answers {
            respond(answer, Ok(appended));
        }
    }

    fn publish(&self, (head, events): (LogHead, Vec<Arc<Recorded>>)) {
        *self.head.write().unwrap_or_else(PoisonError::into_inner) = head;
        self.durable.store(head.position.0, Ordering::Release);
        for observer in self.observers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            observer.committed(&events);
        }
    }

    fn failed(&self, plan: &mut Plan, answers: Vec<(Answer, Appended)>, error: &EngineError) {
        plan.undo();
        tracing::error!(%error, "the log could not be written");
        for (answer, _) in answers {
            let error = match error {
                EngineError::Refused(why) => AppendError::Unavailable(why.clone()),
                EngineError::Broken(why) => AppendError::Unknown(why.clone()),
            };
            respond(answer, Err(error));
        }
        if let EngineError::Broken(why) = error {
            let why = format!("an earlier write failed ({why}); restart the host to open the log again");
            *self.broken.write().unwrap_or_else(PoisonError::into_inner) = Some(why);
        }
    }

    fn refusal(&self) -> Option<String> {
        self.broken.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops from the first record on that is not durable yet. Positions rise within a page, or fall.
    fn durable_only(&self, mut records: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let durable = self.durable.load(Ordering::Acquire);
        records.retain(|record| position_in(record).is_none_or(|position| position <= durable));
        records
    }
}

/// The position that a record's bytes name, without checking anything else.
fn position_in(record: &[u8]) -> Option<u64> {
    record.get(198..206).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes)
}

fn respond(answer: Answer, result: Result<Appended, AppendError>) {
    if answer.send(result).is_err() {
        tracing::debug!("a writer went away before its append was answered");
    }
}

impl<E: Engine> EventStore for Store<E> {
    fn append(&self, append: Append) -> AppendFuture {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move {
            let closed = || AppendError::Unavailable("the log is closed".into());
            let (answer, result) = oneshot::channel();
            sender.ok_or_else(closed)?.send((append, answer)).await.map_err(|_| closed())?;
            result.await.map_err(|_| AppendError::Unknown("the committer stopped".into()))?
        })
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.shared.engine.read_stream(stream, from, limit).map(|records| self.shared.durable_only(records))
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.shared.engine.read_stream_back(stream, from, limit).map(|records| self.shared.durable_only(records))
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.shared.engine.read_all(from, limit).map(|records| self.shared.durable_only(records))
    }

    /// While a commit is under way the row may be ahead of the disk by a moment; the caller's next append settles it.
    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        let head = self.shared.engine.head(stream)?;
        let Some(row) = head else { return Ok(None) };
        if let Some(record) = self.shared.engine.read_stream_back(stream, row.version, 1)?.first()
            && position_in(record).is_some_and(|position| position > self.shared.durable.load(Ordering::Acquire))
        {
            let durable = self.read_stream_back(stream, row.version, super::APPEND_EVENTS)?;
            let Some(record) = durable.first() else { return Ok(None) };
            let place = || format!("stream {stream}");
            let (header, _) =
                Header::parse(record).map_err(|error| ReadError::Damaged { place: place(), why: error.to_string() })?;
            return Ok(Some(Head { version: header.version, hash: header.hash, key: header.key }));
        }
        Ok(Some(row))
    }

    fn log_head(&self) -> LogHead {
        *self.shared.head.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        self.shared.engine.log_hash(position)
    }

    fn named(&self, name: &str) -> Result<Option<StreamId>, ReadError> {
        self.shared.engine.named(name)
    }

    fn names(&self, after: &str, limit: usize) -> Result<Vec<(String, StreamId)>, ReadError> {
        self.shared.engine.names(after, limit)
    }

    fn open_streams(&self) -> Result<Vec<StreamId>, ReadError> {
        Ok(self.shared.engine.open_streams()?.into_iter().map(|(stream, _)| stream).collect())
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        self.shared.engine.position_of(id)
    }

    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.shared.observers.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    fn engine(&self) -> &'static str {
        self.shared.engine.name()
    }

    fn refusal(&self) -> Option<String> {
        self.shared.refusal()
    }
}
