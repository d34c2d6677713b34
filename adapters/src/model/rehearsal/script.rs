//! What the scripted model does next.

use super::{
    recalled::{about, entries, unframed},
    request::{Message, Request},
};
use dispatch_events::{RawJson, catalogue::message::ToolCall};
use serde_json::{Value, json};

/// Longest tool result that an answer repeats, in characters.
const RESULT_CHARS: usize = 600;

/// A move.
#[derive(Debug, PartialEq)]
pub enum Move {
    /// Call a tool.
    Call(ToolCall),
    /// Answer.
    Say(String),
}

/// The next move.
pub fn next(request: &Request) -> Move {
    match request.messages.last() {
        Some(last) if last.role == "tool" => Move::Say(results(request)),
        Some(last) if last.role == "user" => reply(request, last),
        _ => Move::Say("There is nothing to answer yet.".into()),
    }
}

fn reply(request: &Request, message: &Message) -> Move {
    let (question, facts) = unframed(message.content.as_deref().unwrap_or_default());
    if let Some((tool, arguments)) = wanted(&question) {
        if !request.tools.iter().any(|name| name == tool) {
            return Move::Say(format!("That needs the tool `{tool}`, which this session does not have."));
        }
        // The place in the conversation makes the id unique in it and the same at every repeat.
        let id = format!("call_rehearsal_{}", request.messages.len());
        return Move::Call(ToolCall { id, tool: tool.to_owned(), arguments: RawJson(arguments.to_string()) });
    }
    let known = about(&question, &facts, &entries(&request.system));
    let heard = format!("You said: {question}");
    if known.is_empty() {
        return Move::Say(format!("{heard}\n\nI recall nothing about that."));
    }
    let list: Vec<String> = known.iter().map(|fact| format!("- {fact}")).collect();
    Move::Say(format!("{heard}\n\nWhat I recall about that:\n{}", list.join("\n")))
}

/// The tool that a message asks for, and its arguments.
fn wanted(question: &str) -> Option<(&'static str, Value)> {
    if let Some(content) = after(question, "remember:") {
        return Some(("memory", json!({"action": "add", "target": "memory", "content": content})));
    }
    if let Some(list) = after(question, "todo:") {
        let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
        let todos: Vec<Value> = (1..)
            .zip(items)
            .map(|(number, item)| json!({"id": number.to_string(), "content": item, "status": "pending"}))
            .collect();
        return Some(("todo", json!({"todos": todos})));
    }
    if let Some(path) = after(question, "read ").filter(|path| !path.contains(char::is_whitespace)) {
        return Some(("read_file", json!({"path": path})));
    }
    if let Some(path) = after(question, "list files in ") {
        return Some(("list_files", json!({"path": path})));
    }
    let bare = question.trim_end_matches(['.', '!', '?']);
    bare.eq_ignore_ascii_case("list files").then(|| ("list_files", json!({"path": "."})))
}

/// What follows a beginning, whatever its case; `None` if nothing does.
fn after<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(beginning.len())?;
    let rest = rest.trim();
    (head.eq_ignore_ascii_case(beginning) && !rest.is_empty()).then_some(rest)
}

/// The results since the model spoke last.
fn results(request: &Request) -> String {
    let trailing = request.messages.iter().rev().take_while(|message| message.role == "tool");
    let mut lines: Vec<String> = trailing
        .map(|message| {
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            let tool = request.tool_of(id).unwrap_or("a tool");
            let output = message.content.as_deref().unwrap_or_default();
            format!("The tool `{tool}` answered:\n{}", shortened(output))
        })
        .collect();
    lines.reverse();
    lines.join("\n\n")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(RESULT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
