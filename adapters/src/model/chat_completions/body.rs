//! The body of an answer with status 200, whatever it turns out to be.
//!
//! Some servers answer a request for a stream with one document, some the other way round, some with a content type of
//! their own making, and proxies with HTML. The first character tells them apart more reliably than the header does.

use super::{
    bounds::{self, DOCUMENT_MAX},
    stream::{self, Body},
    whole,
};
use crate::model::{
    failure::{self, fault},
    profile::ReplayReasoning,
};
use bytes::{Bytes, BytesMut};
use dispatch_actors::ports::{ErrorClass, ModelError, ModelEvent};
use futures_util::{
    StreamExt,
    stream::{BoxStream, iter, once},
};
use std::time::Duration;

/// Largest part of an unusable body that is read, for the message, in bytes.
const EXCERPT_MAX: usize = 8 << 10;

/// As many bytes as tell the kinds apart.
const BEGINNING: usize = 6;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How a body is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What the server called it; decides where the first characters do not.
    pub content_type: String,
    /// What of the answer is kept for later requests.
    pub replay: ReplayReasoning,
    /// How long comments and white space alone count as life.
    pub without_event: Duration,
}

/// Reads a body.
pub fn events(body: Body, reading: Reading) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
    once(async move {
        let Reading { content_type, replay, without_event } = reading;
        // What follows the beginning is asked again after its end.
        let body: Body = body.fuse().boxed();
        let found = tokio::time::timeout(without_event, beginning(body)).await;
        let (start, rest) = match found.unwrap_or_else(|_| Err(stream::only_comments(without_event))) {
            Ok(found) => found,
            Err(error) => return iter([Err(error)]).boxed(),
        };
        let kind = Kind::of(&start, &content_type);
        let body: Body = once(async move { Ok(start) }).chain(rest).boxed();
        match kind {
            Kind::Events => stream::events(body, replay, without_event).boxed(),
            Kind::Document => iter(document(body, replay).await).boxed(),
            Kind::Unusable => iter([Err(unusable(body, &content_type).await)]).boxed(),
        }
    })
    .flatten()
    .boxed()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Events,
    Document,
    Unusable,
}

impl Kind {
    fn of(start: &[u8], content_type: &str) -> Self {
        match start.first() {
            Some(b'{' | b'[') => Self::Document,
            Some(b'<') => Self::Unusable,
            None => Self::Events,
            _ if content_type.to_ascii_lowercase().contains("event-stream") => Self::Events,
            _ if [&b":"[..], b"data", b"event", b"id:", b"retry"].iter().any(|field| start.starts_with(field)) => {
                Self::Events
            }
            _ => Self::Unusable,
        }
    }
}

/// The first bytes that are neither a byte order mark nor white space, and what follows. Nothing at all is possible.
async fn beginning(mut body: Body) -> Result<(Bytes, Body), ModelError> {
    let mut held = BytesMut::new();
    loop {
        let skipped = if held.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let blank = held[skipped..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if held.len() >= skipped + blank + BEGINNING {
            return Ok((held.split_off(skipped + blank).freeze(), body));
        }
        if held.len() > EXCERPT_MAX {
            // White space as a sign of life: not to be kept.
            held = held.split_off(skipped + blank);
        }
        match body.next().await {
            Some(piece) => held.extend_from_slice(&piece?),
            None => return Ok((held.split_off(skipped + blank).freeze(), body)),
        }
    }
}

async fn document(mut body: Body, replay: ReplayReasoning) -> Vec<Result<ModelEvent, ModelError>> {
    let mut text = BytesMut::new();
    while let Some(piece) = body.next().await {
        match piece {
            Ok(piece) => text.extend_from_slice(&piece),
            Err(error) => return vec![Err(error)],
        }
        if text.len() > DOCUMENT_MAX {
            return vec![Err(bounds::too_large(&format!("the document has more than {} MiB", DOCUMENT_MAX >> 20)))];
        }
    }
    match whole::answer(&text, replay) {
        Ok(events) => events.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }
}

async fn unusable(mut body: Body, content_type: &str) -> ModelError {
    let mut text = BytesMut::new();
    while let Some(Ok(piece)) = body.next().await {
        text.extend_from_slice(&piece);
        if text.len() > EXCERPT_MAX {
            break;
        }
    }
    let said = failure::said(&String::from_utf8_lossy(&text));
    let kind = if content_type.is_empty() { "no content type" } else { content_type };
    fault(ErrorClass::InvalidResponse, format!("the answer is neither JSON nor a stream of events ({kind}): {said}"))
}
