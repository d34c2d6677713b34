//! The small ledgers: queue, lease, tools, obligations, usage.

use super::field;
use crate::cli::{
    exit::Failure,
    paper::{
        Paper,
        words::{at, clip, grouped, list, number, safe, short, time},
    },
};
use serde_json::Value;

/// Inputs that are not finished.
pub fn queue(paper: Paper, view: &Value) -> Result<(), Failure> {
    let pending = list(view, "pending");
    if pending.is_empty() {
        return paper.line(paper.dim("nothing waits"));
    }
    let rows: Vec<[String; 6]> = pending
        .iter()
        .map(|row| {
            let state = match at(row, "unknown") {
                why if why.is_empty() => at(row, "state"),
                why => format!("{} ({why})", at(row, "state")),
            };
            [
                at(row, "seq"),
                state,
                at(row, "intent").to_lowercase(),
                at(row, "principal"),
                time(&at(row, "queued_at")),
                clip(&safe(&at(row, "text")), 60),
            ]
        })
        .collect();
    paper.table(["PLACE", "STATE", "INTENT", "FROM", "QUEUED (UTC)", "TEXT"], &rows)
}

/// Who may run a turn.
pub fn lease(paper: Paper, view: &Value) -> Result<(), Failure> {
    if view["holder"].is_null() {
        paper.line(paper.dim("nobody holds it: no turn runs"))?;
    } else {
        paper.line(format_args!(
            "{}  host run {}",
            paper.dim(format_args!("{:<12}", "held by")),
            at(view, "holder")
        ))?;
    }
    field(paper, "generation", view, "generation")?;
    field(paper, "acquired", view, "acquired_at")?;
    field(paper, "renewed", view, "renewed_at")?;
    field(paper, "life (ms)", view, "ttl_ms")?;
    field(paper, "lost", view, "lost")
}

/// Tool calls.
pub fn tools(paper: Paper, view: &Value) -> Result<(), Failure> {
    let calls = list(view, "calls");
    if calls.is_empty() {
        return paper.line(paper.dim("no tool was asked for"));
    }
    let rows: Vec<[String; 5]> = calls
        .iter()
        .map(|call| {
            [
                time(&at(call, "at")),
                format!("{}/{}", at(call, "message"), at(call, "index")),
                safe(&at(call, "tool")),
                state(&call["state"]),
                clip(&safe(&at(call, "arguments")), 70),
            ]
        })
        .collect();
    paper.table(["WHEN (UTC)", "MESSAGE", "TOOL", "STATE", "ARGUMENTS"], &rows)
}

/// A state that is a word, or a word with details.
fn state(value: &Value) -> String {
    let Some((word, details)) = value.as_object().and_then(|fields| fields.iter().next()) else {
        return value.as_str().unwrap_or_default().to_lowercase();
    };
    let details = match details {
        Value::String(text) => text.clone(),
        other => {
            let parts = [at(other, "outcome"), at(other, "class"), at(other, "why")];
            let mut words: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            if let Some(took) = other.get("duration_ms") {
                words.push(format!("{took} ms"));
            }
            words.join(", ")
        }
    };
    format!("{}: {}", word.to_lowercase(), details.to_lowercase())
}

/// What is owed to the outside.
pub fn obligations(paper: Paper, view: &Value) -> Result<(), Failure> {
    let owed = list(view, "obligations");
    if owed.is_empty() {
        return paper.line(paper.dim("nothing is owed"));
    }
    let rows: Vec<[String; 6]> = owed
        .iter()
        .map(|row| {
            [
                time(&at(row, "created_at")),
                at(row, "kind"),
                state(&row["state"]),
                at(row, "attempts"),
                short(&at(row, "turn")),
                clip(&safe(&at(row, "failure")), 60),
            ]
        })
        .collect();
    paper.table(["SINCE (UTC)", "KIND", "STATE", "ATTEMPTS", "TURN", "LAST FAILURE"], &rows)
}

/// Tokens, as far as the vendors said.
pub fn usage(paper: Paper, view: &Value) -> Result<(), Failure> {
    for (label, key) in [
        ("answers", "answers"),
        ("input", "input_tokens"),
        ("of it cached", "cached_tokens"),
        ("output", "output_tokens"),
    ] {
        let value = grouped(number(view, key));
        paper.line(format_args!("{}  {value:>12}", paper.dim(format_args!("{label:<12}"))))?;
    }
    if number(view, "unknown") > 0 {
        let text =
            format!("for {} answers the vendor named no tokens: they are not in these sums", at(view, "unknown"));
        paper.line(paper.odd(text))?;
    }
    Ok(())
}
