//! One scripted answer of the memory backend.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::http::{Reply, Step};

/// What the backend answers, and when.
#[derive(Clone, Debug)]
pub struct MemoryAnswer {
    status: u16,
    body: Bytes,
    delay: Duration,
    cut: bool,
}

impl MemoryAnswer {
    /// Found memories with their scores, best first. Their ids are `m1`, `m2`, and so on.
    pub fn results<T: Into<String>>(found: impl IntoIterator<Item = (T, f64)>) -> Self {
        let results: Vec<Value> = found
            .into_iter()
            .enumerate()
            .map(|(at, (memory, score))| json!({"id": format!("m{}", at + 1), "memory": memory.into(), "score": score}))
            .collect();
        Self::json(200, &json!({ "results": results }))
    }

    /// A search that finds nothing.
    pub fn nothing() -> Self {
        Self::json(200, &json!({"results": []}))
    }

    /// Any JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::raw(status, body.to_string())
    }

    /// Any bytes; the content type is JSON all the same.
    pub fn raw(status: u16, body: impl Into<Bytes>) -> Self {
        Self { status, body: body.into(), delay: Duration::ZERO, cut: false }
    }

    /// An error in the form of the framework that mem0 is served with.
    pub fn error(status: u16, detail: &str) -> Self {
        Self::json(status, &json!({ "detail": detail }))
    }

    /// Waits before the first byte of the answer.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Closes the connection in the middle of the body, after the request has been taken in: the client cannot know
    /// whether it was carried out.
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    pub(super) fn into_reply(self) -> Reply {
        let mut reply = Reply::whole(self.status, "application/json", self.body);
        reply.before_headers = self.delay;
        if self.cut
            && let Some(Step::Send(first)) = reply.steps.first_mut()
        {
            let rest = first.split_off(first.len() / 2);
            reply.steps.extend([Step::Cut, Step::Send(rest)]);
        }
        reply
    }
}
