//! What a vendor would refuse, and a wire form in which it can be seen.

use bytes::Bytes;
use dispatch_actors::ports::{Dialect, HeadInput};
use dispatch_events::RawJson;
use dispatch_projections::replay::WireMessage;
use serde_json::{Value, json};

/// What a vendor would refuse.
pub fn check(messages: &[Value]) -> Result<(), String> {
    let mut rest = messages.iter();
    let mut last = "";
    while let Some(message) = rest.next() {
        last = message["role"].as_str().unwrap_or_default();
        let text = message["text"].as_str().unwrap_or_default();
        match last {
            "user" if text.trim().is_empty() => return Err("an empty user message".into()),
            "user" => {}
            "assistant" => {
                let calls = message["calls"].as_array().cloned().unwrap_or_default();
                if calls.is_empty() && text.is_empty() {
                    return Err("an empty assistant message".into());
                }
                for call in &calls {
                    let id = call["id"].as_str().unwrap_or_default();
                    let result = rest.next().ok_or(format!("call {id} has no result"))?;
                    if id.is_empty() || result["role"] != "tool" || result["id"] != call["id"] {
                        return Err(format!("the result of call `{id}` does not stand behind it: {result}"));
                    }
                    if result["output"].as_str().unwrap_or_default().is_empty() {
                        return Err(format!("the result of call `{id}` is empty"));
                    }
                    last = "tool";
                }
            }
            other => return Err(format!("an orphan of role `{other}`: {message}")),
        }
    }
    if last == "user" || last == "tool" { Ok(()) } else { Err(format!("the last message is of role `{last}`")) }
}

/// One message in a line.
pub struct JsonLines;

impl Dialect for JsonLines {
    fn name(&self) -> &'static str {
        "json_lines"
    }
    fn version(&self) -> u16 {
        1
    }
    fn head(&self, input: HeadInput<'_>) -> String {
        json!({"model": input.model, "tools": input.tools, "system": input.system}).to_string()
    }
    fn message(&self, message: &WireMessage) -> String {
        match message {
            WireMessage::User { text } => json!({"role": "user", "text": text}),
            WireMessage::Assistant { text, calls, .. } => {
                let calls: Vec<_> = calls
                    .iter()
                    .map(|call| json!({"id": call.id, "tool": call.tool, "arguments": call.arguments.0}))
                    .collect();
                json!({"role": "assistant", "text": text, "calls": calls})
            }
            WireMessage::Tool { call, tool, output } => {
                json!({"role": "tool", "id": call, "tool": tool, "output": output})
            }
        }
        .to_string()
    }
    fn parameters(&self, stream: bool) -> RawJson {
        RawJson(format!("{{\"stream\":{stream}}}"))
    }
    fn body(&self, head: &str, fragments: &[&str], parameters: &RawJson) -> Bytes {
        format!("{head}\n{}\n{}", fragments.join("\n"), parameters.0).into()
    }
}
