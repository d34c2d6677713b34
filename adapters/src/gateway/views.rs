//! Views of a session, and questions to the whole log.

use super::{problem::Problem, query::Given, state::Gateway};
use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use dispatch_actors::SessionRef;
use dispatch_events::Version;
use dispatch_projections::view::ViewName;
use serde::Deserialize;

/// As of when.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct At {
    at: Option<u64>,
}

/// `GET /api/sessions/{id}/view/{view}`.
pub(super) async fn view(
    gateway: Data<Gateway>,
    path: Path<(String, String)>,
    at: Given<At>,
) -> Result<HttpResponse, Problem> {
    let (session, view) = path.into_inner();
    let view: ViewName = view.parse().map_err(Problem::invalid)?;
    let seen = gateway.host.view(&SessionRef::Name(session), view, at.0.at.map(Version)).await?;
    Ok(HttpResponse::Ok().json(seen))
}

/// Which session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Of {
    session: String,
}

/// `GET /api/audit/prefix`.
pub(super) async fn prefix(gateway: Data<Gateway>, of: Given<Of>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(gateway.host.prefix(&SessionRef::Name(of.0.session)).await?))
}
