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
use dispatch_actors::{
    Forks, Opening, SessionRef,
    command::{Change, HistoryChange},
    handle::Besides,
    routing::RouteSource,
};
use dispatch_events::{
    StreamId,
    catalogue::{message::GivenRole, session::BusyMode},
};
use dispatch_projections::view::SummaryView;
use serde::{Deserialize, Deserializer, Serialize};

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
    #[serde(default)]
    archived: bool,
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
    let besides = Besides { erased: page.0.erased, archived: page.0.archived };
    let sessions = gateway.host.list(page.0.after, limit, besides).await?;
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
    /// The chat that it is for: the session of a chat that has one already is given back.
    route: Option<RouteSource>,
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
    let New { name, source, system, history, route } = new.0;
    let history = history.into_iter().map(|said| match said.role {
        Role::User => (GivenRole::User, said.content),
        Role::Assistant => (GivenRole::Assistant, said.content),
    });
    let principal = principal(&request);
    let source = source.unwrap_or_else(|| principal.adapter.clone());
    let route = route.map(|route| gateway.host.route(&route)).transpose()?;
    let opening = Opening { source, system, history: history.collect(), route };
    let (session, new) = gateway.host.find_or_open(name, opening, principal).await?;
    if !new {
        return Ok(HttpResponse::Ok().json(session));
    }
    let place = format!("/api/sessions/{}", session.id);
    Ok(HttpResponse::Created().insert_header((header::LOCATION, place)).json(session))
}

/// `GET /api/sessions/{id}`.
pub(super) async fn show(gateway: Data<Gateway>, session: Path<String>) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    Ok(HttpResponse::Ok().json(gateway.host.summary(&session).await?))
}

/// What becomes of the session's forks.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Erasure {
    forks: Option<ForksWord>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ForksWord {
    Refuse,
    Keep,
    Erase,
}

impl From<Erasure> for Forks {
    fn from(erasure: Erasure) -> Self {
        match erasure.forks {
            None | Some(ForksWord::Refuse) => Self::Refuse,
            Some(ForksWord::Keep) => Self::Keep,
            Some(ForksWord::Erase) => Self::EraseAll,
        }
    }
}

/// `DELETE /api/sessions/{id}`.
pub(super) async fn erase(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    erasure: Given<Erasure>,
) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    Ok(HttpResponse::Ok().json(gateway.host.erase(&session, principal(&request), erasure.0.into()).await?))
}

/// What changes in a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    name: Option<String>,
    /// `null` takes the host's setting again.
    #[serde(default, deserialize_with = "given")]
    busy: Option<Option<Busy>>,
    archived: Option<bool>,
    expected_revision: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Busy {
    Queue,
    Steer,
    Interrupt,
}

/// Tells a member that is `null` from one that is not there.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(member: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(member).map(Some)
}

/// `PATCH /api/sessions/{id}`.
pub(super) async fn edit(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    edit: JsonBody<Edit>,
) -> Result<HttpResponse, Problem> {
    let Edit { name, busy, archived, mut expected_revision } = edit.0;
    if name.is_none() && busy.is_none() && archived.is_none() {
        return Err(Problem::invalid("nothing changes: give `name`, `busy` or `archived`"));
    }
    let id = gateway.host.resolve(&SessionRef::Name(session.into_inner())).await?;
    let busy = busy.map(|busy| HistoryChange::Configure {
        busy: busy.map(|busy| match busy {
            Busy::Queue => BusyMode::Queue,
            Busy::Steer => BusyMode::Steer,
            Busy::Interrupt => BusyMode::Interrupt,
        }),
    });
    let archived = archived.map(|archived| if archived { HistoryChange::Archive } else { HistoryChange::Unarchive });
    // The name first: it is what can be refused.
    if let Some(name) = name {
        let asked = Change { principal: principal(&request), expected_revision };
        let renamed = gateway.host.rename(&SessionRef::Id(id), &name, asked).await?;
        // What the caller saw is what this call itself made of it.
        expected_revision = expected_revision.map(|_| renamed.revision);
    }
    for change in busy.into_iter().chain(archived) {
        let asked = Change { principal: principal(&request), expected_revision };
        let changed = gateway.host.change(&SessionRef::Id(id), change, asked).await?;
        expected_revision = expected_revision.map(|_| changed.revision);
    }
    Ok(HttpResponse::Ok().json(gateway.host.summary(&SessionRef::Id(id)).await?))
}
