//! The exact requests, rendered again from the log and held against the digests that were recorded before they were sent.

use super::HostHandle;
use crate::{
    command::{Refusal, SessionRef},
    ports::{HeadInput, Models},
    session::beginning,
    shared::Shared,
    wire::Rendered,
};
use dispatch_events::{StreamId, Version};
use dispatch_projections::{
    SessionState,
    calls::ModelRequest,
    view::{PrefixRow, PrefixView},
};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

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

impl HostHandle {
    /// The exact requests of a session up to a version, rendered again and compared with their recorded digests.
    ///
    /// # Errors
    /// As [`HostHandle::state`]; [`Refusal::Storage`] for a dialect that this build does not have.
    pub async fn wire(&self, session: &SessionRef, at: Option<Version>) -> Result<WireView, Refusal> {
        let (id, shared) = (self.resolve(session).await?, self.shared.clone());
        self.blocking(move || {
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
        self.blocking(move || {
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
}

/// Folds a session and shows each request with the conversation rendered as it was then.
fn each_request(
    shared: &Arc<Shared>,
    id: StreamId,
    at: Option<Version>,
    mut see: impl FnMut(&ModelRequest, &Rendered),
) -> Result<(), String> {
    let read = |from| shared.log.read_stream(id, from, 500).map_err(|error| error.to_string());
    let mut page = read(Version(1))?;
    let mut state = beginning(&shared.log, id, &page)?;
    let mut rendered: Option<Rendered> = None;
    loop {
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
        page = read(state.version.next())?;
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
    // What was sent before is no beginning of what was sent after a change of the conversation.
    let usable = before.filter(|_| request.extends_previous).filter(|before| {
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
