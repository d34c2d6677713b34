//! Runs tools: at most [`WORKERS`] at once, each for at most [`LIMIT`].

use crate::{
    decide::interrupt::CANCELLED,
    ports::{Tool, ToolInvocation, ToolReply},
};
use actix::{Actor, Context, Handler, Message, ResponseFuture};
use dispatch_events::catalogue::tool::{EffectClass, EffectDisposition, ToolOutcome};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Semaphore, oneshot};

/// Tools that run at once (hermes-behaviour.md §4.5).
pub const WORKERS: usize = 8;
/// Longest run of one tool (hermes-behaviour.md §4.5).
pub const LIMIT: Duration = Duration::from_secs(420);
/// Longest output that the model gets, in bytes.
const OUTPUT_MAX: usize = 400_000;

/// The actor.
pub struct ToolRunner {
    workers: Arc<Semaphore>,
}

impl Default for ToolRunner {
    fn default() -> Self {
        Self { workers: Arc::new(Semaphore::new(WORKERS)) }
    }
}

impl Actor for ToolRunner {
    type Context = Context<Self>;
}

/// Run a tool. Its `tool.started` is durable.
#[derive(Message)]
#[rtype(result = "ToolReply")]
pub struct Run {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// The call.
    pub invocation: ToolInvocation,
    /// Dropped by a turn that is stopped: the tool stops too.
    pub alive: oneshot::Receiver<()>,
    /// Told when the body begins: until then it waits for a worker.
    pub begins: oneshot::Sender<()>,
}

impl Handler<Run> for ToolRunner {
    type Result = ResponseFuture<ToolReply>;

    fn handle(&mut self, run: Run, _: &mut Self::Context) -> Self::Result {
        let workers = self.workers.clone();
        Box::pin(async move {
            let Run { tool, invocation, mut alive, begins } = run;
            // A turn that is stopped while its tool waits gives its place up, and the body never begins.
            let _worker = tokio::select! {
                biased;
                _ = &mut alive => return never_began(),
                worker = workers.acquire_owned() => worker.ok(),
            };
            if alive.try_recv() == Err(oneshot::error::TryRecvError::Closed) || begins.send(()).is_err() {
                return never_began();
            }
            let class = tool.class();
            let mut reply = tokio::select! {
                biased;
                _ = alive => cut_off(class, "the turn was stopped while the tool ran"),
                reply = tool.run(invocation) => reply,
                () = tokio::time::sleep(LIMIT) => cut_off(class, "the tool ran for 420 s and was stopped"),
            };
            bound(&mut reply.output);
            metrics::counter!("dispatch_tool_calls_total", "tool" => tool.name()).increment(1);
            reply
        })
    }
}

fn never_began() -> ToolReply {
    let output = CANCELLED.to_owned();
    ToolReply { outcome: ToolOutcome::Cancelled, output, effect: EffectDisposition::None }
}

fn cut_off(class: EffectClass, why: &str) -> ToolReply {
    let effect = if class == EffectClass::Read { EffectDisposition::None } else { EffectDisposition::Unknown };
    ToolReply { outcome: ToolOutcome::Error, output: format!("Error: {why}."), effect }
}

fn bound(output: &mut String) {
    if output.len() > OUTPUT_MAX {
        let mut end = OUTPUT_MAX;
        while !output.is_char_boundary(end) {
            end -= 1;
        }
        let left_out = output.len() - end;
        output.truncate(end);
        output.push_str(&format!("\n[{left_out} bytes left out]"));
    }
}
