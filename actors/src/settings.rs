//! What a host is made of.

use crate::{
    Blocking,
    decide::reset::ResetPolicy,
    ports::{ApprovalGate, MemoryBackend, MemoryFiles, Models, Policy, Toolbox},
    routing::Sharing,
};
use dispatch_events::{Log, catalogue::session::BusyMode};
use std::sync::Arc;

/// The ports and the settings of a host.
pub struct HostParts {
    /// The log. Whoever opened it holds the folder's lock for as long as the host lives.
    pub log: Arc<Log>,
    /// The models.
    pub models: Arc<dyn Models>,
    /// The agent's memory files.
    pub memory_files: Arc<dyn MemoryFiles>,
    /// The external memory backend, if there is one.
    pub memory_backend: Option<Arc<dyn MemoryBackend>>,
    /// The tools.
    pub toolbox: Arc<dyn Toolbox>,
    /// Who says whether a tool may run: [`NoApprovals`](crate::ports::NoApprovals) where nobody is asked.
    pub approvals: Arc<dyn ApprovalGate>,
    /// Who may have a turn.
    pub policy: Arc<dyn Policy>,
    /// Limits and modes.
    pub settings: HostSettings,
}

/// What becomes of a tool call whose outcome nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recovery {
    /// The session pauses until a person settles it.
    #[default]
    Pause,
    /// The model is told that the outcome is unknown, and the turn goes on.
    Resume,
}

/// Who else may own sessions of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ownership {
    /// Nobody: the folder's lock proves that every earlier owner is gone, so a start owns everything at once.
    #[default]
    Sole,
    /// Other hosts over the same store: a session belongs to whoever holds its lease.
    Shared,
}

/// Limits and modes, with the defaults of `hermes-behaviour.md` where it names one.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// Agent that sessions speak for.
    pub agent: String,
    /// Release that runs.
    pub release: String,
    /// Longest recall before a turn, in milliseconds.
    pub recall_timeout_ms: u64,
    /// Longest drain of memory writes at shutdown, in milliseconds.
    pub drain_timeout_ms: u64,
    /// Longest wait for running turns at shutdown, in milliseconds.
    pub turn_drain_ms: u64,
    /// Memory writes outlive the process (`durable`), or are abandoned and counted (`best_effort`).
    pub durable_memory: bool,
    /// Life of a lease without renewal, in milliseconds.
    pub lease_ttl_ms: u64,
    /// Time between renewals, in milliseconds.
    pub lease_renew_ms: u64,
    /// Most that an input waits for another host's lease, in milliseconds; then it is refused.
    pub lease_wait_ms: u64,
    /// Who else may own sessions of this log.
    pub ownership: Ownership,
    /// Most model calls in one turn.
    pub max_model_calls: u32,
    /// Retries of a failed model call before any text was shown.
    pub model_retries: u32,
    /// Most inputs that wait in one session; the one that runs does not wait.
    pub queue_limit: usize,
    /// What an input that does not say wants of a running turn, in a session without a setting of its own.
    pub busy_mode: BusyMode,
    /// After this many idle milliseconds a session's actor is given up.
    pub idle_ms: u64,
    /// Whether a session that nobody named is called by the first words of its first input.
    pub titles: bool,
    /// When a conversation begins anew by itself.
    pub reset: ResetPolicy,
    /// Who shares a chat's session.
    pub sharing: Sharing,
    /// Whether the start looks for turns that a crash left behind.
    pub recover: bool,
    /// What becomes of a tool call whose outcome nobody knows.
    pub recovery: Recovery,
    /// A turn that gives no sign of life for this many milliseconds is aborted.
    pub idle_limit_ms: u64,
    /// Threads for sessions; zero for the one that the host is started on.
    pub arbiters: usize,
    /// Where work that may hold up a thread is done.
    pub blocking: Blocking,
    /// Where the chance in back-off waits begins; `None` for another place each time.
    pub jitter: Option<u64>,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            agent: "main".into(),
            release: env!("CARGO_PKG_VERSION").into(),
            recall_timeout_ms: 8_000,
            drain_timeout_ms: 5_000,
            turn_drain_ms: 10_000,
            durable_memory: true,
            lease_ttl_ms: 300_000,
            lease_renew_ms: 60_000,
            lease_wait_ms: 1_800_000,
            ownership: Ownership::Sole,
            max_model_calls: 90,
            model_retries: 3,
            queue_limit: 32,
            busy_mode: BusyMode::Queue,
            idle_ms: 60_000,
            titles: true,
            reset: ResetPolicy::NEVER,
            sharing: Sharing::default(),
            recover: true,
            recovery: Recovery::Pause,
            idle_limit_ms: 1_800_000,
            blocking: Blocking::Pool,
            jitter: None,
            arbiters: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}
