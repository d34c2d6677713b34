//! From when a memory may shape an answer.

use crate::cli::{
    exit::Failure,
    paper::{
        Paper,
        words::{at, clip, list, safe, time},
    },
};
use serde_json::Value;

/// Moment by moment.
pub fn show(paper: Paper, view: &Value) -> Result<(), Failure> {
    let moments = list(view, "moments");
    if moments.is_empty() {
        return paper.line(paper.dim("nothing was remembered yet"));
    }
    let rows: Vec<[String; 5]> = moments
        .iter()
        .map(|moment| {
            let (what, detail) = told(moment);
            [at(moment, "position"), time(&at(moment, "at")), at(moment, "version"), what, clip(&safe(&detail), 110)]
        })
        .collect();
    paper.table(["POSITION", "WHEN (UTC)", "VERSION", "MOMENT", "WHAT"], &rows)
}

fn told(moment: &Value) -> (String, String) {
    let what = at(moment, "what");
    let count = |name: &str| list(moment, name).len();
    let detail = match what.as_str() {
        "noted" => format!(
            "{} by {}: {} added, {} removed; tools see it now, prompts from the next one that is built",
            file(&at(moment, "target")),
            at(moment, "writer"),
            count("added"),
            count("removed")
        ),
        "adopted" => {
            format!("the system prompt took {} entries of MEMORY.md and {} of USER.md", count("memory"), count("user"))
        }
        "recalled" => format!("{} in {} ms: {}", at(moment, "backend"), at(moment, "took_ms"), at(moment, "block")),
        "recall_skipped" => format!("{}: {}", at(moment, "backend"), at(moment, "why")),
        "synced" if moment["possible_duplicate"] == true => "the backend has the turn, possibly twice".to_owned(),
        "synced" => "the backend has the turn".to_owned(),
        "warmed" => "the backend prepared the next recall".to_owned(),
        _ => String::new(),
    };
    (what.replace('_', " "), detail)
}

fn file(target: &str) -> &'static str {
    if target.eq_ignore_ascii_case("user") { "USER.md" } else { "MEMORY.md" }
}
