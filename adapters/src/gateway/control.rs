//! Withdrawing an input, settling what is unknown, attaching.

use super::{
    body::JsonBody,
    events::Feed,
    headers,
    problem::{Code, Problem},
    sse,
    state::{Gateway, principal},
};
use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use dispatch_actors::{
    SessionRef,
    command::{Attached, Reconcile, ReconcileVerdict},
};
use dispatch_events::{AdmissionId, Version, catalogue::tool::CallRef};
use serde::Deserialize;

/// `DELETE /api/sessions/{id}/input/{admission}`.
pub(super) async fn cancel(
    gateway: Data<Gateway>,
    request: HttpRequest,
    path: Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (session, admission) = path.into_inner();
    let admission: AdmissionId = admission
        .parse()
        .map_err(|_| Problem::new(Code::NotFound, format!("`{admission}` is not the id of an admission")))?;
    let receipt = gateway.host.cancel(&SessionRef::Name(session), admission, principal(&request)).await?;
    let mut response = HttpResponse::Ok();
    headers::answer(&mut response, receipt.session, None, receipt.turn, receipt.position);
    Ok(response.json(receipt))
}

/// `GET /api/sessions/{id}/reconcile`.
pub(super) async fn unknowns(gateway: Data<Gateway>, session: Path<String>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(gateway.host.unknowns(&SessionRef::Name(session.into_inner())).await?))
}

/// What a person says of an outcome that nobody knows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settle {
    /// Version of the message that asks for the call; with `index` it names the call.
    message: Option<u64>,
    index: Option<u32>,
    verdict: Verdict,
    /// The call's result; only with `finished`.
    output: Option<String>,
    why: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Finished,
    NotDone,
    GiveUp,
}

/// `POST /api/sessions/{id}/reconcile`.
pub(super) async fn reconcile(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    settle: JsonBody<Settle>,
) -> Result<HttpResponse, Problem> {
    let Settle { message, index, verdict, output, why } = settle.0;
    let call = match (message, index) {
        (None, None) => None,
        (Some(message), index) => Some(CallRef { message: Version(message), index: index.unwrap_or(0) }),
        (None, Some(_)) => return Err(Problem::invalid("`index` needs `message`: together they name the call")),
    };
    let verdict = match (verdict, output) {
        (Verdict::Finished, Some(output)) => ReconcileVerdict::Finished(output),
        (Verdict::Finished, None) => {
            return Err(Problem::invalid("`finished` needs `output`: the result that the model reads"));
        }
        (_, Some(_)) => return Err(Problem::invalid("`output` belongs to the verdict `finished`")),
        (Verdict::NotDone, None) => ReconcileVerdict::NotDone,
        (Verdict::GiveUp, None) => ReconcileVerdict::GiveUp,
    };
    let reconcile = Reconcile { principal: principal(&request), call, verdict, why };
    let settled = gateway.host.reconcile(&SessionRef::Name(session.into_inner()), reconcile).await?;
    Ok(HttpResponse::Ok().json(settled))
}

/// `GET /api/sessions/{id}/attach`.
pub(super) async fn attach(gateway: Data<Gateway>, session: Path<String>) -> Result<HttpResponse, Problem> {
    let Attached { snapshot, updates } = gateway.host.attach(&SessionRef::Name(session.into_inner())).await?;
    let first = sse::event("snapshot", Some(snapshot.version.0), &sse::line(&snapshot));
    Ok(sse::respond(gateway, Feed::after(first, updates), HttpResponse::Ok()))
}
