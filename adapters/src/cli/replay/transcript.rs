//! What was said.

use crate::cli::{
    exit::Failure,
    paper::{
        Paper,
        words::{at, clip, list, safe, time},
    },
};
use serde_json::Value;

/// Lines of a tool's output that a person is shown; all of it is in the JSON form.
const TOOL_LINES: usize = 12;

/// The messages, with who said them and when.
pub fn show(paper: Paper, view: &Value) -> Result<(), Failure> {
    let messages = list(view, "messages");
    if messages.is_empty() {
        return paper.line(paper.dim("nothing was said yet"));
    }
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            paper.line("")?;
        }
        one(paper, message)?;
    }
    Ok(())
}

fn one(paper: Paper, message: &Value) -> Result<(), Failure> {
    let role = at(message, "role");
    let who = match role.as_str() {
        "user" => paper.name(paper.bold("user")),
        "assistant" => paper.good(paper.bold("assistant")),
        "tool" => {
            paper.odd(format_args!("tool {} ({})", safe(&at(message, "tool")), at(message, "outcome").to_lowercase()))
        }
        other => paper.bad(other),
    };
    let mut notes = format!("version {}, {} UTC", at(message, "version"), time(&at(message, "at")));
    if message["has_api_content"] == true {
        notes.push_str(", sent with more than this (--view wire)");
    }
    if message["partial"] == true {
        notes.push_str(", stopped here");
    }
    paper.line(format_args!("{who}  {}", paper.dim(notes)))?;
    let content = safe(&at(message, "content"));
    if role == "tool" {
        let lines: Vec<&str> = content.lines().collect();
        for line in lines.iter().take(TOOL_LINES) {
            paper.line(paper.dim(format_args!("  {}", clip(line, 160))))?;
        }
        if lines.len() > TOOL_LINES {
            paper.line(paper.dim(format_args!("  … {} more lines", lines.len() - TOOL_LINES)))?;
        }
    } else if !content.is_empty() {
        paper.line(content.trim_end())?;
    }
    for call in list(message, "calls") {
        let text = format!("→ {} {}", at(call, "tool"), clip(&at(call, "arguments"), 120));
        paper.line(paper.odd(safe(&text)))?;
    }
    Ok(())
}
