//! Time and size. An answer may take as long as it wants, but not be silent.

use super::super::{chat_completions::stream::Body, failure::fault};
use bytes::BytesMut;
use dispatch_actors::ports::{ErrorClass, ModelError};
use futures_util::{StreamExt, stream};
use reqwest::Response;
use std::time::Duration;

/// Time limits of a target. There is none for the whole answer: long answers are not faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the request to the head of the answer.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub between_bytes: Duration,
    /// While nothing but comments comes.
    pub without_event: Duration,
}

/// Servers send a comment every 10 or 15 s while a request waits in their queue; half an hour of that is enough.
const WITHOUT_EVENT: Duration = Duration::from_secs(1800);

impl Default for Limits {
    /// 180 s, the value that has proved itself for vendors.
    fn default() -> Self {
        let stall = Duration::from_secs(180);
        Limits { first_byte: stall, between_bytes: stall, without_event: WITHOUT_EVENT }
    }
}

impl Limits {
    /// 900 s: a model on this machine may read a long prompt for minutes.
    pub fn local() -> Self {
        Limits::default().with_stall(Duration::from_secs(900))
    }

    /// Another limit for silence.
    pub fn with_stall(self, stall: Duration) -> Self {
        Limits { first_byte: stall, between_bytes: stall, without_event: self.without_event.max(stall) }
    }
}

/// A body that ends with an error when it is silent for too long.
pub fn between_bytes(body: Body, limit: Duration) -> Body {
    stream::unfold(Some(body), move |body| async move {
        let mut body = body?;
        match tokio::time::timeout(limit, body.next()).await {
            Ok(piece) => piece.map(|piece| (piece, Some(body))),
            Err(_) => Some((Err(silent(limit)), None)),
        }
    })
    .boxed()
}

fn silent(limit: Duration) -> ModelError {
    fault(ErrorClass::Timeout, format!("the answer stalled: no byte for {}", human(limit)))
}

/// The error of a request that got no answer in time.
pub fn no_byte(limit: Duration) -> ModelError {
    fault(ErrorClass::Timeout, format!("no answer within {}", human(limit)))
}

fn human(limit: Duration) -> String {
    if limit.as_secs() == 0 { format!("{} ms", limit.as_millis()) } else { format!("{} s", limit.as_secs()) }
}

/// Most of an error body that is read, in bytes.
const ERROR_MAX: usize = 64 << 10;

/// How long an error body may take.
const ERROR_WITHIN: Duration = Duration::from_secs(5);

/// The text of an error body, as much of it as comes soon.
pub async fn error_text(response: Response) -> String {
    let mut text = BytesMut::new();
    let mut body = response.bytes_stream();
    let read = async {
        while let Some(Ok(piece)) = body.next().await {
            let room = ERROR_MAX - text.len();
            text.extend_from_slice(&piece[..piece.len().min(room)]);
            if text.len() == ERROR_MAX {
                break;
            }
        }
    };
    // What came until then is enough for a message.
    let _ = tokio::time::timeout(ERROR_WITHIN, read).await;
    String::from_utf8_lossy(&text).into_owned()
}
