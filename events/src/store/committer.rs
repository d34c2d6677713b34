//! The committer: one thread that owns all writes. A port: the simulated host has it run in line.

mod before;
mod page;
mod plan;
mod recent;

use self::{before::Before, plan::Plan};
use super::{
    Append, AppendError, AppendFuture, Appended, CommitObserver, Engine, EngineError, EventStore, Head, LogHead,
    NameKey, NameSecret, ReadError,
};
use crate::{Digest, EventId, Position, Recorded, StreamId, Version, envelope::Header};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard,
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
    /// The plan of a committer that has no thread.
    in_line: Option<Arc<Mutex<Plan>>>,
}

struct Shared<E> {
    engine: E,
    /// Blinds the names of the index.
    names: NameSecret,
    /// Last durable position: reads never show what lies behind it.
    durable: AtomicU64,
    head: RwLock<LogHead>,
    /// The indexes before the group that is being written. Readers look at the engine first and here second: whatever
    /// was committed in between, what they answer was durable at some moment of the call.
    before: RwLock<Before>,
    broken: RwLock<Option<String>>,
    observers: RwLock<Vec<Arc<dyn CommitObserver>>>,
}

impl<E: Engine> Store<E> {
    /// Starts the committer over an open engine. `names` blinds the names of its index: the same for its whole life.
    ///
    /// # Errors
    /// [`ReadError`] when the end of the log can't be read.
    pub fn start(engine: E, names: NameSecret) -> Result<Self, ReadError> {
        let (shared, mut plan) = Self::open(engine, names)?;
        let (sender, mut receiver) = mpsc::channel(CHANNEL);
        let mine = shared.clone();
        let thread = Builder::new()
            .name("committer".into())
            .spawn(move || {
                while let Some(first) = receiver.blocking_recv() {
                    mine.group(&mut plan, first, || receiver.try_recv().ok());
                }
            })
            .map_err(|error| ReadError::Io(error.to_string()))?;
        Ok(Self { shared, sender: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)), in_line: None })
    }

    /// As [`Store::start`], without a thread: whoever polls an append commits it, and each append is a group of its own.
    /// For tests in which one thread decides what comes first; on a disk it would hold that thread up.
    ///
    /// # Errors
    /// As [`Store::start`].
    pub fn in_line(engine: E, names: NameSecret) -> Result<Self, ReadError> {
        let (shared, plan) = Self::open(engine, names)?;
        let in_line = Some(Arc::new(Mutex::new(plan)));
        Ok(Self { shared, sender: Mutex::default(), thread: Mutex::default(), in_line })
    }

    fn open(engine: E, names: NameSecret) -> Result<(Arc<Shared<E>>, Plan), ReadError> {
        let head = engine.log_head()?;
        let shared = Arc::new(Shared {
            durable: AtomicU64::new(head.position.0),
            head: RwLock::new(head),
            before: RwLock::default(),
            broken: RwLock::default(),
            observers: RwLock::default(),
            engine,
            names,
        });
        let plan = Plan::new(head, shared.engine.greatest_id()?, shared.names.clone());
        Ok((shared, plan))
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
    /// One group: what waits now, checked, made durable, answered. Refusals wait for the commit too: they may rest on
    /// what the same group writes.
    fn group(&self, plan: &mut Plan, first: (Append, Answer), mut more: impl FnMut() -> Option<(Append, Answer)>) {
        let mut answers = Vec::new();
        let mut next = Some(first);
        while let Some((append, answer)) = next.take() {
            let result = match self.broken() {
                Some(why) => Err(AppendError::Unavailable(why)),
                None => plan.add(&self.engine, append),
            };
            answers.push((answer, result));
            if answers.len() < GROUP_APPENDS && plan.bytes() < GROUP_BYTES {
                next = more();
            }
        }
        if plan.appends() > 0 {
            let (batch, before) = plan.finish();
            *self.before.write().unwrap_or_else(PoisonError::into_inner) = before;
            match self.engine.commit(&batch) {
                Ok(()) => self.publish(plan.done()),
                Err(error) => return self.failed(plan, answers, &error),
            }
        }
        for (answer, result) in answers {
            respond(answer, result);
        }
    }

    fn publish(&self, (head, events): (LogHead, Vec<Arc<Recorded>>)) {
        self.durable.store(head.position.0, Ordering::Release);
        *self.before.write().unwrap_or_else(PoisonError::into_inner) = Before::default();
        *self.head.write().unwrap_or_else(PoisonError::into_inner) = head;
        for observer in self.observers.read().unwrap_or_else(PoisonError::into_inner).iter() {
            tell(&**observer, head.position, &events);
        }
    }

    fn failed(&self, plan: &mut Plan, answers: Vec<(Answer, Result<Appended, AppendError>)>, error: &EngineError) {
        plan.undo();
        tracing::error!(%error, "the log could not be written");
        match error {
            EngineError::Refused(_) => {
                *self.before.write().unwrap_or_else(PoisonError::into_inner) = Before::default();
            }
            // What was written half-way stays hidden until the log is opened again.
            EngineError::Broken(why) => {
                let why = format!("an earlier write failed ({why}); restart the host to open the log again");
                *self.broken.write().unwrap_or_else(PoisonError::into_inner) = Some(why);
            }
        }
        for (answer, result) in answers {
            let error = match (result, error) {
                (Err(error @ AppendError::Invalid(_)), _) => error,
                (Ok(_), EngineError::Broken(why)) => AppendError::Unknown(why.clone()),
                // A conflict may have been one with an append of the same group, which did not land either.
                (_, EngineError::Refused(why) | EngineError::Broken(why)) => AppendError::Unavailable(why.clone()),
            };
            respond(answer, Err(error));
        }
    }

    fn broken(&self) -> Option<String> {
        self.broken.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn durable(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }

    fn before(&self) -> RwLockReadGuard<'_, Before> {
        self.before.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the records that are not durable yet. Positions rise within a page, or fall.
    fn durable_only(&self, mut records: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let durable = self.durable();
        records.retain(|record| Header::place(record).is_none_or(|place| place.position.0 <= durable));
        records
    }
}

/// Tells an observer. A panic of it must not stop the committer: the events are durable, and their writers wait to hear
/// so. Unwind safety: nothing of the committer is lent but what can't be changed through it.
fn tell(observer: &dyn CommitObserver, last: Position, events: &[Arc<Recorded>]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| observer.committed(events))) {
        let why = panic.downcast_ref::<&str>().map(|why| (*why).to_owned());
        let why = why.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned());
        tracing::error!(%last, events = events.len(), why, "an observer of the log panicked; it may lack these events");
    }
}

fn respond(answer: Answer, result: Result<Appended, AppendError>) {
    if answer.send(result).is_err() {
        tracing::debug!("a writer went away before its append was answered");
    }
}

impl<E: Engine> EventStore for Store<E> {
    fn append(&self, append: Append) -> AppendFuture {
        if let Some(plan) = &self.in_line {
            let (shared, plan) = (Arc::downgrade(&self.shared), Arc::downgrade(plan));
            return Box::pin(async move {
                let closed = || AppendError::Unavailable("the log is closed".into());
                let (answer, result) = oneshot::channel();
                let (shared, plan) = shared.upgrade().zip(plan.upgrade()).ok_or_else(closed)?;
                shared.group(&mut plan.lock().unwrap_or_else(PoisonError::into_inner), (append, answer), || None);
                result.await.map_err(|_| AppendError::Unknown("the committer gave no answer".into()))?
            });
        }
        // Weak, so that a future that nobody polls does not keep the committer from stopping.
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(mpsc::Sender::downgrade);
        Box::pin(async move {
            let closed = || AppendError::Unavailable("the log is closed".into());
            let (answer, result) = oneshot::channel();
            let sender = sender.and_then(|sender| sender.upgrade()).ok_or_else(closed)?;
            sender.send((append, answer)).await.map_err(|_| closed())?;
            drop(sender);
            result.await.map_err(|_| AppendError::Unknown("the committer stopped".into()))?
        })
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let end = self.head(stream)?.map_or(Version(0), |head| head.version);
        let records = self.shared.engine.read_stream(stream, from, limit)?;
        page::forward(&records, stream, from, limit, end, self.shared.durable())?;
        Ok(self.shared.durable_only(records))
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        // From the durable end down: a page that begins behind it could come out empty in the middle of a stream.
        let from = from.min(self.head(stream)?.map_or(Version(0), |head| head.version));
        let records = self.shared.engine.read_stream_back(stream, from, limit)?;
        page::backward(&records, stream, from, limit)?;
        Ok(records)
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let durable = self.shared.durable();
        let records = self.shared.engine.read_all(from, limit)?;
        page::whole(&records, from, limit, durable)?;
        Ok(self.shared.durable_only(records))
    }

    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        let row = self.shared.engine.head(stream)?;
        Ok(self.shared.before().heads.get(&stream).copied().unwrap_or(row))
    }

    fn log_head(&self) -> LogHead {
        *self.shared.head.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        if position.0 > self.shared.durable() { Ok(None) } else { self.shared.engine.log_hash(position) }
    }

    fn named(&self, name: &str) -> Result<Option<StreamId>, ReadError> {
        let name = self.shared.names.key(name);
        let row = self.shared.engine.named(name)?;
        Ok(self.shared.before().names.get(&name).copied().unwrap_or(row))
    }

    fn streams(&self, mut after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        loop {
            let rows = self.shared.engine.streams(after, limit)?;
            let Some((last, _)) = rows.last() else { return Ok(rows) };
            after = Some(*last);
            let durable = self.shared.before().streams(rows);
            if !durable.is_empty() {
                return Ok(durable);
            }
        }
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        let mut hidden = 0;
        loop {
            // Room for the names that the group in flight may hide.
            let wanted = limit.saturating_add(hidden);
            let rows = self.shared.engine.names(after, wanted)?;
            let before = self.shared.before();
            if before.names.len() <= hidden {
                let more = rows.len() == wanted;
                return Ok(before.names(rows, after, limit, more));
            }
            hidden = before.names.len();
        }
    }

    fn name_secret(&self) -> &NameSecret {
        &self.shared.names
    }

    fn open_streams(&self) -> Result<Vec<StreamId>, ReadError> {
        let rows = self.shared.engine.open_streams()?;
        Ok(self.shared.before().open_streams(rows))
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        let position = self.shared.engine.position_of(id)?;
        Ok(position.filter(|position| position.0 <= self.shared.durable()))
    }

    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.shared.observers.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    fn engine(&self) -> &'static str {
        self.shared.engine.name()
    }

    fn refusal(&self) -> Option<String> {
        self.shared.broken().or_else(|| self.shared.engine.refusal())
    }
}
