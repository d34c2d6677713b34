//! The loop of a turn: report, be told, do.

use super::{Phase, Shown, TurnStart, call, tools};
use crate::{
    command::Refusal,
    decide::prepare::Recall,
    host::Revive,
    memory_worker,
    session::{Advance, Preparation, Report, Step},
};
use futures_util::{FutureExt, future};
use std::{cell::RefCell, panic::AssertUnwindSafe, rc::Rc};

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
            Step::Prepare { query, snapshot } => {
                start.activity.enter(Phase::Preparing);
                prepare(start, query, snapshot).await
            }
            Step::Call(outgoing) => {
                start.activity.enter(Phase::Calling(outgoing.attempt));
                call::call(start, outgoing, shown).await
            }
            Step::RunTools(calls) => {
                let names = calls.iter().map(|call| call.tool.name().to_owned()).collect();
                start.activity.enter(Phase::Tools(names));
                Report::ToolsFinished(tools::run(start, calls, shown).await)
            }
            Step::Ask(request) => {
                start.activity.hold(&request.tool);
                let call = request.call;
                Report::Consent { call, approval: start.shared.approvals.ask(request).await }
            }
            Step::Wait(wait) => {
                start.activity.rest(wait);
                tokio::time::sleep(wait).await;
                Report::Ready
            }
            Step::Done => return,
        };
    }
}

async fn advance(start: &TurnStart, report: Report) -> Result<Step, Refusal> {
    start.activity.enter(Phase::Recording);
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
