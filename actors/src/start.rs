//! Starting a host: the epoch, the actors, the look at what a crash left behind.

use crate::{
    courier::{Courier, Through},
    handle::HostHandle,
    host::Host,
    hub::Hub,
    memory_worker::{FinishWrites, MemoryWorker},
    settings::HostParts,
    shared::{Frozen, Live, Shared, Toolset, host_stream},
    tool_runner::ToolRunner,
};
mod own;

pub(crate) use own::append_to_own;

use actix::{Actor, Arbiter, ArbiterHandle};
use dispatch_events::{Digest, Log, SharedText, StreamId, keys::KeyBytes, log::LogError};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// The stable tier of every prompt of this release.
const STABLE_PROMPT: &str = include_str!("prompt/stable.md");
/// Names the use of the host stream's key that makes principals' ids opaque, and binds them to this folder.
const PRINCIPAL_IDS: &str = "dispatch 2026 opaque principal ids";
/// Threads for reads of the log, heavy folds and heavy sealing, for each arbiter. The disk is one; more would only wait.
const BLOCKING_THREADS: usize = 16;
/// Sessions that are recovered at once.
const RECOVER_AT_ONCE: usize = 16;

/// Why a host did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The log could not be read or written.
    #[error("the host can't use its log: {0}")]
    Log(#[from] LogError),
    /// A part of the host could not be started.
    #[error("the host can't start: {0}")]
    Other(String),
}

impl HostHandle {
    /// Starts a host. Must be called inside an actix system; the caller holds the folder's lock.
    ///
    /// # Errors
    /// [`StartError`], in words for the operator.
    pub async fn start(parts: HostParts) -> Result<Self, StartError> {
        let log = Arc::into_inner(parts.log)
            .ok_or_else(|| StartError::Other("somebody else uses the log already".to_owned()))?;
        let (log, key) = own::begin(log, &parts.settings).await?;
        let key = log.keys().get(key).map_err(LogError::from)?;
        let principal_key = key.derive(PRINCIPAL_IDS);
        let (stable, toolset) = (freeze(&log, STABLE_PROMPT.trim_end())?, toolset(&log, &*parts.toolbox)?);
        let handle = Self::assemble(HostParts { log, ..parts }, principal_key, stable, toolset);
        handle.begin().await?;
        Ok(handle)
    }

    /// A host over a log that is only read: every view is there, no input is taken, and nothing is written. What would
    /// be written nevertheless, the log refuses.
    pub fn look(parts: HostParts) -> Self {
        let nothing = || Frozen { text: SharedText { address: Digest::default(), length: 0 }, says: "".into() };
        let toolset = Toolset { schemas: nothing(), names: Vec::new() };
        let handle = Self::assemble(parts, KeyBytes::default(), nothing(), toolset);
        handle.shared.live.draining.store(true, Ordering::SeqCst);
        handle
    }

    fn assemble(parts: HostParts, principal_key: KeyBytes, stable: Frozen, toolset: Toolset) -> Self {
        let log = parts.log;
        let (hub, feed) = Hub::launch();
        log.store().observe(Arc::new(feed));
        let recall_limit = Duration::from_millis(parts.settings.recall_timeout_ms);
        let backend = parts.memory_backend.as_ref().map(|backend| (backend.name(), backend.destination()));
        let memory = MemoryWorker::new(
            &parts.settings.agent,
            log.clone(),
            parts.memory_files,
            parts.memory_backend,
            recall_limit,
            parts.settings.blocking,
        )
        .start();
        let courier = Courier::new(memory.clone(), parts.settings.jitter).start();
        let shared = Arc::new(Shared {
            stable,
            toolset,
            principal_key,
            settings: parts.settings,
            models: parts.models,
            toolbox: parts.toolbox,
            approvals: parts.approvals,
            policy: parts.policy,
            tools: ToolRunner::default().start(),
            backend,
            hub,
            memory,
            courier,
            log,
            live: Live::default(),
        });
        let host = Host::new(shared.clone(), arbiters(shared.settings.arbiters)).start();
        Self { shared, host }
    }

    async fn begin(&self) -> Result<(), StartError> {
        let gone = |error: actix::MailboxError| StartError::Other(error.to_string());
        self.shared.courier.send(Through(self.host.clone())).await.map_err(gone)?;
        if let Err(why) = self.shared.memory.send(FinishWrites).await.map_err(gone)? {
            tracing::warn!(why, "the memory files could not be compared with the log");
        }
        if self.shared.settings.recover {
            let handle = self.clone();
            actix::spawn(async move { handle.recover().await });
        }
        Ok(())
    }

    /// Wakes every session that the index says has something open; each recovers itself.
    async fn recover(&self) {
        let log = self.shared.log.clone();
        let open = self.shared.settings.blocking.run(move || log.store().open_streams()).await;
        let open = match open {
            Ok(Ok(open)) => open,
            Ok(Err(error)) => return tracing::error!(%error, "what a crash left behind can't be read"),
            Err(error) => return tracing::error!(%error, "the look at what a crash left behind was cut off"),
        };
        for some in open.chunks(RECOVER_AT_ONCE) {
            let woken = some.iter().map(|stream| self.wake(*stream));
            for (stream, woken) in some.iter().zip(futures_util::future::join_all(woken).await) {
                if let Err(refusal) = woken {
                    tracing::error!(session = %stream, %refusal, "the session could not be recovered");
                }
            }
        }
    }
}

fn freeze(log: &Log, text: &str) -> Result<Frozen, LogError> {
    let address: Digest = log.blobs().share(text)?;
    Ok(Frozen { text: SharedText { address, length: text.len() as u32 }, says: text.into() })
}

fn toolset(log: &Log, toolbox: &dyn crate::ports::Toolbox) -> Result<Toolset, LogError> {
    let tools = toolbox.tools();
    let schemas: Vec<String> = tools.iter().map(|tool| tool.schema().0).collect();
    let names = tools.iter().map(|tool| tool.name().to_owned()).collect();
    Ok(Toolset { schemas: freeze(log, &format!("[{}]", schemas.join(",")))?, names })
}

fn arbiters(count: usize) -> Vec<ArbiterHandle> {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(BLOCKING_THREADS)
            .build()
            .expect("a runtime needs no more than an event queue of the system, which the first one has got too")
    };
    (0..count).map(|_| Arbiter::with_tokio_rt(runtime).handle()).collect()
}

/// The streams that are not sessions.
pub(crate) fn is_session(stream: StreamId, agent: &str) -> bool {
    stream != host_stream() && stream != crate::shared::agent_stream(agent)
}
