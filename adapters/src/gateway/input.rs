//! Input and interrupt.

use super::{
    body::JsonBody,
    headers,
    openai::chat::note,
    openai::check_size,
    problem::Problem,
    state::{Gateway, principal},
};
use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use dispatch_actors::{Opening, SessionRef, Submit};
use dispatch_events::{Generation, Part, TurnId, catalogue::input::Intent};
use serde::Deserialize;

/// An input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    request_id: Option<String>,
    /// What it wants of a running turn; the session's busy mode says if it does not.
    intent: Option<Wanted>,
    parts: Vec<Piece>,
    /// The platform's id of the message: one that comes again is not taken again.
    message: Option<String>,
    expected_revision: Option<u64>,
    /// Whether a paused session refuses it instead of queueing it: for a caller who waits for the answer.
    #[serde(default)]
    not_while_paused: bool,
    /// Whether a session that is not there is opened.
    #[serde(default)]
    open: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Queue,
    Steer,
    Redirect,
}

/// A text, bare or with its type.
#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    Bare(String),
    Typed(Typed),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Typed {
    Text { text: String },
}

/// `POST /api/sessions/{id}/input`: answered when it is durable. The header `Idempotency-Key` is the request id unless
/// the body has one.
pub(super) async fn submit(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    input: JsonBody<Input>,
) -> Result<HttpResponse, Problem> {
    let Input { request_id, intent, parts, message, expected_revision, not_while_paused, open } = input.0;
    let key = match request_id {
        Some(id) => Some(id),
        None => headers::idempotency_key(&request)?,
    };
    let text = |piece| match piece {
        Piece::Bare(text) | Piece::Typed(Typed::Text { text }) => Part::Text(text),
    };
    let parts: Vec<_> = parts.into_iter().map(text).collect();
    check_size(&parts, gateway.settings.max_input)?;
    let intent = intent.map(|wanted| match wanted {
        Wanted::Queue => Intent::Queue,
        Wanted::Steer => Intent::Steer,
        Wanted::Redirect => Intent::Redirect,
    });
    let principal = principal(&request);
    let opening = open.then(|| Opening::plain(&principal.adapter));
    let submit = Submit {
        request: key,
        intent,
        message,
        expected_revision,
        not_while_paused,
        opening,
        ..Submit::new(principal, parts)
    };
    let receipt = gateway.host.submit(&SessionRef::Name(session.into_inner()), submit).await?;
    note(&receipt);
    let mut response = HttpResponse::Accepted();
    headers::answer(&mut response, receipt.session, None, receipt.turn, receipt.position);
    Ok(response.json(receipt))
}

/// What is to be stopped.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stop {
    /// Nothing but this turn: whoever asks late stops nobody else's.
    turn: Option<TurnId>,
    /// Nothing but this attempt.
    generation: Option<u64>,
}

/// `POST /api/sessions/{id}/interrupt`.
pub(super) async fn interrupt(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    stop: JsonBody<Stop>,
) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    let Stop { turn, generation } = stop.0;
    let stop = dispatch_actors::Stop { turn, generation: generation.map(Generation) };
    let interrupted = gateway.host.interrupt(&session, principal(&request), stop).await?;
    Ok(HttpResponse::Ok().json(interrupted))
}
