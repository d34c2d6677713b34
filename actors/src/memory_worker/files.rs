//! The memory files: planned, recorded, written.

use super::MemoryWorker;
use crate::ports::{MemoryEdit, MemoryFiles, MemoryReply, MemorySnapshot, PlannedEdit};
use actix::{Handler, Message, ResponseFuture};
use dispatch_events::{
    CorrelationId, Draft, Event, EventId, Log, PrincipalId, StreamId, TurnId, Version,
    catalogue::memory::{MemoryNoted, MemoryTarget},
};
use std::sync::Arc;

/// What a prompt would take now.
#[derive(Message)]
#[rtype(result = "Result<MemorySnapshot, String>")]
pub struct Snapshot;

impl Handler<Snapshot> for MemoryWorker {
    type Result = ResponseFuture<Result<MemorySnapshot, String>>;

    fn handle(&mut self, _: Snapshot, _: &mut Self::Context) -> Self::Result {
        let files = self.files.clone();
        Box::pin(async move { blocking(move || files.snapshot()).await })
    }
}

/// The live entries of a file.
#[derive(Message)]
#[rtype(result = "Result<Vec<String>, String>")]
pub struct Entries(pub MemoryTarget);

impl Handler<Entries> for MemoryWorker {
    type Result = ResponseFuture<Result<Vec<String>, String>>;

    fn handle(&mut self, entries: Entries, _: &mut Self::Context) -> Self::Result {
        let files = self.files.clone();
        Box::pin(async move { blocking(move || files.entries(entries.0)).await })
    }
}

/// Change a file.
#[derive(Message)]
#[rtype(result = "MemoryReply")]
pub struct Edit {
    /// The change.
    pub edit: MemoryEdit,
    /// Who writes: `tool`, `cli`, `http`.
    pub writer: String,
    /// The turn, where a tool writes.
    pub turn: Option<TurnId>,
}

impl Handler<Edit> for MemoryWorker {
    type Result = ResponseFuture<MemoryReply>;

    fn handle(&mut self, edit: Edit, _: &mut Self::Context) -> Self::Result {
        let (files, log, stream, agent) = (self.files.clone(), self.log.clone(), self.stream, self.agent.clone());
        let edits = self.edits.clone();
        Box::pin(async move {
            let _one_at_a_time = edits.lock().await;
            let planning = files.clone();
            let (wanted, writer, turn) = (edit.edit, edit.writer, edit.turn);
            let planned = blocking(move || planning.plan(&wanted)).await?;
            if planned.changes.is_empty() {
                return Ok(planned.summary);
            }
            let noted = MemoryNoted {
                agent,
                target: planned.target,
                changes: planned.changes.clone(),
                before: planned.before,
                after: planned.after.clone(),
                writer,
                turn,
            };
            record(&log, stream, noted.into(), turn).await?;
            let summary = planned.summary.clone();
            blocking(move || files.write(&planned)).await?;
            Ok(summary)
        })
    }
}

/// Finish the write of the last recorded change of each file, if a crash cut it off.
#[derive(Message)]
#[rtype(result = "Result<(), String>")]
pub struct FinishWrites;

impl Handler<FinishWrites> for MemoryWorker {
    type Result = ResponseFuture<Result<(), String>>;

    fn handle(&mut self, _: FinishWrites, _: &mut Self::Context) -> Self::Result {
        let (files, log, stream) = (self.files.clone(), self.log.clone(), self.stream);
        Box::pin(async move { blocking(move || finish(&*files, &log, stream)).await })
    }
}

/// Looks at the newest `memory.noted` of each file. Only a file that is still as it was *before* that change is written:
/// any other content is a person's later edit, which wins.
fn finish(files: &dyn MemoryFiles, log: &Log, stream: StreamId) -> Result<(), String> {
    let mut newest: [Option<MemoryNoted>; 2] = [None, None];
    let mut from = Version(1);
    loop {
        let page = log.read_stream(stream, from, 500).map_err(|error| error.to_string())?;
        let Some(last) = page.last() else { break };
        from = last.version.next();
        for recorded in page {
            if let Some(Event::MemoryNoted(noted)) = recorded.event() {
                newest[usize::from(noted.target == MemoryTarget::User)] = Some(noted.clone());
            }
        }
    }
    for noted in newest.into_iter().flatten() {
        if files.digest(noted.target)? == noted.before {
            tracing::info!(file = noted.target.file(), "a memory change that a crash cut off is finished");
            files.write(&PlannedEdit {
                target: noted.target,
                changes: noted.changes,
                before: noted.before,
                after: noted.after,
                summary: String::new(),
            })?;
        }
    }
    Ok(())
}

async fn record(log: &Arc<Log>, stream: StreamId, event: Event, turn: Option<TurnId>) -> Result<(), String> {
    let reading = log.clone();
    let tip = blocking(move || {
        let tip = reading.tip(stream).map_err(|error| error.to_string())?;
        tip.map_or_else(|| reading.new_tip(stream).map_err(|error| error.to_string()), Ok)
    })
    .await?;
    let draft = Draft {
        event,
        correlation: turn.map_or_else(CorrelationId::fresh, Into::into),
        causation: EventId::default(),
        principal: PrincipalId::default(),
    };
    log.append(tip, vec![draft]).await.map(|_| ()).map_err(|error| format!("nothing was changed: {error}"))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| format!("the work was cut off: {error}"))?
}
