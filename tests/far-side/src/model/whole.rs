//! A completion as one JSON document.

use serde_json::{Value, json};

use super::asked::Asked;
use super::content::{Completion, UsageChunks};
use super::frames::{CREATED, usage_json};

/// The body of an answer that is not streamed.
pub(super) fn body(completion: &Completion, asked: &Asked, request_bytes: usize, number: usize) -> Value {
    let text = completion.text.concat();
    let content = if completion.text.is_empty() { Value::Null } else { Value::String(text) };
    let mut message = json!({"role": "assistant", "content": content, "refusal": completion.refusal});
    if !completion.reasoning.is_empty() {
        message["reasoning_content"] = Value::String(completion.reasoning.concat());
    }
    if !completion.calls.is_empty() {
        message["tool_calls"] = completion
            .calls
            .iter()
            .map(|call| {
                let function = json!({"name": call.name, "arguments": call.arguments()});
                json!({"id": call.id, "type": "function", "function": function})
            })
            .collect();
    }
    let choice = json!({
        "index": 0, "message": message, "logprobs": null, "finish_reason": completion.finish_reason(),
    });
    let mut body = json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": CREATED,
        "model": asked.model,
        "choices": [choice],
    });
    if completion.usage_chunks != UsageChunks::Never {
        body["usage"] = usage_json(completion.usage(request_bytes));
    }
    body
}
