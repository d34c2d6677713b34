//! What every actor of a host can reach.

use crate::{
    courier::Courier,
    hub::Hub,
    memory_worker::MemoryWorker,
    ports::{ApprovalGate, Model, Models, Policy, Toolbox},
    provider::Provider,
    settings::HostSettings,
    tool_runner::ToolRunner,
};
use actix::{Actor, Addr};
use dispatch_events::{
    Event, Log, PrincipalId, SharedText, StreamId, Timestamp, catalogue::input::Principal, keys::KeyBytes,
};
use lru::LruCache;
use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Events whose payload may exceed this many bytes are sealed on the blocking pool.
pub const HEAVY_BYTES: usize = 64 * 1024;
/// Names of sessions that are kept in memory.
const NAMES_KEPT: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");
/// A session with more events than this is folded on the blocking pool in pages of this size.
pub const PAGE_EVENTS: usize = 500;

/// A shared text with what it says.
#[derive(Clone, Debug)]
pub struct Frozen {
    /// Where it is stored.
    pub text: SharedText,
    /// What it says.
    pub says: Arc<str>,
}

/// The tools of this release, as sessions freeze them.
#[derive(Clone, Debug)]
pub struct Toolset {
    /// The JSON array.
    pub schemas: Frozen,
    /// Names in its order.
    pub names: Vec<String>,
}

/// What every actor of a host can reach.
pub struct Shared {
    /// The log.
    pub log: Arc<Log>,
    /// Limits and modes.
    pub settings: HostSettings,
    /// The models.
    pub models: Arc<dyn Models>,
    /// The tools.
    pub toolbox: Arc<dyn Toolbox>,
    /// Who says whether a tool may run.
    pub approvals: Arc<dyn ApprovalGate>,
    /// Who may have a turn.
    pub policy: Arc<dyn Policy>,
    /// The tools as new sessions freeze them.
    pub toolset: Toolset,
    /// The stable tier of new prompts.
    pub stable: Frozen,
    /// Name of the memory backend and where it writes to, if there is one.
    pub backend: Option<(&'static str, String)>,
    /// Who listens.
    pub hub: Addr<Hub>,
    /// Memory.
    pub memory: Addr<MemoryWorker>,
    /// Tools.
    pub tools: Addr<ToolRunner>,
    /// Obligations.
    pub courier: Addr<Courier>,
    /// Key that makes opaque ids of principals.
    pub(crate) principal_key: KeyBytes,
    /// What changes while the host runs.
    pub(crate) live: Live,
}

/// What changes while a host runs, and is gone with it.
pub(crate) struct Live {
    /// No new work is taken.
    pub draining: AtomicBool,
    /// Sessions that have an actor.
    pub active: AtomicUsize,
    /// Turns that run.
    pub turns: AtomicUsize,
    providers: Mutex<HashMap<String, Addr<Provider>>>,
    /// Names of sessions that were spoken to lately. A name only moves by a rename, which goes through its session.
    names: Mutex<LruCache<String, StreamId>>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            draining: AtomicBool::new(false),
            active: AtomicUsize::new(0),
            turns: AtomicUsize::new(0),
            providers: Mutex::default(),
            names: Mutex::new(LruCache::new(NAMES_KEPT)),
        }
    }
}

impl Shared {
    /// The time now.
    pub fn now(&self) -> Timestamp {
        self.log.clock().now()
    }

    /// The opaque id of a principal: the same for the same name on this host, and nothing else about it.
    pub fn principal_id(&self, principal: &Principal) -> PrincipalId {
        let mut hasher = blake3::Hasher::new_keyed(&self.principal_key);
        hasher.update(principal.adapter.as_bytes()).update(&[0]).update(principal.subject.as_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        PrincipalId::from_bytes(id)
    }

    /// The Provider of a model, on the caller's arbiter if it is the first.
    pub fn provider(&self, model: &Arc<Model>) -> Addr<Provider> {
        let mut providers = self.live.providers.lock().unwrap_or_else(PoisonError::into_inner);
        match providers.get(&model.profile.name) {
            Some(provider) if provider.connected() => provider.clone(),
            _ => {
                let provider = Provider::new(model.clone()).start();
                providers.insert(model.profile.name.clone(), provider.clone());
                provider
            }
        }
    }

    /// The session of a name, if it was spoken to lately.
    pub(crate) fn remembered(&self, name: &str) -> Option<StreamId> {
        self.live.names.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    /// Remembers the session of a name.
    pub(crate) fn remember(&self, name: &str, session: StreamId) {
        self.live.names.lock().unwrap_or_else(PoisonError::into_inner).put(name.to_owned(), session);
    }

    /// Forgets every name of a session.
    pub(crate) fn forget_names_of(&self, session: StreamId) {
        let mut names = self.live.names.lock().unwrap_or_else(PoisonError::into_inner);
        let stale: Vec<_> = names.iter().filter(|(_, id)| **id == session).map(|(name, _)| name.clone()).collect();
        for name in stale {
            names.pop(&name);
        }
    }

    /// Whether new work is refused.
    pub fn is_draining(&self) -> bool {
        self.live.draining.load(Ordering::SeqCst)
    }
}

/// The stream of an agent's memory, the same on every host.
pub fn agent_stream(agent: &str) -> StreamId {
    named_stream("agent", agent)
}

/// The host's own stream.
pub fn host_stream() -> StreamId {
    named_stream("host", "")
}

fn named_stream(kind: &str, name: &str) -> StreamId {
    let digest = blake3::hash(format!("dispatch stream {kind}\0{name}").as_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&digest.as_bytes()[..16]);
    StreamId::from_bytes(id)
}

/// Whether sealing these events would hold up an arbiter.
pub fn is_heavy(events: &[Event]) -> bool {
    let size = |event: &Event| match event {
        Event::InputQueued(event) => event.parts.iter().map(part_len).sum(),
        Event::MessageRecorded(event) => match &event.message {
            dispatch_events::catalogue::message::Message::Assistant { parts, calls, reasoning, extra, .. } => {
                parts.iter().map(part_len).sum::<usize>()
                    + reasoning.as_ref().map_or(0, String::len)
                    + extra.as_ref().map_or(0, |extra| extra.0.len())
                    + calls.iter().map(|call| call.arguments.0.len()).sum::<usize>()
            }
            dispatch_events::catalogue::message::Message::Given { parts, .. } => parts.iter().map(part_len).sum(),
            dispatch_events::catalogue::message::Message::User { .. } => 0,
        },
        Event::ToolFinished(event) => event.output.len(),
        Event::ModelStreamed(event) => event.text.len(),
        Event::MemoryRecalled(event) => event.block.len(),
        Event::PromptBuilt(event) => event.context.len() + event.volatile.len(),
        Event::SessionOpened(event) => event.system.as_ref().map_or(0, String::len),
        _ => 0,
    };
    events.iter().map(size).sum::<usize>() > HEAVY_BYTES / 2
}

fn part_len(part: &dispatch_events::Part) -> usize {
    match part {
        dispatch_events::Part::Text(text) => text.len(),
        dispatch_events::Part::Blob { .. } => 0,
    }
}
