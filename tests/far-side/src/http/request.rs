//! One request as it arrived, and what became of its answer.

use std::fmt;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::watch;

/// How long [`Request::finished`] waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request, kept to the last byte.
pub struct Request {
    /// The method, as sent.
    pub method: String,
    /// The path with its query, as sent.
    pub path: String,
    /// The headers in the order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body without its transfer encoding; the bytes are otherwise untouched.
    pub body: Bytes,
    /// When the last byte of the body had arrived.
    pub arrived: Instant,
    /// Set once, when the answer is over.
    outcome: watch::Sender<Option<Outcome>>,
}

/// How the answer to a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// From the arrival of the whole request to the first byte of the answer; none if nothing was written.
    pub first_byte: Option<Duration>,
    /// From the arrival of the whole request to the last byte written: what a benchmark subtracts.
    pub busy: Duration,
    /// How it ended.
    pub ended: Ended,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every step of the script was carried out.
    Whole,
    /// The script cut the connection.
    Cut,
    /// The client went away before the script was over.
    HungUp,
}

impl Request {
    pub(crate) fn new(method: String, path: String, headers: Vec<(String, String)>, body: Bytes) -> Self {
        Self { method, path, headers, body, arrived: Instant::now(), outcome: watch::Sender::new(None) }
    }

    /// The first header of this name; the name is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path without its query.
    pub fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// The body as text.
    ///
    /// # Panics
    /// If the body is not UTF-8.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_else(|why| panic!("the body of {self:?} is not UTF-8: {why}"))
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If the body is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|why| panic!("the body of {self:?} is not JSON: {why}"))
    }

    /// Waits until the answer is over, at most 20 s. A client may hold the whole answer a moment before the server has
    /// taken note of that, so a test that looks at an outcome waits for it.
    ///
    /// # Panics
    /// If it is not over by then.
    pub async fn finished(&self) -> Outcome {
        let mut outcome = self.outcome.subscribe();
        let waited = tokio::time::timeout(PATIENCE, outcome.wait_for(Option::is_some)).await;
        let ended = waited.ok().and_then(Result::ok).and_then(|outcome| *outcome);
        ended.unwrap_or_else(|| panic!("the answer to {self:?} is not over after {PATIENCE:?}"))
    }

    /// How the answer went; none while it is still under way.
    pub fn outcome(&self) -> Option<Outcome> {
        *self.outcome.borrow()
    }

    /// When the answer was over; none while it is still under way.
    pub fn ended_at(&self) -> Option<Instant> {
        self.outcome().map(|outcome| self.arrived + outcome.busy)
    }

    pub(crate) fn settle(&self, outcome: Outcome) {
        self.outcome.send_replace(Some(outcome));
    }

    /// Whether the client wants the connection closed after the answer.
    pub(crate) fn wants_close(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({} bytes)", self.method, self.path, self.body.len())
    }
}
