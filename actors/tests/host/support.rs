//! A host whose outside is scripted.

#[path = "support/dialect.rs"]
mod dialect;
#[path = "support/memory.rs"]
mod memory;
#[path = "support/tools.rs"]
mod tools;

#[allow(unused_imports, reason = "not every suite that has these asks for it")]
pub use memory::words;
use memory::{Backend, Files};
use tools::Tools;

use actix_rt::System;
use dispatch_actors::{HostHandle, HostParts, HostSettings, Opening, SessionRef, Submit, handle::TurnEnding, ports::*};
use dispatch_events::{
    Clock, Digest, Event, Log, Part, Position, RawJson, Recorded, SystemClock,
    catalogue::{
        input::Principal,
        memory::{MemoryChange, MemoryTarget},
        message::ToolCall,
        tool::{EffectClass, EffectDisposition, ToolOutcome},
    },
    snapshot::SnapshotStore,
    store::{
        EventStore, NameSecret, Store,
        faulty::{Fault, FaultyStore},
        memory::MemoryEngine,
    },
};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::BoxStream};
use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// What a scripted model does with one call.
#[derive(Clone)]
pub enum Act {
    Say(&'static str),
    /// Reasoning, then an answer.
    Think(&'static str, &'static str),
    Call(Vec<(&'static str, &'static str)>),
    Fail(ErrorClass),
    /// The same, with this wait before another try, in milliseconds.
    FailFor(ErrorClass, u64),
    /// Says the first, then nothing for ever.
    Hang(&'static str),
    /// Says it after this many milliseconds.
    Late(&'static str, u64),
    /// Holds up its thread for this many milliseconds, then says it.
    Freeze(&'static str, u64),
    /// Says the first, then breaks off.
    Break(&'static str),
    /// Says it all, and ends when what is held is let go.
    Held(&'static str),
}

/// Everything outside of a host, and what it saw.
pub struct Outside {
    pub store: Arc<dyn EventStore>,
    pub keep: Arc<Keep>,
    pub clock: Arc<dyn Clock>,
    pub script: Mutex<VecDeque<Act>>,
    pub bodies: Mutex<Vec<String>>,
    pub tool_runs: Mutex<Vec<String>>,
    /// Calls and tool runs whose announcement was not in the log.
    pub unannounced: Mutex<Vec<String>>,
    /// Whether nobody looks for those: a look reads the whole log.
    pub unwatched: AtomicBool,
    pub recall: Mutex<Option<(String, Duration)>>,
    pub recalls: AtomicUsize,
    pub at_once: AtomicUsize,
    pub most_at_once: AtomicUsize,
    pub synced: Mutex<Vec<Exchange>>,
    pub sync_failures: AtomicUsize,
    pub files: Mutex<[Vec<String>; 2]>,
    /// How many of the next writes of a file fail.
    pub write_failures: AtomicUsize,
    /// Other models than the scripted one.
    pub models: Mutex<Option<Arc<dyn Models>>>,
    /// Who consents.
    pub gate: Mutex<Arc<dyn ApprovalGate>>,
    /// Who may have a turn.
    pub policy: Mutex<Arc<dyn Policy>>,
    /// Whether tools and models that wait for it go on.
    pub let_go: Arc<AtomicBool>,
    /// How often the check of tool arguments panics, which happens inside the Session actor.
    pub panics: AtomicUsize,
}

/// Keys, blobs and snapshots survive a restart with the store.
pub struct Keep {
    pub folder: tempfile::TempDir,
}

pub fn outside() -> Arc<Outside> {
    outside_at(Arc::new(SystemClock))
}

/// An outside with a clock of the test's own.
pub fn outside_at(clock: Arc<dyn Clock>) -> Arc<Outside> {
    let store: Arc<dyn EventStore> = Arc::new(Store::start(MemoryEngine::default(), NameSecret::new([7; 32])).unwrap());
    Arc::new(Outside {
        store,
        clock,
        keep: Arc::new(Keep { folder: tempfile::tempdir().unwrap() }),
        script: Mutex::default(),
        bodies: Mutex::default(),
        tool_runs: Mutex::default(),
        unannounced: Mutex::default(),
        unwatched: AtomicBool::new(false),
        recall: Mutex::default(),
        recalls: AtomicUsize::new(0),
        at_once: AtomicUsize::new(0),
        most_at_once: AtomicUsize::new(0),
        synced: Mutex::default(),
        sync_failures: AtomicUsize::new(0),
        files: Mutex::default(),
        write_failures: AtomicUsize::new(0),
        models: Mutex::default(),
        gate: Mutex::new(Arc::new(NoApprovals)),
        policy: Mutex::new(Arc::new(Everybody)),
        let_go: Arc::default(),
        panics: AtomicUsize::new(0),
    })
}

impl Outside {
    pub fn script(&self, acts: impl IntoIterator<Item = Act>) {
        self.script.lock().unwrap().extend(acts);
    }

    /// The log as somebody reads it who has the keys.
    pub fn log(&self) -> Log {
        self.log_over(self.store.clone())
    }

    /// Where the snapshots lie.
    pub fn snapshots(&self) -> PathBuf {
        self.keep.folder.path().join("snapshots")
    }

    fn log_over(&self, store: Arc<dyn EventStore>) -> Log {
        let folder = self.keep.folder.path();
        let keys = dispatch_events::keys::Keyring::open(&folder.join("keys")).unwrap();
        let blobs = dispatch_events::blob::BlobStore::open(&folder.join("blobs")).unwrap();
        let snapshots = SnapshotStore::open(&self.snapshots());
        Log::new(store, keys, blobs, self.clock.clone()).with_snapshots(snapshots)
    }

    pub fn events(&self) -> Vec<Recorded> {
        self.log().read_all(Position(1), 100_000).unwrap()
    }

    pub fn kinds(&self) -> Vec<String> {
        self.events().into_iter().map(|recorded| recorded.kind).collect()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.kinds().iter().filter(|other| *other == kind).count()
    }

    /// A host over this outside; `fault` from the n-th append on, counted after its own start.
    pub async fn host(self: &Arc<Self>, settings: HostSettings, backend: bool) -> (HostHandle, Arc<FaultyStore>) {
        self.faulty_host(settings, backend, Fault::None, 0).await
    }

    pub async fn faulty_host(
        self: &Arc<Self>,
        settings: HostSettings,
        backend: bool,
        fault: Fault,
        from: u64,
    ) -> (HostHandle, Arc<FaultyStore>) {
        // The host's own `host.started` is the first append.
        let store = Arc::new(FaultyStore::new(self.store.clone(), fault, from + 1));
        let parts = HostParts {
            log: Arc::new(self.log_over(store.clone())),
            models: self
                .models
                .lock()
                .unwrap()
                .clone()
                .unwrap_or_else(|| Arc::new(ScriptedModels(model(self, "scripted"), model(self, "other")))),
            memory_files: Arc::new(Files(self.clone())),
            memory_backend: backend.then(|| Arc::new(Backend(self.clone())) as Arc<dyn MemoryBackend>),
            toolbox: Arc::new(Tools(self.clone())),
            approvals: self.gate.lock().unwrap().clone(),
            policy: self.policy.lock().unwrap().clone(),
            settings,
        };
        (HostHandle::start(parts).await.unwrap(), store)
    }
}

pub fn settings() -> HostSettings {
    HostSettings { arbiters: 1, turn_drain_ms: 2_000, ..HostSettings::default() }
}

pub fn block_on<F: Future>(test: F) -> F::Output {
    System::new().block_on(test)
}

pub fn me() -> Principal {
    Principal { adapter: "test".into(), subject: "me".into() }
}

pub fn say(text: &str) -> Submit {
    Submit { opening: Some(Opening::plain("test")), ..Submit::new(me(), vec![Part::Text(text.into())]) }
}

pub async fn turn(host: &HostHandle, session: &str, text: &str) -> TurnEnding {
    let receipt = host.submit(&SessionRef::from(session), say(text)).await.unwrap();
    host.wait(&receipt).await.unwrap()
}

async fn until_let_go(let_go: &AtomicBool) {
    while !let_go.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until `done`, at most five seconds.
pub async fn until(what: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("waited five seconds for: {what}");
}

fn model(outside: &Arc<Outside>, name: &str) -> Arc<Model> {
    Arc::new(Model {
        profile: ModelProfile {
            name: name.into(),
            model: format!("{name}-1"),
            dialect: "plain".into(),
            base_url: "nowhere".into(),
            context_window: None,
            stream: true,
            rehearsal: false,
        },
        dialect: Arc::new(dialect::PlainDialect),
        endpoint: Arc::new(Endpoint(outside.clone())),
    })
}

/// The default, and another one.
struct ScriptedModels(Arc<Model>, Arc<Model>);

impl Models for ScriptedModels {
    fn default_model(&self) -> Arc<Model> {
        self.0.clone()
    }
    fn model(&self, profile: &str) -> Option<Arc<Model>> {
        [&self.0, &self.1].into_iter().find(|model| model.profile.name == profile).cloned()
    }
    fn list(&self) -> Vec<ModelProfile> {
        vec![self.0.profile.clone(), self.1.profile.clone()]
    }
    fn dialect(&self, name: &str, version: u16) -> Option<Arc<dyn Dialect>> {
        (name == "plain" && version == 1).then(|| self.0.dialect.clone())
    }
}

struct Endpoint(Arc<Outside>);

impl ModelEndpoint for Endpoint {
    fn call(&self, call: ModelCall) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let body = String::from_utf8(call.body.to_vec()).unwrap();
        let watched = !self.0.unwatched.load(Ordering::SeqCst);
        let announced = watched
            && self.0.events().iter().any(|recorded| match recorded.event() {
                Some(Event::ModelRequested(requested)) => requested.length == body.len() as u64,
                _ => false,
            });
        let calls = {
            let mut bodies = self.0.bodies.lock().unwrap();
            bodies.push(body.clone());
            bodies.len()
        };
        if !watched {
            return futures_util::stream::iter([Ok(ModelEvent::Finished(ModelAnswer {
                text: "ok".into(),
                finish: "stop".into(),
                ..ModelAnswer::default()
            }))])
            .boxed();
        }
        if !announced || self.0.count("model.requested") < calls {
            self.0.unannounced.lock().unwrap().push(body);
        }
        let act = self.0.script.lock().unwrap().pop_front().unwrap_or(Act::Say("nothing more is scripted"));
        let text = |text: &str| Ok(ModelEvent::Text(text.to_owned()));
        let failed = |class| ModelError { class, status: None, retry_after_ms: Some(1), message: "scripted".into() };
        if let Act::Freeze(_, ms) = act {
            std::thread::sleep(Duration::from_millis(ms));
        }
        let wait = if let Act::Late(_, ms) = act { ms } else { 0 };
        let events = match act {
            Act::Say(words) | Act::Late(words, _) | Act::Freeze(words, _) => {
                let answer = ModelAnswer { text: words.into(), finish: "stop".into(), ..ModelAnswer::default() };
                vec![text(words), Ok(ModelEvent::Finished(answer))]
            }
            Act::Think(thought, words) => {
                let (reasoning, finish) = (Some(thought.into()), "stop".into());
                let answer = ModelAnswer { text: words.into(), reasoning, finish, ..ModelAnswer::default() };
                vec![text(words), Ok(ModelEvent::Finished(answer))]
            }
            Act::Call(calls) => {
                let calls = calls.into_iter().enumerate().map(|(index, (tool, arguments))| ToolCall {
                    id: format!("call_{index}"),
                    tool: tool.into(),
                    arguments: RawJson(arguments.into()),
                });
                let finish = "tool_calls".into();
                vec![Ok(ModelEvent::Finished(ModelAnswer { calls: calls.collect(), finish, ..ModelAnswer::default() }))]
            }
            Act::Fail(class) => vec![Err(failed(class))],
            Act::FailFor(class, wait) => vec![Err(ModelError { retry_after_ms: Some(wait), ..failed(class) })],
            Act::Hang(words) => {
                return futures_util::stream::iter([text(words)]).chain(futures_util::stream::pending()).boxed();
            }
            Act::Held(words) => {
                let let_go = self.0.let_go.clone();
                let answer = ModelAnswer { text: words.into(), finish: "stop".into(), ..ModelAnswer::default() };
                let end = async move {
                    until_let_go(&let_go).await;
                    Ok(ModelEvent::Finished(answer))
                };
                return futures_util::stream::iter([text(words)]).chain(futures_util::stream::once(end)).boxed();
            }
            Act::Break(words) => vec![text(words), Err(failed(ErrorClass::Connection))],
        };
        let waited = async move { tokio::time::sleep(Duration::from_millis(wait)).await };
        waited.map(move |()| futures_util::stream::iter(events)).flatten_stream().boxed()
    }
}
