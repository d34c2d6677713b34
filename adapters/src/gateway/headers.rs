//! The headers of the contract: which session, which key, and what an answer says about both.

use super::problem::Problem;
use actix_web::{HttpRequest, HttpResponseBuilder, http::header::HeaderValue};
use dispatch_events::{Position, StreamId, TurnId};
use percent_encoding::percent_decode;

const SESSION: &str = "x-dispatch-session";
const TURN: &str = "x-dispatch-turn";
const POSITION: &str = "x-dispatch-position";
const KEY: &str = "idempotency-key";

/// A session as a header names it.
pub(super) struct Address {
    /// Its name or id.
    pub name: String,
    /// What came, to be said again.
    pub echo: HeaderValue,
}

/// The session that a request names in `X-Dispatch-Session`. The value may be percent-encoded, because browsers send
/// only Latin letters in headers; a percent sign itself is `%25`.
///
/// # Errors
/// [`Problem`] for a value that is empty or not UTF-8.
pub(super) fn session(request: &HttpRequest) -> Result<Option<Address>, Problem> {
    let Some(value) = request.headers().get(SESSION) else { return Ok(None) };
    let name = percent_decode(value.as_bytes().trim_ascii())
        .decode_utf8()
        .map_err(|_| Problem::invalid("the header X-Dispatch-Session is not UTF-8: percent-encode the name"))?;
    if name.is_empty() {
        return Err(Problem::invalid("the header X-Dispatch-Session is empty: give a name or an id, or leave it away"));
    }
    Ok(Some(Address { name: name.into_owned(), echo: value.clone() }))
}

/// The request id that a caller chose.
///
/// # Errors
/// [`Problem`] for a key that is not UTF-8.
pub(super) fn idempotency_key(request: &HttpRequest) -> Result<Option<String>, Problem> {
    let Some(value) = request.headers().get(KEY) else { return Ok(None) };
    match std::str::from_utf8(value.as_bytes()) {
        Ok(key) => Ok(Some(key.to_owned())),
        Err(_) => Err(Problem::invalid("the header Idempotency-Key is not UTF-8")),
    }
}

/// Says which session, turn and position an answer belongs to. The session is called as the caller called it.
pub(super) fn answer(
    response: &mut HttpResponseBuilder,
    session: StreamId,
    echo: Option<HeaderValue>,
    turn: Option<TurnId>,
    position: Position,
) {
    match echo {
        Some(echo) => response.insert_header((SESSION, echo)),
        None => response.insert_header((SESSION, session.to_string())),
    };
    if let Some(turn) = turn {
        response.insert_header((TURN, turn.to_string()));
    }
    response.insert_header((POSITION, position.0));
}
