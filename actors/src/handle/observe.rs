//! Observing: views of any version, the exact requests, the log itself, health.

use super::{HostHandle, Subscription, sessions::blocking};
use crate::{
    command::{Refusal, SessionRef},
    host::ToSession,
    ports::{HeadInput, ModelProfile, Models},
    session::fold,
    shared::Shared,
    start::append,
    wire::Rendered,
};
use dispatch_events::{
    Epoch, Position, Recorded, StreamId, Version,
    catalogue::{
        host::{Abandoned, HostStopped},
        tool::EffectClass,
    },
    verify,
};
use dispatch_projections::{
    SessionState,
    calls::ModelRequest,
    view::{
        LeaseView, MemoryView, ObligationsView, PrefixRow, PrefixView, PromptView, QueueView, SummaryView, ToolsView,
        TranscriptView, ViewName,
    },
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::sync::oneshot;

/// The exact requests.
#[derive(Clone, Debug, Serialize)]
pub struct WireView {
    /// In order.
    pub requests: Vec<WireRow>,
}

/// One request, rendered again from the log.
#[derive(Clone, Debug, Serialize)]
pub struct WireRow {
    /// Turn.
    pub turn: dispatch_events::TurnId,
    /// Version of its event.
    pub version: Version,
    /// Number within the turn.
    pub attempt: u32,
    /// What it was for.
    pub purpose: String,
    /// Profile.
    pub profile: String,
    /// Model.
    pub model: String,
    /// Wire form.
    pub dialect: String,
    /// Version of the renderer.
    pub dialect_version: u16,
    /// SHA-256 of the body, hex.
    pub body_sha256: String,
    /// The exact text that was sent.
    pub body: String,
    /// Whether it repeats everything that the request before it sent.
    pub extends_previous: bool,
    /// Whether the rendered bytes give the digests that were recorded before they were sent.
    pub proven: bool,
}

/// Every view at once.
#[derive(Clone, Debug, Serialize)]
pub struct AllView {
    /// The session.
    pub session: SummaryView,
    /// What was said.
    pub transcript: TranscriptView,
    /// The exact requests.
    pub wire: WireView,
    /// Inputs that are not finished.
    pub queue: QueueView,
    /// Who may run a turn.
    pub lease: LeaseView,
    /// System prompt and tools.
    pub prompt: PromptView,
    /// From when a memory may shape an answer.
    pub memory: MemoryView,
    /// Tool calls.
    pub tools: ToolsView,
    /// What is owed.
    pub obligations: ObligationsView,
    /// Tokens.
    pub usage: dispatch_projections::usage::UsageTotals,
}

/// How the host is.
#[derive(Clone, Debug, Serialize)]
pub struct Health {
    /// Engine of the log.
    pub engine: &'static str,
    /// Number of this host run.
    pub epoch: Epoch,
    /// Last durable position.
    pub position: Position,
    /// Why appends are refused, if they are.
    pub refusal: Option<String>,
    /// Whether new work is refused because the host shuts down.
    pub draining: bool,
    /// Sessions that have an actor.
    pub sessions_active: usize,
    /// Turns that run.
    pub turns_running: usize,
}

/// A tool, for people.
#[derive(Clone, Debug, Serialize)]
pub struct ToolView {
    /// Name.
    pub name: String,
    /// What a repeat would do.
    pub class: EffectClass,
    /// Schema as it is sent.
    pub schema: String,
}

/// What a drain left open.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DrainReport {
    /// Turns that still ran; they go on at the next start.
    pub turns: usize,
    /// Memory writes that are left; in mode `best_effort` they are abandoned.
    pub obligations: usize,
}

impl HostHandle {
    /// Events of a session from a version on: first from the log, then live, with text deltas in between.
    pub fn subscribe(&self, session: StreamId, from: Version) -> Subscription {
        Subscription::stream(self.shared.clone(), session, from)
    }

    /// Events of the whole log from a position on: first from the log, then live.
    pub fn subscribe_log(&self, from: Position) -> Subscription {
        Subscription::log(self.shared.clone(), from)
    }

    /// A session as of a version, or now.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], [`Refusal::Storage`].
    pub async fn state(&self, session: &SessionRef, at: Option<Version>) -> Result<SessionState, Refusal> {
        let (id, log) = (self.resolve(session).await?, self.shared.log.clone());
        blocking(move || fold(&log, id, at)).await
    }

    /// Refuses a version that the session does not have: a view as of it would silently be the one of today.
    async fn reaches(&self, session: &SessionRef, at: Version) -> Result<(), Refusal> {
        let (id, log) = (self.resolve(session).await?, self.shared.log.clone());
        let head = blocking(move || log.store().head(id).map_err(|error| error.to_string())).await?;
        match head.map(|head| head.version) {
            Some(last) if at > last => {
                Err(Refusal::Invalid(format!("there is no version {at} yet: the session's last one is {last}")))
            }
            _ => Ok(()),
        }
    }

    /// A view as of a version, or now, in the form of `interface.md`.
    ///
    /// # Errors
    /// As [`HostHandle::state`].
    pub async fn view(
        &self,
        session: &SessionRef,
        view: ViewName,
        at: Option<Version>,
    ) -> Result<serde_json::Value, Refusal> {
        if let Some(at) = at {
            self.reaches(session, at).await?;
        }
        if view == ViewName::Wire {
            return json(&self.wire(session, at).await?);
        }
        let state = self.state(session, at).await?;
        match view {
            ViewName::Transcript => json(&TranscriptView::of(&state)),
            ViewName::Wire => json(&WireView { requests: Vec::new() }),
            ViewName::Queue => json(&QueueView::of(&state)),
            ViewName::Lease => json(&LeaseView::of(&state)),
            ViewName::Prompt => json(&PromptView::of(&state)),
            ViewName::Memory => json(&MemoryView::of(&state)),
            ViewName::Tools => json(&ToolsView::of(&state)),
            ViewName::Obligations => json(&ObligationsView::of(&state)),
            ViewName::Usage => json(&state.usage),
            ViewName::All => json(&AllView {
                session: SummaryView::of(&state),
                transcript: TranscriptView::of(&state),
                wire: self.wire(session, at).await?,
                queue: QueueView::of(&state),
                lease: LeaseView::of(&state),
                prompt: PromptView::of(&state),
                memory: MemoryView::of(&state),
                tools: ToolsView::of(&state),
                obligations: ObligationsView::of(&state),
                usage: state.usage,
            }),
        }
    }

    /// The exact requests of a session up to a version, rendered again and compared with their recorded digests.
    ///
    /// # Errors
    /// As [`HostHandle::state`]; [`Refusal::Storage`] for a dialect that this build does not have.
    pub async fn wire(&self, session: &SessionRef, at: Option<Version>) -> Result<WireView, Refusal> {
        let (id, shared) = (self.resolve(session).await?, self.shared.clone());
        blocking(move || {
            let mut requests = Vec::new();
            each_request(&shared, id, at, |request, rendered| {
                let body = rendered.body(&request.parameters);
                requests.push(WireRow {
                    turn: request.turn,
                    version: request.version,
                    attempt: request.attempt,
                    purpose: request.purpose.clone(),
                    profile: request.profile.clone(),
                    model: request.model.clone(),
                    dialect: request.dialect.clone(),
                    dialect_version: request.dialect_version,
                    body_sha256: hex(&Sha256::digest(&body)),
                    extends_previous: request.extends_previous,
                    proven: proven(request, rendered) && body.len() as u64 == request.length,
                    body: String::from_utf8_lossy(&body).into_owned(),
                });
            })?;
            Ok(WireView { requests })
        })
        .await
    }

    /// Whether each request repeats the one before it, and whether today's rendering gives the recorded digests.
    ///
    /// # Errors
    /// As [`HostHandle::wire`].
    pub async fn prefix(&self, session: &SessionRef) -> Result<PrefixView, Refusal> {
        let (id, shared) = (self.resolve(session).await?, self.shared.clone());
        blocking(move || {
            let mut requests = Vec::new();
            each_request(&shared, id, None, |request, rendered| {
                requests.push(PrefixRow {
                    version: request.version,
                    turn: request.turn,
                    attempt: request.attempt,
                    extends_previous: request.extends_previous,
                    diverged_at: request.diverged_at,
                    cause: request.cause.clone(),
                    proven: proven(request, rendered),
                });
            })?;
            Ok(PrefixView { requests })
        })
        .await
    }

    /// Events of a session from a version on, at most `limit`.
    ///
    /// # Errors
    /// As [`HostHandle::state`].
    pub async fn events(&self, session: &SessionRef, from: Version, limit: usize) -> Result<Vec<Recorded>, Refusal> {
        let (id, log) = (self.resolve(session).await?, self.shared.log.clone());
        blocking(move || log.read_stream(id, from, limit).map_err(|error| error.to_string())).await
    }

    /// Events of the whole log from a position on, at most `limit`.
    ///
    /// # Errors
    /// [`Refusal::Storage`].
    pub async fn log_events(&self, from: Position, limit: usize) -> Result<Vec<Recorded>, Refusal> {
        let log = self.shared.log.clone();
        blocking(move || log.read_all(from, limit).map_err(|error| error.to_string())).await
    }

    /// Checks the whole log: every checksum, both chains, contiguous positions, heads.
    ///
    /// # Errors
    /// [`Refusal::Storage`] when it could not be checked; damage is in the report.
    pub async fn verify(&self) -> Result<verify::Report, Refusal> {
        let log = self.shared.log.clone();
        blocking(move || verify::verify(&log).map_err(|error| error.to_string())).await
    }

    /// How the host is.
    pub fn health(&self) -> Health {
        let store = self.shared.log.store();
        Health {
            engine: store.engine(),
            epoch: self.shared.log.epoch(),
            position: store.log_head().position,
            refusal: store.refusal(),
            draining: self.shared.is_draining(),
            sessions_active: self.shared.active.load(Ordering::SeqCst),
            turns_running: self.shared.turns.load(Ordering::SeqCst),
        }
    }

    /// The configured models.
    pub fn models(&self) -> Vec<ModelProfile> {
        self.shared.models.list()
    }

    /// The model that new sessions use.
    pub fn default_model(&self) -> ModelProfile {
        self.shared.models.default_model().profile.clone()
    }

    /// The tools of this host.
    pub fn tools(&self) -> Vec<ToolView> {
        let view = |tool: Arc<dyn crate::ports::Tool>| ToolView {
            name: tool.name().to_owned(),
            class: tool.class(),
            schema: tool.schema().0,
        };
        self.shared.toolbox.tools().into_iter().map(view).collect()
    }

    /// Takes no new work, waits for running turns and memory writes within their limits, and records the stop.
    pub async fn drain(&self, reason: &str) -> DrainReport {
        self.shared.draining.store(true, Ordering::SeqCst);
        let settings = &self.shared.settings;
        let turns = Duration::from_millis(settings.turn_drain_ms);
        let quiet = async {
            while self.shared.turns.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(turns, quiet).await.is_err() {
            tracing::warn!("turns still run; they go on at the next start");
        }
        let (done, drained) = oneshot::channel();
        if self.shared.courier.send(crate::courier::Drained(done)).await.is_ok() {
            let limit = Duration::from_millis(settings.drain_timeout_ms);
            if tokio::time::timeout(limit, drained).await.is_err() {
                tracing::warn!("memory writes are left at the end of the drain");
            }
        }
        let left = self.shared.courier.send(crate::courier::Stop).await.unwrap_or_default();
        if !settings.durable_memory {
            self.abandon(&left).await;
        }
        let report = DrainReport { turns: self.shared.turns.load(Ordering::SeqCst), obligations: left.len() };
        self.stopped(reason, &left).await;
        report
    }

    /// In mode `best_effort` what is left is abandoned, by name.
    async fn abandon(&self, left: &[crate::courier::Owe]) {
        for owed in left {
            let (reply, recorded) = oneshot::channel();
            let verdict = crate::decide::obligation::Verdict::Abandoned("left at shutdown in mode best_effort".into());
            let command = crate::session::SessionCommand::Verdict { obligation: owed.obligation, verdict, reply };
            let message = ToSession { session: owed.session, fresh: None, command };
            if self.host.send(message).await.is_err() || recorded.await.is_err() {
                tracing::warn!(obligation = %owed.obligation, "its end could not be recorded");
            }
        }
    }

    async fn stopped(&self, reason: &str, left: &[crate::courier::Owe]) {
        // In mode `durable` nothing is abandoned: it is met after the next start.
        let abandoned = left.iter().filter(|_| !self.shared.settings.durable_memory).map(|owed| Abandoned {
            session: owed.session,
            admission: None,
            what: format!("obligation {}", owed.obligation),
        });
        let event = HostStopped {
            epoch: self.shared.log.epoch(),
            reason: reason.to_owned(),
            abandoned: abandoned.take(1000).collect(),
        };
        let log = self.shared.log.clone();
        let tip = tokio::task::spawn_blocking(move || log.tip(crate::shared::host_stream())).await;
        let recorded = match tip {
            Ok(Ok(Some(tip))) => append(&self.shared.log, tip, event.into()).await,
            Ok(Err(error)) => Err(error),
            _ => return tracing::warn!("the stop could not be recorded"),
        };
        if let Err(error) = recorded {
            tracing::warn!(%error, "the stop could not be recorded; the next start treats it as a crash");
        }
    }
}

/// Folds a session and shows each request with the conversation rendered as it was then.
fn each_request(
    shared: &Arc<Shared>,
    id: StreamId,
    at: Option<Version>,
    mut see: impl FnMut(&ModelRequest, &Rendered),
) -> Result<(), String> {
    let mut state = SessionState::empty(id);
    let mut rendered: Option<Rendered> = None;
    loop {
        let page = shared.log.read_stream(id, state.version.next(), 500).map_err(|error| error.to_string())?;
        if page.is_empty() {
            return Ok(());
        }
        for recorded in &page {
            if at.is_some_and(|at| recorded.version > at) {
                return Ok(());
            }
            let seen = state.calls.requests().len();
            state.apply(recorded).map_err(|error| error.to_string())?;
            if let Some(request) = state.calls.requests().get(seen) {
                let now = render(&*shared.models, &state, request, rendered.take())?;
                see(request, &now);
                rendered = Some(now);
            }
        }
    }
}

fn render(
    models: &dyn Models,
    state: &SessionState,
    request: &ModelRequest,
    before: Option<Rendered>,
) -> Result<Rendered, String> {
    let (name, version) = (&request.dialect, request.dialect_version);
    let dialect = models.dialect(name, version).ok_or_else(|| {
        format!("version {}: this build does not have dialect {name} in version {version}", request.version)
    })?;
    let usable = before.filter(|before| {
        before.dialect().name() == name && before.dialect().version() == version && before.head_digest() == request.head
    });
    let mut rendered = usable.unwrap_or_else(|| {
        let system = state.prompt.built.as_ref().map(dispatch_projections::prompt::BuiltPrompt::text);
        let tools = state.prompt.tools.as_ref().map_or("[]", |tools| &*tools.schemas);
        let head = HeadInput { model: &request.model, system: system.as_deref().unwrap_or_default(), tools };
        Rendered::new(dialect, head)
    });
    let from = rendered.len();
    rendered.extend(state.transcript.wire_messages(from).take((request.messages as usize).saturating_sub(from)));
    Ok(rendered)
}

fn proven(request: &ModelRequest, rendered: &Rendered) -> bool {
    rendered.head_digest() == request.head
        && rendered.prefix() == request.prefix
        && rendered.len() == request.messages as usize
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn json<T: Serialize>(view: &T) -> Result<serde_json::Value, Refusal> {
    serde_json::to_value(view).map_err(|error| Refusal::Storage(error.to_string()))
}
