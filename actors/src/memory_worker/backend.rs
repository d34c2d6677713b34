//! The one line to the external backend: one question at a time, in order.

use super::MemoryWorker;
use crate::{
    decide::{obligation::Verdict, prepare},
    ports::{Exchange, MemoryBackend, MemoryError, RecallQuery},
};
use actix::{Handler, Message, ResponseFuture};
use dispatch_projections::recall;
use futures_util::FutureExt;
use std::{panic::AssertUnwindSafe, sync::Arc};
use tokio::{sync::oneshot, time::Instant};

/// Ask the backend before a turn's first request. Answered within the recall limit, whatever the backend does.
#[derive(Message)]
#[rtype(result = "prepare::Recall")]
pub struct Recall(pub RecallQuery);

impl Handler<Recall> for MemoryWorker {
    type Result = ResponseFuture<prepare::Recall>;

    fn handle(&mut self, Recall(query): Recall, _: &mut Self::Context) -> Self::Result {
        let Some(backend) = self.backend.clone() else { return Box::pin(async { prepare::Recall::None }) };
        let (line, limit, name) = (self.line.clone(), self.recall_limit, backend.name().to_owned());
        let (answer, answered) = oneshot::channel();
        // The question goes on when the turn gives up on it, and holds the line until the backend has answered: a
        // backend that hangs is not asked twice at once. It runs beside the actor, whose mailbox stays open meanwhile.
        let asking = async move {
            let held = tokio::time::timeout(limit, line.lock_owned()).await;
            let Ok(_held) = held else { return };
            if answer.is_closed() {
                return;
            }
            // Nobody waits any more if the turn's time is up; the answer is then dropped on purpose.
            let _ = answer.send(unharmed(async { backend.recall(query).await }).await);
        };
        actix::spawn(asking);
        Box::pin(async move {
            let began = Instant::now();
            let result = tokio::time::timeout(limit, answered).await;
            let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let skipped = |why: String| prepare::Recall::Skipped { backend: name.clone(), why, took_ms };
            match result {
                Err(_) => skipped(format!("no answer within {} ms", limit.as_millis())),
                Ok(Err(_)) => skipped("busy with an earlier question".to_owned()),
                Ok(Ok(Err(error))) => skipped(format!("error: {error}")),
                Ok(Ok(Ok(None))) => skipped("nothing found".to_owned()),
                Ok(Ok(Ok(Some(text)))) => match recall::frame(&text) {
                    Some(block) => prepare::Recall::Found { backend: name.clone(), block, took_ms },
                    None => skipped("nothing found".to_owned()),
                },
            }
        })
    }
}

/// What is owed to the backend.
#[derive(Clone, Debug)]
pub enum Job {
    /// Take a turn.
    Sync(Exchange),
    /// Prepare the next recall.
    Warm(RecallQuery),
}

/// Carry out an obligation. `again` says that an earlier attempt may have reached the far side.
#[derive(Message)]
#[rtype(result = "Verdict")]
pub struct SyncJob {
    /// What to do.
    pub job: Job,
    /// Whether an earlier attempt may have reached the far side.
    pub again: bool,
    /// The wait before the next attempt if this one fails, in milliseconds.
    pub retry_after_ms: u64,
}

impl Handler<SyncJob> for MemoryWorker {
    type Result = ResponseFuture<Verdict>;

    fn handle(&mut self, job: SyncJob, _: &mut Self::Context) -> Self::Result {
        let Some(backend) = self.backend.clone() else {
            return Box::pin(async { Verdict::Abandoned("no memory backend is configured any more".to_owned()) });
        };
        let line = self.line.clone();
        Box::pin(async move {
            let _held = line.lock_owned().await;
            let result = unharmed(carry_out(&backend, job.job)).await;
            match result {
                Ok(()) => Verdict::Met { possible_duplicate: job.again && !backend.honours_keys() },
                Err(error) => Verdict::Failed { error, retry_after_ms: job.retry_after_ms },
            }
        })
    }
}

/// A panic of a backend is an answer that failed. Unwound through the actor it would end memory for every session.
async fn unharmed<T>(asked: impl Future<Output = Result<T, MemoryError>>) -> Result<T, MemoryError> {
    AssertUnwindSafe(asked).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("the memory backend panicked");
        Err(MemoryError::Temporary("the memory backend hit a fault of its own: report it with the log".to_owned()))
    })
}

async fn carry_out(backend: &Arc<dyn MemoryBackend>, job: Job) -> Result<(), MemoryError> {
    match job {
        Job::Sync(exchange) => backend.sync(exchange).await,
        Job::Warm(query) => backend.warm(query).await,
    }
}
