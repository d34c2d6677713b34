//! Views of a session, and questions to the whole log.

use super::{long, problem::Problem, query::Given, state::Gateway};
use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use dispatch_actors::SessionRef;
use dispatch_events::{
    Digest, Position, StreamId, Version,
    verify::{Problem as Damage, Report},
};
use dispatch_projections::view::ViewName;
use serde::{Deserialize, Serialize};

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

/// `GET /api/audit/verify`.
pub(super) async fn verify(gateway: Data<Gateway>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let host = gateway.host.clone();
    long::answer(gateway, &request, |tell| async move {
        Ok(VerifyReport::from(host.verify_with(move |step| tell.tell(step)).await?))
    })
    .await
}

/// What a check of the whole log found, as the API and the command line show it.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyReport {
    /// Whether the log is what was written.
    pub sound: bool,
    /// Records that were read.
    pub events: u64,
    /// Streams that they belong to.
    pub streams: u64,
    /// Position up to which the log was checked.
    pub position: Position,
    /// The log's chain there.
    pub log_hash: Digest,
    /// What is wrong.
    pub problems: Vec<VerifyProblem>,
    /// Problems beyond those that are listed.
    pub more_problems: u64,
    /// Payloads that can't be opened or decoded.
    pub unreadable: u64,
    /// Payloads whose key was destroyed on purpose.
    pub erased: u64,
    /// Payloads of a type or version that this build does not know.
    pub unknown: u64,
}

/// One thing that is wrong with the log.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyProblem {
    /// Where in the log.
    pub position: Position,
    /// Which stream, where that is known.
    pub stream: Option<StreamId>,
    /// What, in words.
    pub what: String,
}

impl From<Report> for VerifyReport {
    fn from(report: Report) -> Self {
        let problem = |Damage { position, stream, what, .. }| VerifyProblem { position, stream, what };
        Self {
            sound: report.is_sound(),
            events: report.events,
            streams: report.streams,
            position: report.position,
            log_hash: report.log_hash,
            more_problems: report.problems.more,
            problems: report.problems.listed.into_iter().map(problem).collect(),
            unreadable: report.unreadable,
            erased: report.erased,
            unknown: report.unknown,
        }
    }
}
