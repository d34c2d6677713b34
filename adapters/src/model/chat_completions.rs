//! The dialect of OpenAI's chat completions, version 1, and of the many vendors and servers that speak it.
//!
//! Two halves that share nothing but the vendor's words: a renderer (session to bytes) and parsers (bytes to the normal
//! form, [`stream`] for server-sent events and [`whole`] for one JSON document). Renderer choices, each pinned by a
//! fixture because changed bytes are a new version:
//!
//! - Order is `model`, `tools`, `messages`, then the parameters, so that everything which stays the same stands in front
//!   and a longer conversation extends a shorter one byte for byte. `tools` is left out when there are none: several
//!   servers refuse an empty array.
//! - An assistant message with calls and no text has `"content":null`. That is what the vendor itself writes there;
//!   `""` is refused by servers that turn it into an empty text block, and a missing field by servers whose schema has it
//!   as required. Without calls an empty text stays `""`, because null is allowed beside calls only.
//! - A session without a system prompt has no system message: an empty one is refused by some.
//! - No cache marks anywhere: they would move from message to message, and moving bytes are what breaks a cache.
//! - Reasoning itself is not rendered. What a vendor wants back stands in the message's `extra`, put there by the parser
//!   (see [`replay`]), so the renderer needs no knowledge of vendors.

pub mod answer;
pub mod body;
pub mod bounds;
pub mod calls;
pub mod json_text;
pub mod replay;
pub mod stream;
pub mod text;
pub mod usage;
pub mod whole;
pub mod wire;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod stream_tests;

use bytes::Bytes;
use dispatch_actors::ports::{Dialect, HeadInput};
use dispatch_events::{RawJson, catalogue::message::ToolCall};
use dispatch_projections::replay::WireMessage;
use json_text::{members_text, push_string};

/// Version 1 of the renderer.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChatCompletions;

/// Its name in events and settings.
pub const NAME: &str = "chat_completions";

impl Dialect for ChatCompletions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> u16 {
        1
    }

    fn head(&self, input: HeadInput<'_>) -> String {
        let mut head = String::with_capacity(input.system.len() + input.tools.len() + 128);
        head.push_str("{\"model\":");
        push_string(&mut head, input.model);
        if input.tools.trim() != "[]" {
            head.push_str(",\"tools\":");
            head.push_str(input.tools);
        }
        head.push_str(",\"messages\":[");
        if !input.system.is_empty() {
            head.push_str("{\"role\":\"system\",\"content\":");
            push_string(&mut head, input.system);
            head.push('}');
        }
        head
    }

    fn message(&self, message: &WireMessage) -> String {
        let mut out = String::new();
        match message {
            WireMessage::User { text } => {
                out.push_str("{\"role\":\"user\",\"content\":");
                push_string(&mut out, text);
            }
            WireMessage::Assistant { text, reasoning: _, calls, extra } => {
                push_assistant(&mut out, text, calls, extra.as_ref());
            }
            WireMessage::Tool { call, tool: _, output } => {
                out.push_str("{\"role\":\"tool\",\"tool_call_id\":");
                push_string(&mut out, call);
                out.push_str(",\"content\":");
                push_string(&mut out, output);
            }
        }
        out.push('}');
        out
    }

    fn parameters(&self, stream: bool) -> RawJson {
        // Without `include_usage` a stream never says what it cost.
        let text =
            if stream { r#"{"stream":true,"stream_options":{"include_usage":true}}"# } else { r#"{"stream":false}"# };
        RawJson(text.to_owned())
    }

    fn body(&self, head: &str, fragments: &[&str], parameters: &RawJson) -> Bytes {
        let length = fragments.iter().map(|fragment| fragment.len() + 1).sum::<usize>();
        let mut body = String::with_capacity(head.len() + length + parameters.as_str().len() + 2);
        body.push_str(head);
        let mut first = head.ends_with('[');
        for fragment in fragments {
            if !first {
                body.push(',');
            }
            first = false;
            body.push_str(fragment);
        }
        body.push(']');
        let parameters = members_text(parameters.as_str());
        if !parameters.is_empty() {
            body.push(',');
            body.push_str(parameters);
        }
        body.push('}');
        Bytes::from(body)
    }
}

fn push_assistant(out: &mut String, text: &str, calls: &[ToolCall], extra: Option<&RawJson>) {
    out.push_str("{\"role\":\"assistant\",\"content\":");
    if text.is_empty() && !calls.is_empty() {
        out.push_str("null");
    } else {
        push_string(out, text);
    }
    let extra = extra.map(|extra| replay::split(extra.as_str())).unwrap_or_default();
    if !calls.is_empty() {
        out.push_str(",\"tool_calls\":[");
        for (number, call) in calls.iter().enumerate() {
            if number > 0 {
                out.push(',');
            }
            out.push_str("{\"id\":");
            push_string(out, &call.id);
            out.push_str(",\"type\":\"function\",\"function\":{\"name\":");
            push_string(out, &call.tool);
            out.push_str(",\"arguments\":");
            push_string(out, call.arguments.as_str());
            out.push('}');
            if let Some(beside) = extra.beside_calls.get(number).filter(|beside| !beside.is_empty()) {
                out.push(',');
                out.push_str(beside);
            }
            out.push('}');
        }
        out.push(']');
    }
    if !extra.members.is_empty() {
        out.push(',');
        out.push_str(&extra.members);
    }
}
