//! The agent's memory: its two files, and the one line to the external backend.
//!
//! It is the only writer of the agent's stream. A change of a file is planned, recorded as `memory.noted`, written, and
//! recorded as `memory.written`; what a crash cuts off in between is finished at the next start.

mod backend;
mod files;
mod finish;

pub use backend::{Job, Recall, SyncJob};
pub use files::{Edit, Entries, Snapshot};
pub use finish::FinishWrites;

use crate::{
    Blocking,
    ports::{MemoryBackend, MemoryEdit, MemoryFiles, MemoryPort, MemoryReply},
};
use actix::{Actor, Addr, Context};
use dispatch_events::{Log, StreamId, TurnId};
use futures_util::future::BoxFuture;
use std::{rc::Rc, sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// The actor.
pub struct MemoryWorker {
    agent: String,
    stream: StreamId,
    log: Arc<Log>,
    files: Arc<dyn MemoryFiles>,
    backend: Option<Arc<dyn MemoryBackend>>,
    recall_limit: Duration,
    blocking: Blocking,
    /// One edit at a time, from plan to file.
    edits: Rc<Mutex<()>>,
    /// One question at a time to the backend.
    line: Arc<Mutex<()>>,
}

impl MemoryWorker {
    /// The worker of an agent.
    pub fn new(
        agent: &str,
        log: Arc<Log>,
        files: Arc<dyn MemoryFiles>,
        backend: Option<Arc<dyn MemoryBackend>>,
        recall_limit: Duration,
        blocking: Blocking,
    ) -> Self {
        Self {
            agent: agent.to_owned(),
            stream: crate::shared::agent_stream(agent),
            log,
            files,
            backend,
            recall_limit,
            blocking,
            edits: Rc::new(Mutex::new(())),
            line: Arc::new(Mutex::new(())),
        }
    }
}

impl Actor for MemoryWorker {
    type Context = Context<Self>;
}

/// The way from a tool to the memory files.
pub struct ToolMemory(pub Addr<MemoryWorker>);

impl MemoryPort for ToolMemory {
    fn edit(&self, edit: MemoryEdit, turn: TurnId) -> BoxFuture<'static, MemoryReply> {
        let request = self.0.send(Edit { edit, writer: "tool".to_owned(), turn: Some(turn) });
        Box::pin(async move {
            let busy = |error| format!("the memory worker did not answer ({error}): try again");
            request.await.map_err(busy)?
        })
    }
}
