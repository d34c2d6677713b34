//! The memory files: planned, recorded, written, recorded.

use super::MemoryWorker;
use crate::{
    Blocking,
    ports::{MemoryEdit, MemoryFiles, MemoryReply, MemorySnapshot},
};
use actix::{Handler, Message, ResponseFuture};
use dispatch_events::{
    CorrelationId, Digest, Draft, Event, EventId, Log, PrincipalId, StreamId, TurnId,
    catalogue::memory::{MemoryNoted, MemoryTarget, MemoryWritten},
};
use std::sync::Arc;

/// What a prompt would take now.
#[derive(Message)]
#[rtype(result = "Result<MemorySnapshot, String>")]
pub struct Snapshot;

impl Handler<Snapshot> for MemoryWorker {
    type Result = ResponseFuture<Result<MemorySnapshot, String>>;

    fn handle(&mut self, _: Snapshot, _: &mut Self::Context) -> Self::Result {
        let (files, at) = (self.files.clone(), self.blocking);
        Box::pin(async move { doing(at, move || files.snapshot()).await })
    }
}

/// The live entries of a file.
#[derive(Message)]
#[rtype(result = "Result<Vec<String>, String>")]
pub struct Entries(pub MemoryTarget);

impl Handler<Entries> for MemoryWorker {
    type Result = ResponseFuture<Result<Vec<String>, String>>;

    fn handle(&mut self, entries: Entries, _: &mut Self::Context) -> Self::Result {
        let (files, at) = (self.files.clone(), self.blocking);
        Box::pin(async move { doing(at, move || files.entries(entries.0)).await })
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
        let (edits, at) = (self.edits.clone(), self.blocking);
        Box::pin(async move {
            let _one_at_a_time = edits.lock().await;
            let planning = files.clone();
            let (wanted, writer, turn) = (edit.edit, edit.writer, edit.turn);
            let planned = doing(at, move || planning.plan(&wanted)).await?;
            if planned.changes.is_empty() {
                return Ok(planned.summary);
            }
            let noted = MemoryNoted {
                agent,
                target: planned.target,
                changes: planned.changes.clone(),
                before: planned.before,
                after: Digest::of(planned.after.as_bytes()),
                writer,
                turn,
            };
            let recorded = record(at, &log, stream, noted.clone().into(), turn).await;
            recorded.map_err(|error| format!("nothing was changed: {error}"))?;
            let (summary, writing) = (planned.summary.clone(), files.clone());
            match doing(at, move || writing.write(&planned)).await {
                // Before the answer: whoever has it may take the entry out again by hand, and it must not come back.
                Ok(()) => settle(at, &log, stream, &noted, noted.after).await,
                Err(why) => return Err(refused(at, files, &log, stream, noted, why).await),
            }
            Ok(summary)
        })
    }
}

/// After a write that failed. A person's edit that came first settles the change; otherwise it stays owed.
async fn refused(
    at: Blocking,
    files: Arc<dyn MemoryFiles>,
    log: &Arc<Log>,
    stream: StreamId,
    noted: MemoryNoted,
    why: String,
) -> String {
    let target = noted.target;
    match doing(at, move || files.digest(target)).await {
        Ok(now) if now != noted.before => {
            settle(at, log, stream, &noted, now).await;
            why
        }
        _ => format!("{why}; the change is recorded, and the next start makes it if the file is still the same then"),
    }
}

/// Records that a change is done with. A failure is no one's but the log's: the change itself stands, and a start finds
/// the file as it is.
pub(super) async fn settle(at: Blocking, log: &Arc<Log>, stream: StreamId, noted: &MemoryNoted, after: Digest) {
    let written = MemoryWritten { agent: noted.agent.clone(), target: noted.target, after };
    if let Err(why) = record(at, log, stream, written.into(), noted.turn).await {
        tracing::warn!(why, file = noted.target.file(), "a memory file was written, and the log does not say so");
    }
}

async fn record(
    at: Blocking,
    log: &Arc<Log>,
    stream: StreamId,
    event: Event,
    turn: Option<TurnId>,
) -> Result<(), String> {
    let reading = log.clone();
    let tip = doing(at, move || {
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
    log.append(tip, vec![draft]).await.map(|_| ()).map_err(|error| error.to_string())
}

pub(super) async fn doing<T: Send + 'static>(
    at: Blocking,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    at.run(work).await.map_err(|error| error.to_string())?
}
