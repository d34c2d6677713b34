//! Everything outside of the host, in one place: the store and the keys, which survive a crash, the chance that scripts
//! the rest, and what was seen to happen.

use crate::{model, random::Random, store::Moody, tools};
use dispatch_actors::{
    Blocking, HostHandle, HostParts, HostSettings,
    ports::{Everybody, NoApprovals},
};
use dispatch_events::{
    Clock, Log, Position, Recorded, Timestamp,
    blob::BlobStore,
    keys::Keyring,
    snapshot::SnapshotStore,
    store::{EventStore, NameSecret, Store, memory::MemoryEngine},
};
use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
};
use tempfile::TempDir;

/// The world of one seed.
pub struct World {
    random: Mutex<Random>,
    pub store: Arc<dyn EventStore>,
    folder: TempDir,
    pub clock: Arc<Jumping>,
    /// From here on nothing goes wrong any more.
    pub calm: AtomicBool,
    numbers: AtomicU64,
    /// Every call to the model: where the log ended, and how long the body was.
    pub calls: Mutex<Vec<(Position, u64)>>,
    /// Every run of a tool: where the log ended, its name and its arguments.
    pub runs: Mutex<Vec<(Position, &'static str, String)>>,
    /// What the model could not have accepted.
    pub complaints: Mutex<Vec<String>>,
}

impl World {
    pub fn new(seed: u64) -> Arc<Self> {
        let store = Store::in_line(MemoryEngine::default(), NameSecret::new([7; 32])).unwrap();
        // A folder in memory, where there is one: nothing here is about disks.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Arc::new(Self {
            random: Mutex::new(Random::new(seed)),
            store: Arc::new(store),
            folder: folder.unwrap(),
            clock: Arc::new(Jumping(AtomicI64::new(1_900_000_000_000_000))),
            calm: AtomicBool::new(false),
            numbers: AtomicU64::new(0),
            calls: Mutex::default(),
            runs: Mutex::default(),
            complaints: Mutex::default(),
        })
    }

    /// Makes a choice.
    pub fn choose<T>(&self, choice: impl FnOnce(&mut Random) -> T) -> T {
        choice(&mut self.random.lock().unwrap())
    }

    /// True so many times in a hundred, and never when the world is calm.
    pub fn goes_wrong(&self, percent: u64) -> bool {
        self.choose(|random| random.percent(percent)) && !self.is_calm()
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::SeqCst)
    }

    /// A number that was never given before.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The log as somebody reads it who has the keys.
    pub fn log(&self) -> Log {
        self.log_over(self.store.clone())
    }

    pub fn events(&self) -> Vec<Recorded> {
        self.log().read_all(Position(1), 1_000_000).unwrap()
    }

    fn log_over(&self, store: Arc<dyn EventStore>) -> Log {
        let folder = self.folder.path();
        let keys = Keyring::open(&folder.join("keys")).unwrap();
        let blobs = BlobStore::open(&folder.join("blobs")).unwrap();
        let snapshots = SnapshotStore::open(&folder.join("snapshots"));
        Log::new(store, keys, blobs, self.clock.clone()).with_snapshots(snapshots)
    }

    /// Starts a host; a store that refuses is tried again.
    pub async fn host(self: &Arc<Self>, seed: u64) -> HostHandle {
        for _ in 0..100 {
            let parts = HostParts {
                log: Arc::new(self.log_over(Arc::new(Moody::new(self.clone())))),
                models: model::of(self),
                memory_files: Arc::new(tools::NoFiles),
                memory_backend: Some(Arc::new(tools::Backend(self.clone()))),
                toolbox: Arc::new(tools::Tools(self.clone())),
                approvals: Arc::new(NoApprovals),
                policy: Arc::new(Everybody),
                settings: settings(seed),
            };
            if let Ok(host) = HostHandle::start(parts).await {
                return host;
            }
        }
        panic!("the host does not start");
    }
}

fn settings(seed: u64) -> HostSettings {
    HostSettings {
        arbiters: 0,
        blocking: Blocking::InLine,
        jitter: Some(seed),
        queue_limit: 8,
        idle_ms: 20_000,
        idle_limit_ms: 120_000,
        max_model_calls: 6,
        ..HostSettings::default()
    }
}

/// The time of day: a millisecond later each time somebody looks, and now and then set to another hour.
pub struct Jumping(AtomicI64);

impl Jumping {
    pub fn jump(&self, hours: i64) {
        self.0.fetch_add(hours * 3_600_000_000, Ordering::SeqCst);
    }
}

impl Clock for Jumping {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_add(1_000, Ordering::SeqCst))
    }
}
