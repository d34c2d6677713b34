//! A completion as the chunks of a stream.

use serde_json::{Value, json};

use super::asked::Asked;
use super::content::{Completion, Usage, UsageChunks};

/// The `created` of every answer: a fixed instant, so that two runs of a test see the same bytes.
pub(super) const CREATED: u64 = 1_700_000_000;

/// The frames of a stream by their part in it.
pub(super) struct Frames {
    /// Comes first and is no piece.
    pub(super) opening: Vec<String>,
    pub(super) pieces: Vec<String>,
    /// Finish reason and usage.
    pub(super) closing: Vec<String>,
}

impl Frames {
    /// Frames that stand as they are.
    pub(super) fn verbatim(pieces: Vec<String>) -> Self {
        Self { opening: Vec::new(), pieces, closing: Vec::new() }
    }

    /// The chunks of a completion, as answer number `number`.
    pub(super) fn of(completion: &Completion, asked: &Asked, request_bytes: usize, number: usize) -> Self {
        let total = completion.usage(request_bytes);
        let chunk = Chunk { completion, asked, total, id: format!("chatcmpl-{number}") };
        let deltas = deltas(completion);
        let count = deltas.len();
        let pieces = deltas.into_iter().enumerate().map(|(at, delta)| chunk.piece(delta, None, at, count)).collect();
        let mut closing = vec![chunk.piece(json!({}), Some(completion.finish_reason()), count, count)];
        let asked_for = asked.include_usage && completion.usage_chunks == UsageChunks::AsAsked;
        if asked_for || completion.usage_chunks == UsageChunks::Always {
            closing.push(chunk.frame(json!([]), Some(usage_json(total))));
        }
        let opening = vec![chunk.piece(json!({"role": "assistant", "content": ""}), None, 0, count)];
        Self { opening, pieces, closing }
    }
}

/// What all chunks of one stream share.
struct Chunk<'a> {
    completion: &'a Completion,
    asked: &'a Asked,
    total: Usage,
    id: String,
}

impl Chunk<'_> {
    fn piece(&self, delta: Value, finish: Option<&str>, at: usize, count: usize) -> String {
        let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
        let usage = match self.completion.usage_chunks {
            UsageChunks::EveryChunk => Some(self.so_far(at, count)),
            UsageChunks::Never => None,
            // A vendor that will report usage at the end says null until then.
            UsageChunks::AsAsked | UsageChunks::Always => self.asked.include_usage.then_some(Value::Null),
        };
        self.frame(choices, usage)
    }

    fn so_far(&self, at: usize, count: usize) -> Value {
        let share = if count == 0 { 1 } else { count as u64 };
        let completion_tokens = self.total.completion_tokens * at as u64 / share;
        usage_json(Usage { completion_tokens, ..self.total })
    }

    fn frame(&self, choices: Value, usage: Option<Value>) -> String {
        let mut frame = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": self.asked.model,
            "choices": choices,
        });
        if let Some(usage) = usage {
            frame["usage"] = usage;
        }
        frame.to_string()
    }
}

/// The usage object, in a stream and in a whole answer.
pub(super) fn usage_json(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    })
}

fn deltas(completion: &Completion) -> Vec<Value> {
    let reasoning = completion.reasoning.iter().map(|text| json!({"reasoning_content": text}));
    let text = completion.text.iter().map(|text| json!({"content": text}));
    let refusal = completion.refusal.iter().map(|text| json!({"refusal": text}));
    reasoning.chain(text).chain(refusal).chain(call_deltas(completion)).collect()
}

/// The id, type and name of a call come once, with empty arguments; the fragments carry nothing but the index.
fn call_deltas(completion: &Completion) -> Vec<Value> {
    let mut heads = Vec::new();
    let mut fragments = Vec::new();
    for (index, call) in completion.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        let head = json!({"index": index, "id": call.id, "type": "function", "function": function});
        let own = call.fragments.iter().map(|text| json!({"index": index, "function": {"arguments": text}}));
        let own: Vec<_> = own.map(|fragment| json!({"tool_calls": [fragment]})).collect();
        heads.push(json!({"tool_calls": [head]}));
        fragments.push(own);
    }
    if !completion.interleaved {
        return heads.into_iter().zip(fragments).flat_map(|(head, own)| std::iter::once(head).chain(own)).collect();
    }
    let longest = fragments.iter().map(Vec::len).max().unwrap_or(0);
    let rounds = (0..longest).flat_map(|round| fragments.iter().filter_map(move |own| own.get(round).cloned()));
    heads.into_iter().chain(rounds).collect()
}
