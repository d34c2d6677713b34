//! A segment of tools: run together, listened to while they run.

use super::{Activity, Shown, TurnStart};
use crate::{
    decide::tools::ToolResult,
    ports::Progress,
    session::{Progressed, RunnableCall},
    tool_runner,
};
use dispatch_events::catalogue::tool::{CallRef, EffectClass, EffectDisposition, ToolOutcome};
use dispatch_projections::tools::OUTPUT_KEPT;
use futures_util::future;
use std::{
    cell::RefCell,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::Instant};

/// Least time between two records of what a tool said.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Runs a segment; the results come in the order of the calls, one for each.
///
/// What has finished is at hand for a stop while its neighbours still run.
pub(super) async fn run(start: &TurnStart, calls: Vec<RunnableCall>, shown: &Rc<RefCell<Shown>>) -> Vec<ToolResult> {
    shown.borrow_mut().done.clear();
    let each = calls.into_iter().map(async |call| {
        let result = run_tool(start, call).await;
        shown.borrow_mut().done.push(result.clone());
        result
    });
    future::join_all(each).await
}

async fn run_tool(start: &TurnStart, mut call: RunnableCall) -> ToolResult {
    let (_stays_alive, alive) = oneshot::channel();
    let (begins, begun) = oneshot::channel();
    let class = call.tool.class();
    let began = Instant::now();
    let heard = Arc::new(Heard { pending: Mutex::new(Some(String::new())), activity: start.activity.clone() });
    call.invocation.context.progress = heard.clone().progress();
    let run = tool_runner::Run { tool: call.tool, invocation: call.invocation, alive, begins };
    let mut reply = std::pin::pin!(start.shared.tools.send(run));
    // Until it has a worker it waits in a line.
    let (mut begun, mut waits) = (std::pin::pin!(start.activity.in_line(begun)), true);
    let mut tick = tokio::time::interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
    let reply = loop {
        tokio::select! {
            biased;
            reply = &mut reply => break reply,
            _ = &mut begun, if waits => waits = false,
            _ = tick.tick() => heard.record(start, call.call),
        }
    };
    heard.close();
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (outcome, effect, output) = match reply {
        Ok(reply) => (reply.outcome, reply.effect, reply.output),
        Err(error) => {
            let effect = if class == EffectClass::Read { EffectDisposition::None } else { EffectDisposition::Unknown };
            (ToolOutcome::Error, effect, format!("Error: the tool broke off ({error})."))
        }
    };
    start.activity.touch();
    ToolResult { call: call.call, outcome, effect, output, duration_ms }
}

/// What a running tool said that is not recorded yet; nothing once it has its result. What is left of it, a thread that
/// nobody could cancel, is no sign of life of the turn.
struct Heard {
    pending: Mutex<Option<String>>,
    activity: Arc<Activity>,
}

impl Heard {
    fn progress(self: Arc<Self>) -> Progress {
        Progress::new(move |output| {
            let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(pending) = pending.as_mut() else { return };
            self.activity.touch();
            pending.push_str(output);
            // Only the end of it is kept anyway.
            if pending.len() > 4 * OUTPUT_KEPT {
                let mut from = pending.len() - 4 * OUTPUT_KEPT;
                while !pending.is_char_boundary(from) {
                    from += 1;
                }
                pending.drain(..from);
            }
        })
    }

    /// Has the session record what is new; nobody waits for it.
    fn record(&self, start: &TurnStart, call: CallRef) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pending) = pending.as_mut().filter(|pending| !pending.is_empty()) else { return };
        let (turn, generation, output) = (start.turn, start.generation, pending.clone());
        if start.session.try_send(Progressed { turn, generation, call, output }).is_ok() {
            pending.clear();
        }
    }

    fn close(&self) {
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
