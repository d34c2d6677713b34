//! The log as it was written and as it grows: pages for programs, server-sent events for viewers.

use super::{
    problem::{Code, Problem},
    query::Given,
    sse::{self, Frame, Source},
    state::Gateway,
};
use crate::event_json::EventJson;
use actix_web::{
    HttpRequest, HttpResponse,
    http::header,
    web::{Bytes, Data, Path},
};
use dispatch_actors::{
    SessionRef,
    handle::{Subscription, Update},
};
use dispatch_events::{Position, Recorded, TurnId, Version};
use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Serialize};

/// Events in one page unless the caller says otherwise, and at most.
const PAGE: (usize, usize) = (200, 1000);

/// What a caller wants to see.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// First version, or first position of the whole log.
    from: Option<u64>,
    /// Most events; asks for one page instead of a stream.
    limit: Option<usize>,
    /// Event types, for example `tool.*`.
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl Wanted {
    fn from(&self) -> u64 {
        self.from.unwrap_or(1).max(1)
    }

    /// The limit, if a page is asked for.
    fn page(&self, request: &HttpRequest) -> Option<usize> {
        let json = request.headers().get(header::ACCEPT).is_some_and(|accept| {
            let accept = accept.to_str().unwrap_or_default();
            accept.contains("application/json") && !accept.contains("text/event-stream")
        });
        (json || self.limit.is_some()).then(|| self.limit.unwrap_or(PAGE.0).clamp(1, PAGE.1))
    }

    /// Where a stream begins: behind the last event that the reader has, else where it asks.
    fn resume(&self, request: &HttpRequest) -> Result<u64, Problem> {
        let Some(last) = request.headers().get("last-event-id") else { return Ok(self.from()) };
        let last: Option<u64> = last.to_str().ok().and_then(|last| last.trim().parse().ok());
        let last = last.ok_or_else(|| Problem::invalid("the header Last-Event-ID is not the id of an event"))?;
        Ok(last.saturating_add(1))
    }

    fn types(&self) -> Result<Option<GlobMatcher>, Problem> {
        let Some(kind) = &self.kind else { return Ok(None) };
        match Glob::new(kind) {
            Ok(glob) => Ok(Some(glob.compile_matcher())),
            Err(error) => Err(Problem::invalid(format!("`type` is not a pattern: {error}; give one like `tool.*`"))),
        }
    }
}

/// One page.
#[derive(Serialize)]
struct EventPage<'a> {
    events: Vec<EventJson<'a>>,
    /// What to give as `from` for the next page; null when the log had no more.
    next: Option<u64>,
}

fn page(events: &[Recorded], limit: usize, types: Option<&GlobMatcher>, number: fn(&Recorded) -> u64) -> HttpResponse {
    let next = if events.len() < limit { None } else { events.last().map(|event| number(event) + 1) };
    let shown = events.iter().filter(|event| types.is_none_or(|types| types.is_match(&event.kind)));
    HttpResponse::Ok().json(EventPage { events: shown.map(EventJson::of).collect(), next })
}

/// `GET /api/sessions/{id}/events`.
pub(super) async fn of_session(
    gateway: Data<Gateway>,
    request: HttpRequest,
    session: Path<String>,
    wanted: Given<Wanted>,
) -> Result<HttpResponse, Problem> {
    let session = SessionRef::Name(session.into_inner());
    let types = wanted.0.types()?;
    if let Some(limit) = wanted.0.page(&request) {
        let events = gateway.host.events(&session, Version(wanted.0.from()), limit).await?;
        return Ok(page(&events, limit, types.as_ref(), |event| event.version.0));
    }
    let stream = gateway.host.resolve(&session).await?;
    let updates = gateway.host.subscribe(stream, Version(wanted.0.resume(&request)?));
    Ok(follow(gateway, updates, types, |event| event.version.0))
}

/// `GET /api/events`.
pub(super) async fn of_log(
    gateway: Data<Gateway>,
    request: HttpRequest,
    wanted: Given<Wanted>,
) -> Result<HttpResponse, Problem> {
    let types = wanted.0.types()?;
    if let Some(limit) = wanted.0.page(&request) {
        let events = gateway.host.log_events(Position(wanted.0.from()), limit).await?;
        return Ok(page(&events, limit, types.as_ref(), |event| event.position.0));
    }
    let updates = gateway.host.subscribe_log(Position(wanted.0.resume(&request)?));
    Ok(follow(gateway, updates, types, |event| event.position.0))
}

fn follow(
    gateway: Data<Gateway>,
    updates: Subscription,
    types: Option<GlobMatcher>,
    number: fn(&Recorded) -> u64,
) -> HttpResponse {
    sse::respond(gateway, Feed { first: None, updates, types, number }, HttpResponse::Ok())
}

/// Events and live text for one viewer.
pub(super) struct Feed {
    /// What comes before them.
    first: Option<Bytes>,
    updates: Subscription,
    types: Option<GlobMatcher>,
    number: fn(&Recorded) -> u64,
}

impl Feed {
    /// `first`, then every event of a session.
    pub fn after(first: Bytes, updates: Subscription) -> Self {
        Self { first: Some(first), updates, types: None, number: |event| event.version.0 }
    }
}

/// Live text: provisional, and gone when it is read.
#[derive(Serialize)]
struct Delta<'a> {
    turn: TurnId,
    attempt: u32,
    at: u64,
    text: &'a str,
}

/// A turn that its host could not record to the end.
#[derive(Serialize)]
struct Broken<'a> {
    turn: TurnId,
    code: &'a str,
    message: &'a str,
}

impl Source for Feed {
    async fn next(&mut self) -> Frame {
        if let Some(first) = self.first.take() {
            return Frame::More(first);
        }
        loop {
            return match self.updates.next().await {
                None => Frame::Last(sse::error_event(&Problem::new(Code::Draining, "the host is shutting down"))),
                Some(Err(refusal)) => Frame::Last(sse::error_event(&refusal.into())),
                Some(Ok(Update::Event(event))) => {
                    if self.types.as_ref().is_some_and(|types| !types.is_match(&event.kind)) {
                        continue;
                    }
                    Frame::More(sse::event("event", Some((self.number)(&event)), &EventJson::line(&event)))
                }
                Some(Ok(Update::Delta { turn, attempt, at, text })) => {
                    if self.types.is_some() {
                        continue;
                    }
                    Frame::More(sse::json_event("delta", &Delta { turn, attempt, at, text: &text }))
                }
                Some(Ok(Update::Broken { turn, code, message })) => {
                    Frame::More(sse::json_event("broken", &Broken { turn, code: &code, message: &message }))
                }
            };
        }
    }
}
