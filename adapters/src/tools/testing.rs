//! What the tests of tools share.

use dispatch_actors::ports::{
    memory::{MemoryEdit, MemoryPort, MemoryReply},
    tool::{Progress, Tool, ToolContext, ToolInvocation, ToolReply},
};
use dispatch_events::{RawJson, StreamId, TurnId, catalogue::tool::EffectClass};
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex};

/// Takes every edit and answers as it was told.
pub(super) struct Noting {
    pub(super) edits: Mutex<Vec<MemoryEdit>>,
    pub(super) answer: MemoryReply,
}

impl MemoryPort for Noting {
    fn edit(&self, edit: MemoryEdit, _turn: TurnId) -> BoxFuture<'static, MemoryReply> {
        self.edits.lock().unwrap().push(edit);
        let answer = self.answer.clone();
        Box::pin(async move { answer })
    }
}

pub(super) fn noting(answer: MemoryReply) -> Arc<Noting> {
    Arc::new(Noting { edits: Mutex::default(), answer })
}

pub(super) fn call(arguments: &str, previous: Option<&str>, memory: Arc<Noting>) -> ToolInvocation {
    let context = ToolContext {
        session: StreamId::from_bytes([1; 16]),
        turn: TurnId::from_bytes([2; 16]),
        previous: previous.map(str::to_owned),
        memory,
        progress: Progress::nowhere(),
    };
    ToolInvocation { arguments: RawJson(arguments.to_owned()), context }
}

/// Runs a tool that needs no memory.
pub(super) async fn run(tool: &dyn Tool, arguments: &str, previous: Option<&str>) -> ToolReply {
    tool.run(call(arguments, previous, noting(Err("not asked for".to_owned())))).await
}

/// A tool that does nothing, with a schema to test.
pub(super) struct Fixed {
    pub(super) name: &'static str,
    pub(super) schema: &'static str,
}

impl Tool for Fixed {
    fn name(&self) -> &'static str {
        self.name
    }
    fn schema(&self) -> RawJson {
        RawJson(self.schema.to_owned())
    }
    fn class(&self) -> EffectClass {
        EffectClass::Read
    }
    fn parallel(&self) -> bool {
        true
    }
    fn run(&self, _: ToolInvocation) -> BoxFuture<'static, ToolReply> {
        Box::pin(async { crate::tools::reply::looked(Ok(String::new())) })
    }
}
