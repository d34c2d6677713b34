//! Server-sent events: framing, comments on a silent line, and the end when the server stops.

use super::{problem::Problem, state::Gateway};
use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::header,
    web::{Bytes, Data},
};
use futures_util::stream;
use serde::Serialize;
use std::{convert::Infallible, fmt::Write, time::Duration};
use tokio::time::Instant;

/// What a source has to send.
pub(super) enum Frame {
    /// This, and more may follow.
    More(Bytes),
    /// This, and it was the last.
    Last(Bytes),
    /// Nothing any more.
    End,
}

/// Where the frames of one response come from.
pub(super) trait Source: 'static {
    /// The next frame. It has to be cancel safe: it is dropped whenever the line was silent for too long.
    fn next(&mut self) -> impl Future<Output = Frame>;

    /// How long it may go on when the server stops, to say its last words.
    fn grace(&self) -> Duration {
        Duration::ZERO
    }

    /// What it says when that is over.
    fn cut_off(&mut self) -> Frame {
        Frame::End
    }
}

/// A comment, which readers skip.
const COMMENT: Bytes = Bytes::from_static(b": still here\n\n");

struct Line<S> {
    source: S,
    gateway: Data<Gateway>,
    /// The latest moment for the last words, once the server stops.
    deadline: Option<Instant>,
}

impl<S: Source> Line<S> {
    async fn next(&mut self) -> Frame {
        let mut closing = self.gateway.closing.clone();
        let silence = Duration::from_millis(self.gateway.settings.keep_alive_ms);
        loop {
            let deadline = self.deadline;
            let over = async move {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                frame = self.source.next() => return frame,
                () = over => return self.source.cut_off(),
                // A lost sender means that the server is gone: the same as a stop.
                _ = closing.wait_for(|stops| *stops), if deadline.is_none() => {
                    self.deadline = Some(Instant::now() + self.source.grace());
                }
                () = tokio::time::sleep(silence) => return Frame::More(COMMENT),
            }
        }
    }
}

/// The response that carries a source's frames. `response` has the status and headers of its own.
pub(super) fn respond(gateway: Data<Gateway>, source: impl Source, mut response: HttpResponseBuilder) -> HttpResponse {
    let line = Line { source, gateway, deadline: None };
    let frames = stream::unfold(Some(line), |line| async move {
        let mut line = line?;
        match line.next().await {
            Frame::More(bytes) => Some((Ok::<_, Infallible>(bytes), Some(line))),
            Frame::Last(bytes) => Some((Ok(bytes), None)),
            Frame::End => None,
        }
    });
    response
        .content_type("text/event-stream")
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(frames)
}

/// One event: its name, its id if it can be resumed from, and one line of data.
pub(super) fn event(name: &str, id: Option<u64>, data: &str) -> Bytes {
    let mut frame = String::with_capacity(data.len() + name.len() + 48);
    if let Some(id) = id {
        // Writing to a string can't fail.
        writeln!(frame, "id: {id}").ok();
    }
    write!(frame, "event: {name}\ndata: {data}\n\n").ok();
    Bytes::from(frame)
}

/// An event whose data is the JSON of a value.
pub(super) fn json_event(name: &str, data: &impl Serialize) -> Bytes {
    event(name, None, &line(data))
}

/// The JSON of a value, in one line.
pub(super) fn line(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_default()
}

/// The last event of a stream that can't go on.
pub(super) fn error_event(problem: &Problem) -> Bytes {
    #[derive(Serialize)]
    struct Error<'a> {
        code: &'a str,
        detail: &'a str,
    }
    json_event("error", &Error { code: problem.code().as_str(), detail: problem.detail() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_lines_and_an_empty_line() {
        assert_eq!(event("event", Some(7), "{}"), "id: 7\nevent: event\ndata: {}\n\n");
        assert_eq!(event("delta", None, "{}"), "event: delta\ndata: {}\n\n");
    }
}
