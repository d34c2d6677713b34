//! A host with a scripted model, and its gateway.

use super::{
    super::{GatewaySettings, Running, Token, serve},
    client::{Client, Reply},
};
use crate::{
    config::DataFolder,
    memory::{DiskMemory, files::MemoryLimits},
    model::{ChatCompletions, Rehearsal},
};
use bytes::Bytes;
use dispatch_actors::{
    HostHandle, HostParts, HostSettings,
    ports::{
        Dialect, ErrorClass, Everybody, Model, ModelAnswer, ModelCall, ModelEndpoint, ModelError, ModelEvent,
        ModelProfile, Models, NoApprovals, Tool, Toolbox,
    },
};
use dispatch_events::{
    Log, RawJson, SystemClock,
    blob::BlobStore,
    catalogue::model::Usage,
    keys::Keyring,
    store::{
        Store,
        faulty::{Fault, FaultyStore},
        memory::MemoryEngine,
    },
};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use tempfile::TempDir;
use tokio::sync::Semaphore;

pub const TOKEN: &str = "a-token-of-the-tests";
pub const BEARER: (&str, &str) = ("authorization", "Bearer a-token-of-the-tests");
pub const HOST: (&str, &str) = ("host", "localhost");
pub const JSON: (&str, &str) = ("content-type", "application/json");

/// What the model does at one call.
#[derive(Clone)]
pub enum Act {
    /// Say this piece.
    Say(&'static str),
    /// Wait until the test lets it go on.
    Wait,
    /// Break.
    Fail(ErrorClass),
}

/// The model's script; a call without one is answered with `ok`.
#[derive(Clone)]
pub struct Script {
    calls: Arc<Mutex<VecDeque<Vec<Act>>>>,
    bodies: Arc<Mutex<Vec<Bytes>>>,
    pub go: Arc<Semaphore>,
}

impl Script {
    pub fn then(&self, acts: &[Act]) {
        self.calls.lock().unwrap().push_back(acts.to_vec());
    }

    /// The requests so far.
    pub fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().iter().map(|body| serde_json::from_slice(body).unwrap()).collect()
    }
}

impl ModelEndpoint for Script {
    fn call(&self, call: ModelCall) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        self.bodies.lock().unwrap().push(call.body);
        let acts = self.calls.lock().unwrap().pop_front().unwrap_or_else(|| vec![Act::Say("ok")]);
        let go = self.go.clone();
        let told = Arc::new(Mutex::new(String::new()));
        let whole = told.clone();
        let pieces = stream::iter(acts).filter_map(move |act| {
            let (go, told) = (go.clone(), told.clone());
            async move {
                match act {
                    Act::Say(text) => {
                        told.lock().unwrap().push_str(text);
                        Some(Ok(ModelEvent::Text(text.to_owned())))
                    }
                    Act::Wait => {
                        go.acquire().await.unwrap().forget();
                        None
                    }
                    Act::Fail(class) => {
                        let message = "the script says so".to_owned();
                        Some(Err(ModelError { class, status: Some(400), retry_after_ms: None, message }))
                    }
                }
            }
        });
        let end = stream::once(async move {
            let text = whole.lock().unwrap().clone();
            let usage = Some(Usage { input: 7, cached: Some(3), output: 2, reasoning: None });
            Ok(ModelEvent::Finished(ModelAnswer { text, finish: "stop".into(), usage, ..ModelAnswer::default() }))
        });
        pieces.chain(end).boxed()
    }
}

struct Configured(Arc<Model>);

impl Models for Configured {
    fn default_model(&self) -> Arc<Model> {
        self.0.clone()
    }

    fn model(&self, profile: &str) -> Option<Arc<Model>> {
        (profile == self.0.profile.name).then(|| self.0.clone())
    }

    fn list(&self) -> Vec<ModelProfile> {
        vec![self.0.profile.clone()]
    }

    fn dialect(&self, name: &str, version: u16) -> Option<Arc<dyn Dialect>> {
        let dialect = &self.0.dialect;
        (name == dialect.name() && version == dialect.version()).then(|| dialect.clone())
    }
}

struct NoTools;

impl Toolbox for NoTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    fn tool(&self, _: &str) -> Option<Arc<dyn Tool>> {
        None
    }

    fn check(&self, name: &str, _: &RawJson) -> Result<(), String> {
        Err(format!("there is no tool {name}"))
    }
}

/// How a rig differs from the plain one.
#[derive(Default)]
pub struct Plan {
    pub rehearsal: bool,
    /// Appends fail from this number on.
    pub refuse_from: Option<u64>,
    pub settings: Option<fn(&mut GatewaySettings)>,
}

pub struct Rig {
    pub host: HostHandle,
    pub running: Running,
    pub script: Script,
    _memory: TempDir,
}

impl Rig {
    /// A ready host.
    pub async fn start() -> Self {
        Self::with(Plan::default()).await
    }

    pub async fn with(plan: Plan) -> Self {
        let rig = Self::starting(plan).await;
        rig.running.mark_ready();
        rig
    }

    /// A host whose gateway listens and that nobody called ready yet.
    pub async fn starting(plan: Plan) -> Self {
        let script = Script { calls: Arc::default(), bodies: Arc::default(), go: Arc::new(Semaphore::new(0)) };
        let memory = TempDir::new().unwrap();
        let keys = Keyring::open(&memory.path().join("keys")).unwrap();
        let store = Arc::new(Store::start(MemoryEngine::default(), keys.name_secret(true).unwrap()).unwrap());
        let mut log = Log::new(store, keys, BlobStore::in_memory(), Arc::new(SystemClock));
        if let Some(from) = plan.refuse_from {
            log = log.with_store(|inner| Arc::new(FaultyStore::new(inner, Fault::Refuse, from)));
        }
        let limits = MemoryLimits { memory: 2200, user: 1375 };
        let model = if plan.rehearsal { Rehearsal::model() } else { scripted(&script) };
        let host = HostHandle::start(HostParts {
            log: Arc::new(log),
            models: Arc::new(Configured(Arc::new(model))),
            memory_files: Arc::new(DiskMemory::new(memory.path(), limits, Arc::new(SystemClock))),
            memory_backend: None,
            toolbox: Arc::new(NoTools),
            approvals: Arc::new(NoApprovals),
            policy: Arc::new(Everybody),
            settings: HostSettings { arbiters: 1, ..HostSettings::default() },
        });
        let host = host.await.unwrap();
        let mut settings = GatewaySettings::new("127.0.0.1:0", Token::new(TOKEN).unwrap());
        settings.stop_timeout_s = 1;
        settings.folder = Some(DataFolder::at(memory.path()));
        if let Some(change) = plan.settings {
            change(&mut settings);
        }
        let running = serve(host.clone(), settings).unwrap();
        Self { host, running, script, _memory: memory }
    }

    pub async fn client(&self) -> Client {
        Client::connect(self.running.address()).await
    }

    /// Sends exactly this.
    pub async fn raw(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut client = self.client().await;
        client.send(line, headers, body).await;
        client.reply().await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.raw(&format!("GET {path}"), &[HOST, BEARER], b"").await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(path, &[], body).await
    }

    pub async fn post_with(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        let headers = [&[HOST, BEARER, JSON], headers].concat();
        self.raw(&format!("POST {path}"), &headers, body.to_string().as_bytes()).await
    }

    /// A turn of a durable session over the OpenAI door.
    pub async fn chat(&self, session: &str, text: &str) -> Reply {
        let headers = [("x-dispatch-session", session)];
        self.post_with("/v1/chat/completions", &headers, &said(text)).await
    }

    /// The contents of a session, with their roles.
    pub async fn transcript(&self, session: &str) -> Vec<(String, String)> {
        let view = self.get(&format!("/api/sessions/{session}/view/transcript")).await.json();
        let messages = view["messages"].as_array().unwrap_or_else(|| panic!("{view}"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        messages.iter().map(|message| (text(&message["role"]), text(&message["content"]))).collect()
    }
}

/// A chat request with one user message.
pub fn said(text: &str) -> Value {
    serde_json::json!({"model": "any", "messages": [{"role": "user", "content": text}]})
}

fn scripted(script: &Script) -> Model {
    let profile = ModelProfile {
        name: "scripted".into(),
        model: "scripted-1".into(),
        dialect: "chat_completions".into(),
        base_url: "nowhere".into(),
        context_window: Some(8192),
        stream: true,
        rehearsal: false,
    };
    Model { profile, dialect: Arc::new(ChatCompletions), endpoint: Arc::new(script.clone()) }
}
