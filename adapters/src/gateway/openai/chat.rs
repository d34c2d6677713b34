//! `POST /v1/chat/completions`: a turn of a durable session, in OpenAI's words.

use super::{
    super::{
        body::RawBody,
        headers::{self, Address},
        problem::{Code, Problem},
        state::{Gateway, principal},
    },
    answer::{Frame, Whole},
    live,
    request::ChatRequest,
    turn::{Answer, answered},
};
use actix_web::{HttpRequest, HttpResponse, http::header::HeaderValue, web::Data};
use dispatch_actors::{Receipt, SessionRef, Submit, handle::Subscription};
use dispatch_events::catalogue::input::{Intent, Principal};
use dispatch_projections::admissions::AdmissionState;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use uuid::Uuid;

/// The handler.
pub(in super::super) async fn completions(
    gateway: Data<Gateway>,
    request: HttpRequest,
    body: RawBody,
) -> Result<HttpResponse, Problem> {
    complete(gateway, request, body).await.map_err(Problem::for_openai)
}

async fn complete(gateway: Data<Gateway>, request: HttpRequest, body: RawBody) -> Result<HttpResponse, Problem> {
    let given = headers::session(&request)?;
    let key = headers::idempotency_key(&request)?;
    let principal = principal(&request);
    let chat = ChatRequest::parse(&body.0, given.is_none())?;
    drop(body);
    chat.check_size(gateway.settings.max_input)?;
    let (session, echo) = match given {
        Some(Address { name, echo }) => (SessionRef::Name(name), Some(echo)),
        None => (SessionRef::Name(own_name(&principal, key.as_deref())), None),
    };
    let ChatRequest { stream, include_usage, parts, opening } = chat;
    // Whoever waits for the answer is told at once that the session is paused, and nothing is queued behind their back.
    let submit = Submit {
        request: key,
        intent: Some(Intent::Queue),
        not_while_paused: true,
        opening: Some(opening),
        ..Submit::new(principal, parts)
    };
    let (receipt, updates) = gateway.host.submit_and_follow(&session, submit).await?;
    note(&receipt);
    if receipt.state == AdmissionState::Unknown {
        let why = "nobody knows what the turn of this input did: look at it with `dispatch replay`, then give it up with \
                   `dispatch interrupt`";
        return Err(Problem::new(Code::UnknownExecution, why));
    }
    if stream {
        return Ok(live::respond(gateway, receipt, updates, echo, include_usage).await);
    }
    whole(&gateway, &receipt, updates, echo).await
}

async fn whole(
    gateway: &Gateway,
    receipt: &Receipt,
    updates: Subscription,
    echo: Option<HeaderValue>,
) -> Result<HttpResponse, Problem> {
    let Answer { ending, text, model } = answered(gateway.host.wait_on(updates, receipt).await?)?;
    let mut frame = Frame::of(gateway, receipt.admission);
    if let Some(model) = model.filter(|_| !gateway.model.rehearsal) {
        frame.model = model;
    }
    let body = serde_json::to_vec(&Whole::of(&frame, receipt.session, &ending, &text)).unwrap_or_default();
    let mut response = HttpResponse::Ok();
    headers::answer(&mut response, receipt.session, echo, ending.turn.or(receipt.turn), ending.position);
    Ok(response.content_type("application/json").body(body))
}

/// Tells the request's span what it carries.
pub(in super::super) fn note(receipt: &Receipt) {
    let span = tracing::Span::current();
    if span.is_disabled() {
        return;
    }
    span.record("session", tracing::field::display(receipt.session));
    if let Some(turn) = receipt.turn {
        span.record("turn", tracing::field::display(turn));
        span.record("correlation", tracing::field::display(turn));
    }
}

/// The name of a session that nobody named. With a key the same request always means the same session, so a repeat finds
/// its answer; without one every request is a session of its own.
fn own_name(principal: &Principal, key: Option<&str>) -> String {
    let Some(key) = key else { return format!("chat-{}", Uuid::now_v7().simple()) };
    let mut digest = Sha256::new();
    for piece in [&principal.adapter, &principal.subject, key] {
        digest.update((piece.len() as u64).to_le_bytes());
        digest.update(piece.as_bytes());
    }
    let mut name = String::from("chat-");
    for byte in &digest.finalize()[..16] {
        // Writing to a string can't fail.
        write!(name, "{byte:02x}").ok();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_one_session_per_principal() {
        let principal = |subject: &str| Principal { adapter: "http".into(), subject: subject.into() };
        let name = own_name(&principal("a"), Some("k"));
        assert_eq!(name, own_name(&principal("a"), Some("k")));
        assert_ne!(name, own_name(&principal("a"), Some("l")));
        assert_ne!(name, own_name(&principal("b"), Some("k")));
        assert_ne!(own_name(&principal("a"), None), own_name(&principal("a"), None));
    }
}
