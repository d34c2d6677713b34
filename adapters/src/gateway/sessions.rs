//! Sessions: list, open, look at, rename, erase.

use super::{
    body::JsonBody,
    problem::Problem,
    query::Given,
    state::{Gateway, principal},
};
use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{Data, Path},
};
use dispatch_actors::{Opening, SessionRef};
use dispatch_events::{StreamId, catalogue::message::GivenRole};
use dispatch_projections::view::SummaryView;
use serde::{Deserialize, Serialize};

/// Sessions in one page unless the caller says otherwise, and at most.
const PAGE: (usize, usize) = (100, 1000);

/// Which page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    after: Option<StreamId>,
    limit: Option<usize>,
    #[serde(default)]
    erased: bool,
}

#[derive(Serialize)]
struct List {
    sessions: Vec<SummaryView>,
    /// What to give as `after` for the next page.
    next: Option<StreamId>,
}

/// `GET /api/sessions`.
pub(super) async fn list(gateway: Data<Gateway>, page: Given<Page>) -> Result<HttpResponse, Problem> {
    let limit = page.0.limit.unwrap_or(PAGE.0).clamp(1, PAGE.1);
    let sessions = gateway.host.list(page.0.after, limit, page.0.erased).await?;
    let next = if sessions.len() < limit { None } else { sessions.last().map(|session| session.id) };
    Ok(HttpResponse::Ok().json(List { sessions, next }))
}

/// A session to open.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct New {
    name: Option<String>,
    source: Option<String>,
    system: Option<String>,
    #[serde(default)]
    history: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    role: Role,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

/// `POST /api/sessions`.
pub(super) async fn open(
    gateway: Data<Gateway>,
    request: HttpRequest,
    new: JsonBody<New>,
) -> Result<HttpResponse, Problem> {
    let New { name, source, system, history } = new.0;
    let history = history.into_iter().map(|said| match said.role {
        Role::User => (GivenRole::User, said.content),
        Role::Assistant => (GivenRole::Assistant, said.content),
    });
    let principal = principal(&request);
    let source = source.unwrap_or_else(|| principal.adapter.clone());
    let opening = Opening { source, system, history: history.collect(), route: None };
    let session = gateway.host.open(name, opening, principal).await?;
    let place = format!("/api/sessions/{}", session.id);
    Ok(HttpResponse::Created().insert_header((header::LOCATION, place)).json(session))
}

/// `GET /api/sessions/{id}`.
pub(super) async fn show(gateway: Data<Gateway>, session: Path<String>) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    Ok(HttpResponse::Ok().json(gateway.host.summary(&session).await?))
}

/// `DELETE /api/sessions/{id}`.
pub(super) async fn erase(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    Ok(HttpResponse::Ok().json(gateway.host.erase(&session, principal(&request)).await?))
}

/// What changes in a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    name: String,
}

/// `PATCH /api/sessions/{id}`.
pub(super) async fn change(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    change: JsonBody<Change>,
) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    let changed = gateway.host.rename(&session, &change.0.name, principal(&request)).await?;
    Ok(HttpResponse::Ok().json(changed))
}
