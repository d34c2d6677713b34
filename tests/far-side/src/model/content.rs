//! What an answer says, before anything is known about how it travels.

use super::call::Call;

/// The tokens that an answer reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub prompt_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub completion_tokens: u64,
    /// The part of the request that the vendor's cache had.
    pub cached_tokens: u64,
    /// The part of the answer that was reasoning.
    pub reasoning_tokens: u64,
}

/// When a stream reports usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageChunks {
    /// In one chunk without choices before the end, if the request has `stream_options.include_usage`.
    #[default]
    AsAsked,
    /// In that chunk, asked or not.
    Always,
    /// Nowhere, asked or not.
    Never,
    /// In every chunk, growing.
    EveryChunk,
}

/// What goes into the body.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A completion, streamed or whole as the request asks.
    Completion(Completion),
    /// `data` lines of a stream, as they stand.
    Frames(Vec<String>),
    /// Bytes of a stream, as they stand, each a write of its own.
    RawStream(Vec<Vec<u8>>),
    /// Bytes of the whole response with its head, each a write of its own.
    RawResponse(Vec<Vec<u8>>),
    /// A whole body.
    Whole { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
}

/// A completion.
#[derive(Clone, Debug, Default)]
pub(super) struct Completion {
    pub(super) reasoning: Vec<String>,
    pub(super) text: Vec<String>,
    pub(super) refusal: Option<String>,
    pub(super) calls: Vec<Call>,
    /// Fragments of all calls in turn, instead of one call after the other.
    pub(super) interleaved: bool,
    /// Without it: `tool_calls` if there are calls, else `stop`.
    pub(super) finish: Option<String>,
    /// Without it, an estimate from the sizes.
    pub(super) usage: Option<Usage>,
    pub(super) usage_chunks: UsageChunks,
}

impl Completion {
    pub(super) fn finish_reason(&self) -> &str {
        let natural = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        self.finish.as_deref().unwrap_or(natural)
    }

    /// The usage that was scripted, or four bytes to a token, the usual rule of thumb.
    pub(super) fn usage(&self, request_bytes: usize) -> Usage {
        let said = self.reasoning.iter().chain(&self.text).map(String::len).sum::<usize>()
            + self.calls.iter().map(|call| call.name.len() + call.arguments().len()).sum::<usize>();
        self.usage.unwrap_or(Usage {
            prompt_tokens: request_bytes.div_ceil(4) as u64,
            completion_tokens: said.div_ceil(4) as u64,
            cached_tokens: 0,
            reasoning_tokens: self.reasoning.iter().map(String::len).sum::<usize>().div_ceil(4) as u64,
        })
    }
}
