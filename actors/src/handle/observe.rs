//! Observing: views of any version, the log itself, health.

use super::{HostHandle, Subscription, WireView};
use crate::{
    command::{Refusal, SessionRef},
    ports::{ModelProfile, Tool},
    session::{SessionCommand, fold, newest},
};
use dispatch_events::{Epoch, Position, Recorded, StreamId, Version, catalogue::tool::EffectClass, verify};
use dispatch_projections::{
    SessionState,
    view::{
        LeaseView, MemoryView, ObligationsView, PromptView, QueueView, SummaryView, ToolsView, TranscriptView, ViewName,
    },
};
use serde::Serialize;
use std::sync::{Arc, atomic::Ordering};

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
        let id = self.resolve(session).await?;
        let state = self.state_of(id, at).await?;
        if state.erasure.is_some() { Err(Refusal::Erased(id)) } else { Ok(state) }
    }

    /// The state that the session's actor goes by, which is what [`HostHandle::state`] gives or older: the two are compared
    /// by whoever doubts it.
    ///
    /// # Errors
    /// As [`HostHandle::state`], or [`Refusal::Busy`].
    pub async fn held(&self, session: &SessionRef) -> Result<SessionState, Refusal> {
        let id = self.resolve(session).await?;
        self.ask(id, None, |reply| SessionCommand::Held { reply }).await.map(|state| *state)
    }

    /// As [`HostHandle::state`], also of a session that was erased.
    pub(super) async fn state_of(&self, id: StreamId, at: Option<Version>) -> Result<SessionState, Refusal> {
        let log = self.shared.log.clone();
        self.blocking(move || match at {
            Some(_) => fold(&log, id, at),
            None => newest(&log, id).map(|folded| folded.state),
        })
        .await
    }

    /// Refuses a version that the session does not have: a view as of it would silently be the one of today.
    async fn reaches(&self, session: &SessionRef, at: Version) -> Result<(), Refusal> {
        let (id, log) = (self.resolve(session).await?, self.shared.log.clone());
        let head = self.blocking(move || log.store().head(id).map_err(|error| error.to_string())).await?;
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
        let state = self.state(session, at).await?;
        match view {
            ViewName::Transcript => json(&TranscriptView::of(&state)),
            ViewName::Wire => json(&self.wire(session, at).await?),
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

    /// Events of a session from a version on, at most `limit`.
    ///
    /// # Errors
    /// As [`HostHandle::state`].
    pub async fn events(&self, session: &SessionRef, from: Version, limit: usize) -> Result<Vec<Recorded>, Refusal> {
        let (id, log) = (self.resolve(session).await?, self.shared.log.clone());
        self.blocking(move || log.read_stream(id, from, limit).map_err(|error| error.to_string())).await
    }

    /// Events of the whole log from a position on, at most `limit`.
    ///
    /// # Errors
    /// [`Refusal::Storage`].
    pub async fn log_events(&self, from: Position, limit: usize) -> Result<Vec<Recorded>, Refusal> {
        let log = self.shared.log.clone();
        self.blocking(move || log.read_all(from, limit).map_err(|error| error.to_string())).await
    }

    /// Checks the whole log: every checksum, both chains, contiguous positions, heads.
    ///
    /// # Errors
    /// [`Refusal::Storage`] when it could not be checked; damage is in the report.
    pub async fn verify(&self) -> Result<verify::Report, Refusal> {
        let log = self.shared.log.clone();
        self.blocking(move || verify::verify(&log).map_err(|error| error.to_string())).await
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
            sessions_active: self.shared.live.active.load(Ordering::SeqCst),
            turns_running: self.shared.live.turns.load(Ordering::SeqCst),
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
        let view = |tool: Arc<dyn Tool>| ToolView {
            name: tool.name().to_owned(),
            class: tool.class(),
            schema: tool.schema().0,
        };
        self.shared.toolbox.tools().into_iter().map(view).collect()
    }
}

fn json<T: Serialize>(view: &T) -> Result<serde_json::Value, Refusal> {
    serde_json::to_value(view).map_err(|error| Refusal::Storage(error.to_string()))
}
