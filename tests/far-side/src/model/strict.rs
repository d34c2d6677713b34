//! STRICT: what a careful vendor refuses.
//!
//! - The body is valid UTF-8 and JSON, with at least one message.
//! - Each call has an id and a name, and no two calls of one message share an id.
//! - Each tool result answers a call of the assistant message just before it (other results may stand between).
//! - Each call has exactly one result, before the next message that is no result and before the end.

use serde::Deserialize;
use serde_json::Value;

/// Why a body is refused. Indexes are those of the `messages` array.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("the body is not valid UTF-8: {0}")]
    NotText(String),
    #[error("the body is not a chat completion request: {0}")]
    NotARequest(String),
    #[error("there are no messages")]
    Empty,
    #[error("messages[{0}] has a role that nobody knows: {1:?}")]
    UnknownRole(usize, String),
    #[error("messages[{0}] has an empty id")]
    EmptyId(usize),
    #[error("messages[{0}] has a call without a name")]
    NoName(usize),
    #[error("messages[{0}] has two calls with the id {1:?}")]
    SameId(usize, String),
    #[error("messages[{0}] answers {1:?}, which is no call of the assistant message just before it")]
    StrayResult(usize, String),
    #[error("messages[{0}] answers {1:?} a second time")]
    SecondResult(usize, String),
    #[error("messages[{0}] comes before the calls {1:?} have their results")]
    Unanswered(usize, Vec<String>),
}

#[derive(Deserialize)]
struct Body {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCall>>,
    #[serde(default)]
    tool_call_id: Option<String>,
    /// Read so that a body with the wrong type in it is refused; its text does not matter here.
    #[serde(default, rename = "content")]
    _content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(#[allow(dead_code, reason = "only its type is checked")] String),
    Parts(#[allow(dead_code, reason = "only its type is checked")] Vec<Value>),
}

#[derive(Deserialize)]
struct ToolCall {
    #[serde(default)]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    name: String,
    /// Arguments are text, never an object.
    #[serde(rename = "arguments")]
    _arguments: String,
}

/// The calls of the newest assistant message, and which of them have their result.
#[derive(Default)]
struct Open {
    calls: Vec<(String, bool)>,
}

impl Open {
    fn settle(&mut self, at: usize, id: String) -> Result<(), Refused> {
        match self.calls.iter_mut().find(|(call, _)| *call == id) {
            None => Err(Refused::StrayResult(at, id)),
            Some((_, answered)) if *answered => Err(Refused::SecondResult(at, id)),
            Some((_, answered)) => {
                *answered = true;
                Ok(())
            }
        }
    }

    fn close(&mut self, at: usize) -> Result<(), Refused> {
        let calls = std::mem::take(&mut self.calls);
        let missing: Vec<_> = calls.into_iter().filter(|(_, answered)| !answered).map(|(id, _)| id).collect();
        if missing.is_empty() { Ok(()) } else { Err(Refused::Unanswered(at, missing)) }
    }
}

/// Checks a request body.
pub(super) fn check(body: &[u8]) -> Result<(), Refused> {
    let text = std::str::from_utf8(body).map_err(|why| Refused::NotText(why.to_string()))?;
    let body: Body = serde_json::from_str(text).map_err(|why| Refused::NotARequest(why.to_string()))?;
    if body.messages.is_empty() {
        return Err(Refused::Empty);
    }
    let count = body.messages.len();
    let mut open = Open::default();
    for (at, message) in body.messages.into_iter().enumerate() {
        if message.role == "tool" {
            let id = message.tool_call_id.filter(|id| !id.is_empty()).ok_or(Refused::EmptyId(at))?;
            open.settle(at, id)?;
            continue;
        }
        open.close(at)?;
        match message.role.as_str() {
            "assistant" => open.calls = calls(at, message.tool_calls.unwrap_or_default())?,
            "system" | "developer" | "user" => {}
            _ => return Err(Refused::UnknownRole(at, message.role)),
        }
    }
    open.close(count)
}

fn calls(at: usize, calls: Vec<ToolCall>) -> Result<Vec<(String, bool)>, Refused> {
    let mut open: Vec<(String, bool)> = Vec::new();
    for call in calls {
        if call.id.is_empty() {
            return Err(Refused::EmptyId(at));
        }
        if call.function.name.is_empty() {
            return Err(Refused::NoName(at));
        }
        if open.iter().any(|(known, _)| *known == call.id) {
            return Err(Refused::SameId(at, call.id));
        }
        open.push((call.id, false));
    }
    Ok(open)
}

#[cfg(test)]
#[path = "strict_tests.rs"]
mod tests;
