//! The loop of a turn: report, be told, do.

use super::{Shown, TurnStart, call};
use crate::{
    command::Refusal,
    decide::{prepare::Recall, tools::ToolResult},
    host::Revive,
    memory_worker,
    session::{Advance, Preparation, Report, RunnableCall, Step},
    tool_runner,
};
use dispatch_events::catalogue::tool::{EffectClass, EffectDisposition, ToolOutcome};
use futures_util::{FutureExt, future};
use std::{cell::RefCell, panic::AssertUnwindSafe, rc::Rc};
use tokio::{sync::oneshot, time::Instant};

/// Runs the turn to its end. A panic ends the turn with an error, not the host.
pub(super) async fn run(start: TurnStart, shown: Rc<RefCell<Shown>>) {
    let went = AssertUnwindSafe(steps(&start, &shown)).catch_unwind().await;
    if went.is_err() {
        tracing::error!("the turn panicked");
        let message = "the turn hit a fault of the host: report it with the log, then send the input again".to_owned();
        // If this can't be recorded either, the log still says `started`, and the session recovers it.
        let _ = advance(&start, Report::Abort { code: "internal", message }).await;
    }
}

async fn steps(start: &TurnStart, shown: &Rc<RefCell<Shown>>) {
    let mut report = Report::Ready;
    loop {
        let step = match advance(start, report).await {
            Ok(step) => step,
            Err(refusal) => {
                tracing::warn!(%refusal, "the turn stops");
                return;
            }
        };
        report = match step {
            Step::Prepare { query, snapshot } => prepare(start, query, snapshot).await,
            Step::Call(outgoing) => call::call(start, outgoing, shown).await,
            Step::RunTools(calls) => Report::ToolsFinished(run_tools(start, calls).await),
            Step::Wait(wait) => {
                tokio::time::sleep(wait).await;
                Report::Ready
            }
            Step::Done => return,
        };
    }
}

async fn advance(start: &TurnStart, report: Report) -> Result<Step, Refusal> {
    let advance = Advance { turn: start.turn, generation: start.generation, report };
    match start.session.send(advance).await {
        Ok(step) => step,
        Err(error) => {
            // Its actor died. It is rebuilt from the log and recovers this turn under a new generation.
            tracing::warn!(%error, "the turn's session is gone");
            if start.host.try_send(Revive(start.stream)).is_err() {
                tracing::warn!("the host is busy; the turn is recovered when the session is spoken to");
            }
            Err(Refusal::StaleGeneration(start.generation))
        }
    }
}

async fn prepare(start: &TurnStart, query: crate::ports::RecallQuery, snapshot: bool) -> Report {
    let memory = &start.shared.memory;
    let recall = async {
        match start.shared.backend {
            Some(_) => memory.send(memory_worker::Recall(query)).await.unwrap_or(Recall::None),
            None => Recall::None,
        }
    };
    let files = async { if snapshot { Some(memory.send(memory_worker::Snapshot).await) } else { None } };
    let (recall, files) = future::join(recall, files).await;
    let snapshot = match files {
        None => None,
        Some(Ok(Ok(snapshot))) => Some(snapshot),
        Some(Ok(Err(why))) => {
            let message =
                format!("the memory files can't be read ({why}): mend or move them, then send the input again");
            return Report::Abort { code: "storage_unavailable", message };
        }
        Some(Err(error)) => {
            let message = format!("the memory worker did not answer ({error}): send the input again");
            return Report::Abort { code: "session_busy", message };
        }
    };
    Report::Prepared(Preparation { recall, snapshot })
}

/// Runs a segment; the results come in the order of the calls, one for each.
async fn run_tools(start: &TurnStart, calls: Vec<RunnableCall>) -> Vec<ToolResult> {
    future::join_all(calls.into_iter().map(|call| run_tool(start, call))).await
}

async fn run_tool(start: &TurnStart, call: RunnableCall) -> ToolResult {
    let (_stays_alive, alive) = oneshot::channel();
    let class = call.tool.class();
    let began = Instant::now();
    let run = tool_runner::Run { tool: call.tool, invocation: call.invocation, alive };
    let reply = start.shared.tools.send(run).await;
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (outcome, effect, output) = match reply {
        Ok(reply) => (reply.outcome, reply.effect, reply.output),
        Err(error) => {
            let effect = if class == EffectClass::Read { EffectDisposition::None } else { EffectDisposition::Unknown };
            (ToolOutcome::Error, effect, format!("Error: the tool broke off ({error})."))
        }
    };
    ToolResult { call: call.call, outcome, effect, output, duration_ms }
}
