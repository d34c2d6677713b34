//! The frozen system prompt and tools.

use super::field;
use crate::cli::{
    exit::Failure,
    paper::{
        Paper,
        words::{at, list, safe},
    },
};
use serde_json::Value;

/// Tier by tier, then the tools.
pub fn show(paper: Paper, view: &Value) -> Result<(), Failure> {
    if view["system"].is_null() {
        return paper.line(paper.dim("no prompt was built yet: the first turn builds it"));
    }
    field(paper, "version", view, "version")?;
    field(paper, "digest", view, "digest")?;
    for tier in list(view, "tiers") {
        let text = at(tier, "text");
        if !text.trim().is_empty() {
            paper.line("")?;
            paper.line(paper.bold(format_args!("{} tier", at(tier, "tier"))))?;
            paper.line(safe(text.trim_end()))?;
        }
    }
    let tools: Vec<&str> = list(view, "tools").iter().filter_map(Value::as_str).collect();
    paper.line("")?;
    paper.line(format_args!(
        "{}  {}",
        paper.bold("tools"),
        if tools.is_empty() { "none".into() } else { tools.join(", ") }
    ))
}
