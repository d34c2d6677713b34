//! The exact requests.

use crate::cli::{
    exit::Failure,
    paper::{
        Paper,
        words::{at, grouped, list, safe},
    },
};
use serde_json::Value;

/// Each request with the digest of its body, then the body as it was sent. Only control characters are shown as
/// `U+FFFD`; the JSON form has every byte.
pub fn show(paper: Paper, view: &Value) -> Result<(), Failure> {
    let requests = list(view, "requests");
    if requests.is_empty() {
        return paper.line(paper.dim("nothing was sent yet"));
    }
    for (index, request) in requests.iter().enumerate() {
        if index > 0 {
            paper.line("")?;
        }
        let body = at(request, "body");
        let title = format!("request {} ({}, attempt {})", index + 1, at(request, "purpose"), at(request, "attempt"));
        paper.line(format_args!(
            "{}  {}",
            paper.bold(title),
            paper.dim(format_args!("version {}, turn {}", at(request, "version"), at(request, "turn")))
        ))?;
        let dialect = [at(request, "dialect"), at(request, "dialect_version")].join(" ");
        let length = grouped(body.len() as u64);
        paper.line(format_args!(
            "dialect  {}, {} at {}",
            dialect.trim_end(),
            at(request, "model"),
            at(request, "profile")
        ))?;
        paper.line(format_args!("sha256   {}  ({length} bytes)", at(request, "body_sha256")))?;
        let extends = match (index, &request["extends_previous"]) {
            (0, _) => paper.dim("the first of its session"),
            (_, Value::Bool(true)) => paper.good("repeats all of the request before it, byte for byte"),
            _ => paper.odd("does not extend the request before it: `dispatch audit prefix` says why"),
        };
        paper.line(format_args!("prefix   {extends}"))?;
        match request["proven"].as_bool() {
            Some(true) => paper.line(format_args!("proof    {}", paper.good("the recorded digests agree")))?,
            Some(false) => paper.line(format_args!(
                "proof    {}",
                paper.bad("the recorded digests do NOT agree: these are not the bytes that were sent")
            ))?,
            None => {}
        }
        paper.line(safe(&body))?;
    }
    Ok(())
}
