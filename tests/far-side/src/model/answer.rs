//! The constructors of an answer: what it says.

use std::time::Duration;

use super::call::Call;
use super::content::{Completion, Content, Usage, UsageChunks};
use super::delivery::Delivery;

/// One scripted answer: what it says, and how it travels (the methods in `delivery.rs`).
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) content: Content,
    pub(super) delivery: Delivery,
}

impl Answer {
    pub(super) fn of(content: Content) -> Self {
        Self { content, delivery: Delivery::default() }
    }

    /// A text in one chunk.
    pub fn text(text: impl Into<String>) -> Self {
        Self::chunks([text.into()])
    }

    /// A text in these chunks. None at all is an answer without content.
    pub fn chunks<T: Into<String>>(chunks: impl IntoIterator<Item = T>) -> Self {
        let text = chunks.into_iter().map(Into::into).collect();
        Self::of(Content::Completion(Completion { text, ..Completion::default() }))
    }

    /// Tool calls, without text.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        let calls = calls.into_iter().collect();
        Self::of(Content::Completion(Completion { calls, ..Completion::default() }))
    }

    /// One tool call, without text.
    pub fn call(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::calls([Call::new(id, name, arguments)])
    }

    /// A stream of these `data` lines (each the text of one JSON chunk) and `[DONE]`: for chunks that are odd but legal.
    pub fn frames<T: Into<String>>(frames: impl IntoIterator<Item = T>) -> Self {
        Self::of(Content::Frames(frames.into_iter().map(Into::into).collect()))
    }

    /// An event stream of exactly these bytes, each piece a write of its own. Nothing is added, not even `[DONE]`.
    pub fn raw_stream<T: Into<Vec<u8>>>(pieces: impl IntoIterator<Item = T>) -> Self {
        Self::of(Content::RawStream(pieces.into_iter().map(Into::into).collect()))
    }

    /// A response of exactly these bytes, status line and headers included, after which the connection closes.
    pub fn raw_response<T: Into<Vec<u8>>>(pieces: impl IntoIterator<Item = T>) -> Self {
        Self::of(Content::RawResponse(pieces.into_iter().map(Into::into).collect()))
    }

    fn completion(mut self, change: impl FnOnce(&mut Completion)) -> Self {
        match &mut self.content {
            Content::Completion(completion) => change(completion),
            other => panic!("only a completion has text, calls and usage, and this answer is {other:?}"),
        }
        self
    }

    /// Reasoning in these chunks (`reasoning_content`), before the text.
    pub fn reasoning<T: Into<String>>(self, chunks: impl IntoIterator<Item = T>) -> Self {
        self.completion(|it| it.reasoning = chunks.into_iter().map(Into::into).collect())
    }

    /// Tool calls behind the text.
    pub fn and_calls(self, calls: impl IntoIterator<Item = Call>) -> Self {
        self.completion(|it| it.calls = calls.into_iter().collect())
    }

    /// The model's refusal, which is a field of its own.
    pub fn refusal(self, text: impl Into<String>) -> Self {
        self.completion(|it| it.refusal = Some(text.into()))
    }

    /// Streams the fragments of all calls in turn, instead of one call after the other.
    pub fn interleaved(self) -> Self {
        self.completion(|it| it.interleaved = true)
    }

    /// Another finish reason than the natural one, for example `length`.
    pub fn finish(self, reason: impl Into<String>) -> Self {
        self.completion(|it| it.finish = Some(reason.into()))
    }

    /// The usage to report; without it, it is estimated from the sizes.
    pub fn usage(self, usage: Usage) -> Self {
        self.completion(|it| it.usage = Some(usage))
    }

    /// When the stream reports usage.
    pub fn usage_chunks(self, when: UsageChunks) -> Self {
        self.completion(|it| it.usage_chunks = when)
    }

    /// Waits before the first byte of the head.
    pub fn stall_before_headers(mut self, length: Duration) -> Self {
        self.delivery.before_headers = length;
        self
    }
}
