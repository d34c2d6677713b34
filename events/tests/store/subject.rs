//! An engine under test, and a writer that appends to it.

use dispatch_events::{
    CorrelationId, Draft, Event, EventId, Log, ObligationId, PrincipalId, StreamId, SystemClock, TurnId,
    blob::BlobStore,
    catalogue::{
        memory::{MemoryRecalled, MemoryWarmed},
        obligation::{ObligationCreated, ObligationKind, ObligationMet},
        session::{SessionOpened, SessionRenamed},
    },
    keys::Keyring,
    log::{LogError, Tip},
    store::{
        AppendError, Appended, Engine, EventStore, NameSecret, Store, memory::MemoryEngine, sled::SledEngine,
        sqlite::SqliteEngine,
    },
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A place where an engine keeps its rows; opened again it is the same log.
pub trait Subject: Send + Sync {
    type E: Engine;
    fn new() -> Self;
    fn open(&self) -> Self::E;

    fn store(&self) -> Store<Self::E> {
        Store::start(self.open(), NameSecret::new([7; 32])).unwrap()
    }

    fn log(&self) -> Log {
        Log::in_memory(Arc::new(self.store()), Arc::new(SystemClock))
    }
}

pub struct Memory(MemoryEngine);

impl Subject for Memory {
    type E = MemoryEngine;

    fn new() -> Self {
        Self(MemoryEngine::default())
    }

    fn open(&self) -> MemoryEngine {
        self.0.clone()
    }
}

/// The committer without a thread.
pub struct InLine(MemoryEngine);

impl Subject for InLine {
    type E = MemoryEngine;

    fn new() -> Self {
        Self(MemoryEngine::default())
    }

    fn open(&self) -> MemoryEngine {
        self.0.clone()
    }

    fn store(&self) -> Store<MemoryEngine> {
        Store::in_line(self.open(), NameSecret::new([7; 32])).unwrap()
    }
}

pub struct Sled(tempfile::TempDir);

impl Sled {
    pub fn folder(&self) -> PathBuf {
        self.0.path().join("log")
    }
}

impl Subject for Sled {
    type E = SledEngine;

    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn open(&self) -> SledEngine {
        SledEngine::open(&self.folder()).unwrap()
    }
}

pub struct Sqlite(tempfile::TempDir);

impl Sqlite {
    pub fn folder(&self) -> PathBuf {
        self.0.path().join("log")
    }
}

impl Subject for Sqlite {
    type E = SqliteEngine;

    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn open(&self) -> SqliteEngine {
        SqliteEngine::open(&self.folder()).unwrap()
    }
}

/// The same keys and blobs over another store: a log that was closed and opened again.
pub struct Vault(tempfile::TempDir);

impl Vault {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn log(&self, store: Arc<dyn EventStore>) -> Log {
        let keys = Keyring::open(&self.0.path().join("keys")).unwrap();
        let blobs = BlobStore::open(&self.0.path().join("blobs")).unwrap();
        Log::new(store, keys, blobs, Arc::new(SystemClock))
    }
}

pub fn draft(event: impl Into<Event>) -> Draft {
    Draft {
        event: event.into(),
        correlation: CorrelationId::fresh(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
    }
}

/// An event with a payload of about this many bytes, and nothing for the indexes.
pub fn sized(bytes: usize) -> Event {
    let block: String = ('a'..='z').cycle().take(bytes).collect();
    MemoryRecalled { turn: TurnId::fresh(), backend: "test".into(), block, took_ms: 1 }.into()
}

/// A small event that changes no index.
pub fn small() -> Event {
    MemoryWarmed { turn: TurnId::fresh(), obligation: ObligationId::fresh() }.into()
}

pub fn opened(name: &str) -> Event {
    let (source, agent) = ("cli".into(), "main".into());
    SessionOpened { name: name.into(), route: None, source, agent, parent: None, system: None }.into()
}

pub fn renamed(previous: &str, name: &str) -> Event {
    SessionRenamed { name: name.into(), previous: previous.into(), by: None }.into()
}

pub fn owed(obligation: ObligationId) -> Event {
    let kind = ObligationKind::MemorySync;
    ObligationCreated { obligation, kind, key: "key".into(), turn: TurnId::fresh() }.into()
}

pub fn met(obligation: ObligationId) -> Event {
    ObligationMet { obligation, attempts: 1 }.into()
}

/// Appends to one stream and keeps its tip.
pub struct Writer<'a> {
    pub log: &'a Log,
    pub tip: Tip,
}

impl<'a> Writer<'a> {
    pub fn new(log: &'a Log) -> Self {
        Self { log, tip: log.new_tip(StreamId::fresh()).unwrap() }
    }

    pub fn stream(&self) -> StreamId {
        self.tip.stream
    }

    pub async fn append(&mut self, events: Vec<Event>) -> Result<Appended, AppendError> {
        let appended = match self.log.append(self.tip, events.into_iter().map(draft).collect()).await {
            Ok(appended) => appended,
            Err(LogError::Append(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        };
        self.tip.version = appended.events.last().map_or(self.tip.version, |event| event.version);
        Ok(appended)
    }

    pub async fn write(&mut self, events: Vec<Event>) -> Appended {
        self.append(events).await.unwrap()
    }
}

/// Runs a future on a thread that has no runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// Everything in a store, page by page.
pub fn everything(store: &dyn EventStore) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    loop {
        let page = store.read_all(dispatch_events::Position(all.len() as u64 + 1), 100).unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}
