//! Tools that a model can ask for.

use super::MemoryPort;
use dispatch_events::{
    RawJson, StreamId, TurnId,
    catalogue::tool::{EffectClass, EffectDisposition, ToolOutcome},
};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// One tool.
pub trait Tool: Send + Sync {
    /// Name, as the model says it.
    fn name(&self) -> &'static str;

    /// Schema as one element of a `tools` array: `{"type":"function","function":{…}}`. Constant bytes.
    fn schema(&self) -> RawJson;

    /// What a repeat would do.
    fn class(&self) -> EffectClass;

    /// Whether it may run beside its neighbours.
    fn parallel(&self) -> bool;

    /// Whether its body carries work of its own, a subagent's for example, that a stop would destroy. While such a call
    /// runs, an input that would stop the turn waits instead; an explicit stop still stops.
    fn delegates(&self) -> bool {
        false
    }

    /// Runs. The arguments have passed the schema. Dropping the future stops it.
    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolReply>;
}

/// One call that may run: its `tool.started` is durable.
#[derive(Clone)]
pub struct ToolInvocation {
    /// Arguments as the model wrote them.
    pub arguments: RawJson,
    /// Where it runs.
    pub context: ToolContext,
}

/// What a tool may know and use.
#[derive(Clone)]
pub struct ToolContext {
    /// The session.
    pub session: StreamId,
    /// The turn.
    pub turn: TurnId,
    /// The last successful output of the same tool in this session: state that the log keeps (the todo list).
    pub previous: Option<String>,
    /// The memory files.
    pub memory: Arc<dyn MemoryPort>,
    /// The way to say how far it is.
    pub progress: Progress,
}

/// The way for a running tool to show what it does: each word is a sign of life, and its end is kept for the person who
/// asks. Cheap to clone, usable from any thread; after the tool's end it leads nowhere.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(&str) + Send + Sync>);

impl Progress {
    /// A way that leads to `heard`.
    pub fn new(heard: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(heard))
    }

    /// Nobody listens.
    pub fn nowhere() -> Self {
        Self::new(|_| {})
    }

    /// Output since the last report; may be empty, as a mere sign of life.
    pub fn report(&self, output: &str) {
        (self.0)(output);
    }
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolReply {
    /// How it ended.
    pub outcome: ToolOutcome,
    /// What the model reads.
    pub output: String,
    /// Whether something outside may have changed.
    pub effect: EffectDisposition,
}

/// The tools of this host.
pub trait Toolbox: Send + Sync {
    /// All available tools in their fixed order.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// A tool by name.
    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>>;

    /// Checks arguments against the tool's schema.
    ///
    /// # Errors
    /// In words that tell the model what to correct, also for an unknown tool or text that is not JSON.
    fn check(&self, name: &str, arguments: &RawJson) -> Result<(), String>;
}
