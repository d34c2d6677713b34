//! A session to take away: its messages as clean text.
//!
//! Events hold more than a person may pass on, for example what a memory backend recalled into a request; they stay at
//! `/api/sessions/{id}/events`.

use super::{problem::Problem, state::Gateway};
use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};
use dispatch_actors::SessionRef;
use dispatch_projections::view::ViewName;
use serde_json::Value;

/// `GET /api/sessions/{id}/export`: the messages of the transcript, one JSON document per line.
pub(super) async fn export(gateway: Data<Gateway>, session: Path<String>) -> Result<HttpResponse, Problem> {
    let stream = gateway.host.resolve(&SessionRef::Name(session.into_inner())).await?;
    let transcript = gateway.host.view(&SessionRef::Id(stream), ViewName::Transcript, None).await?;
    let name = format!("attachment; filename=\"{stream}.jsonl\"");
    Ok(HttpResponse::Ok()
        .content_type("application/x-ndjson")
        .insert_header((header::CONTENT_DISPOSITION, name))
        .body(message_lines(&transcript)))
}

/// The messages of a transcript view, one per line.
pub(crate) fn message_lines(transcript: &Value) -> String {
    let messages = transcript.get("messages").and_then(Value::as_array);
    messages.into_iter().flatten().map(|message| format!("{message}\n")).collect()
}
