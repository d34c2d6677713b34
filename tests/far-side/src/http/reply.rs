//! What the server does with one request: a head, and the steps of the body.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

/// One thing to do while answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bytes of the body. They are collected and leave at the next flush, pause, cut or at the end.
    Send(Bytes),
    /// Write what was collected, as one write.
    Flush,
    /// Write what was collected, then wait.
    Pause(Duration),
    /// Write what was collected, then close the connection although the body is not over.
    Cut,
}

/// How the client learns where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length` is the sum of all bytes in the steps, also of those behind a cut.
    Length,
    /// `Transfer-Encoding: chunked`; each [`Step::Send`] is one chunk.
    Chunked,
    /// No head at all: the steps hold the whole response, and the connection closes behind it.
    Raw,
}

/// An answer, ready to be played.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Headers besides the ones that the framing needs.
    pub headers: Vec<(String, String)>,
    /// How the body is framed.
    pub framing: Framing,
    /// The wait before the first byte of the head.
    pub before_headers: Duration,
    /// The body.
    pub steps: Vec<Step>,
}

impl Reply {
    /// A whole body with its length.
    pub fn whole(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            framing: Framing::Length,
            before_headers: Duration::ZERO,
            steps: vec![Step::Send(body.into())],
        }
    }

    /// A JSON body.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::whole(status, "application/json", body.to_string())
    }

    /// A stream of server-sent events, in chunks.
    pub fn events(steps: Vec<Step>) -> Self {
        let headers = [("content-type", "text/event-stream"), ("cache-control", "no-cache")];
        Self {
            status: 200,
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            framing: Framing::Chunked,
            before_headers: Duration::ZERO,
            steps,
        }
    }

    /// The head as it goes over the wire; empty with [`Framing::Raw`].
    pub(super) fn head(&self) -> Vec<u8> {
        let framing = match self.framing {
            Framing::Raw => return Vec::new(),
            Framing::Chunked => "transfer-encoding: chunked".to_owned(),
            Framing::Length => format!("content-length: {}", self.body_bytes()),
        };
        let mut head = format!("HTTP/1.1 {} {}\r\n{framing}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn body_bytes(&self) -> usize {
        self.steps.iter().map(|step| if let Step::Send(bytes) = step { bytes.len() } else { 0 }).sum()
    }
}

/// The reason phrase. Clients ignore it; a person who reads a capture does not.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
