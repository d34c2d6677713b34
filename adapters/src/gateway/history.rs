//! Changes of a session's own history, and forks. Each is an event; nothing is removed.

use super::{
    body::JsonBody,
    problem::Problem,
    state::{Gateway, principal},
};
use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{Data, Path},
};
use dispatch_actors::{
    SessionRef,
    command::{Change, ForkRequest, HistoryChange},
};
use dispatch_events::Version;
use serde::Deserialize;

/// A fork that is wanted.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fork {
    at: Option<u64>,
    name: Option<String>,
    profile: Option<String>,
    source: Option<String>,
}

/// `POST /api/sessions/{id}/fork`.
pub(super) async fn fork(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    fork: JsonBody<Fork>,
) -> Result<HttpResponse, Problem> {
    let Fork { at, name, profile, source } = fork.0;
    let principal = principal(&request);
    let source = source.unwrap_or_else(|| principal.adapter.clone());
    let fork = ForkRequest { principal, at: at.map(Version), name, profile, source };
    let child = gateway.host.fork(&SessionRef::Name(session.into_inner()), fork).await?;
    let place = format!("/api/sessions/{}", child.id);
    Ok(HttpResponse::Created().insert_header((header::LOCATION, place)).json(child))
}

/// What the caller saw.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    expected_revision: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rewind {
    to: u64,
    expected_revision: Option<u64>,
}

/// `POST /api/sessions/{id}/rewind`.
pub(super) async fn rewind(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    rewind: JsonBody<Rewind>,
) -> Result<HttpResponse, Problem> {
    let Rewind { to, expected_revision } = rewind.0;
    let change = HistoryChange::Rewind { to: Version(to) };
    apply(&gateway, &request, session.into_inner(), change, expected_revision).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Undo {
    #[serde(default = "one")]
    exchanges: u32,
    expected_revision: Option<u64>,
}

fn one() -> u32 {
    1
}

impl Default for Undo {
    fn default() -> Self {
        Self { exchanges: one(), expected_revision: None }
    }
}

/// `POST /api/sessions/{id}/undo`.
pub(super) async fn undo(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    undo: JsonBody<Undo>,
) -> Result<HttpResponse, Problem> {
    let Undo { exchanges, expected_revision } = undo.0;
    apply(&gateway, &request, session.into_inner(), HistoryChange::Undo { exchanges }, expected_revision).await
}

/// `POST /api/sessions/{id}/restore`.
pub(super) async fn restore(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    seen: JsonBody<Seen>,
) -> Result<HttpResponse, Problem> {
    apply(&gateway, &request, session.into_inner(), HistoryChange::Restore, seen.0.expected_revision).await
}

/// `POST /api/sessions/{id}/retry`.
pub(super) async fn retry(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    seen: JsonBody<Seen>,
) -> Result<HttpResponse, Problem> {
    apply(&gateway, &request, session.into_inner(), HistoryChange::Retry, seen.0.expected_revision).await
}

/// `POST /api/sessions/{id}/reset`.
pub(super) async fn reset(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    seen: JsonBody<Seen>,
) -> Result<HttpResponse, Problem> {
    apply(&gateway, &request, session.into_inner(), HistoryChange::Reset, seen.0.expected_revision).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Archive {
    #[serde(default = "yes")]
    archived: bool,
    expected_revision: Option<u64>,
}

fn yes() -> bool {
    true
}

impl Default for Archive {
    fn default() -> Self {
        Self { archived: yes(), expected_revision: None }
    }
}

/// `POST /api/sessions/{id}/archive`.
pub(super) async fn archive(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    archive: JsonBody<Archive>,
) -> Result<HttpResponse, Problem> {
    let Archive { archived, expected_revision } = archive.0;
    let change = if archived { HistoryChange::Archive } else { HistoryChange::Unarchive };
    apply(&gateway, &request, session.into_inner(), change, expected_revision).await
}

async fn apply(
    gateway: &Gateway,
    request: &HttpRequest,
    session: String,
    change: HistoryChange,
    expected_revision: Option<u64>,
) -> Result<HttpResponse, Problem> {
    let asked = Change { principal: principal(request), expected_revision };
    Ok(HttpResponse::Ok().json(gateway.host.change(&SessionRef::Name(session), change, asked).await?))
}
