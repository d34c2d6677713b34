//! `dispatch sessions show`.

use crate::cli::{
    context::Context,
    exit::{Exit, Failure},
    paper::{
        Paper,
        words::{at, grouped, list, number, safe, time},
    },
};
use clap::Args;
use serde_json::Value;

/// Show a session in a few lines
#[derive(Debug, Args)]
pub struct Show {
    /// Session, by name or id
    session: String,
}

impl Show {
    /// Shows it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let door = context.door("sessions show").await?;
        let summary = door.summary(&self.session).await;
        door.close().await;
        let summary = summary?;
        if context.paper.json {
            context.paper.document(&summary)?
        } else {
            header(context.paper, &summary)?
        }
        Ok(Exit::Done)
    }
}

/// A session in a few aligned lines; also the head of a replay.
pub fn header(paper: Paper, summary: &Value) -> Result<(), Failure> {
    let status = match at(summary, "status").as_str() {
        "paused" => paper.bad("paused: an outcome is unknown; `dispatch sessions reconcile` settles it"),
        "running" => paper.good("running"),
        other => other.to_owned(),
    };
    let rows = [
        ("session", paper.bold(safe(&at(summary, "name")))),
        ("id", at(summary, "id")),
        ("status", status),
        ("opened", format!("{} UTC, from {}", time(&at(summary, "opened_at")), at(summary, "source"))),
        ("last event", format!("{} UTC", time(&at(summary, "updated_at")))),
        ("version", format!("{}, revision {}", at(summary, "version"), at(summary, "revision"))),
        ("turns", format!("{}, {} waiting", at(summary, "turns"), at(summary, "pending"))),
        (
            "model",
            format!("{} ({} calls, {})", or_none(&at(summary, "profile")), at(summary, "model_calls"), tokens(summary)),
        ),
    ];
    for (label, value) in rows {
        paper.line(format_args!("{}  {value}", paper.dim(format_args!("{label:<10}"))))?;
    }
    for problem in list(summary, "problems") {
        paper.line(paper.bad(format_args!("problem     {}", problem.as_str().unwrap_or_default())))?;
    }
    if number(summary, "skipped_events") > 0 {
        let text = format!("{} events of another release were skipped", at(summary, "skipped_events"));
        paper.line(paper.odd(format_args!("note        {text}")))?;
    }
    Ok(())
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none yet" } else { text }
}

/// Tokens, as far as the vendors said: what they did not say is unknown, and never zero.
fn tokens(summary: &Value) -> String {
    let (input, output) = (number(summary, "input_tokens"), number(summary, "output_tokens"));
    let sums = format!("{} in, {} out", grouped(input), grouped(output));
    match number(summary, "unknown_usage") {
        0 => sums,
        _ if input == 0 && output == 0 => "tokens unknown: the vendor named none".to_owned(),
        answers => format!("{sums} and what {} answers did not name", grouped(answers)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tokens_that_nobody_named_are_not_zero() {
        let said = |input: u64, output: u64, unknown: u64| {
            tokens(&json!({"input_tokens": input, "output_tokens": output, "unknown_usage": unknown}))
        };
        assert_eq!(said(0, 0, 0), "0 in, 0 out");
        assert_eq!(said(1200, 30, 0), "1,200 in, 30 out");
        assert_eq!(said(0, 0, 2), "tokens unknown: the vendor named none");
        assert_eq!(said(7, 2, 3), "7 in, 2 out and what 3 answers did not name");
    }
}
