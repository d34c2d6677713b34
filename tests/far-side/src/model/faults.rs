//! Answers that are no completion.

use serde_json::{Value, json};

use super::answer::Answer;
use super::content::Content;

/// An error in the vendor's shape.
pub(super) fn error_body(code: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": code, "param": null, "code": code}})
}

impl Answer {
    /// A whole answer with this status and body, for anything that the other constructors do not say.
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::of(Content::Whole { status, headers: Vec::new(), body: body.into() })
    }

    /// Adds a header to a whole answer. The content type is JSON unless it is given here.
    ///
    /// # Panics
    /// If the answer is a stream.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.content {
            Content::Whole { headers, .. } => headers.push((name.into(), value.into())),
            other => panic!("only a whole answer takes headers, and this one is {other:?}"),
        }
        self
    }

    /// An error in OpenAI's shape.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::status(status, error_body(code, message).to_string())
    }

    /// 429 with a `Retry-After` of this text: seconds or an HTTP date.
    pub fn rate_limited(retry_after: &str) -> Self {
        Self::error(429, "rate_limit_exceeded", "Rate limit reached for requests. Please try again later.")
            .header("retry-after", retry_after)
    }

    /// 429 that no waiting clears.
    pub fn quota_used_up() -> Self {
        Self::error(
            429,
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        )
    }

    /// 400 with the text that names the window.
    pub fn context_too_long(window: u64, asked: u64) -> Self {
        let text = format!(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {asked} tokens. \
             Please reduce the length of the messages."
        );
        Self::error(400, "context_length_exceeded", &text)
    }

    /// A web page where JSON belongs, as proxies send it: with 502, or with 200.
    pub fn html(status: u16) -> Self {
        Self::status(
            status,
            "<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n",
        )
        .header("content-type", "text/html; charset=utf-8")
    }
}
