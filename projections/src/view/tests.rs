//! Each view as JSON text: the names are what scripts rely on (`interface.md`).

use super::{
    LeaseView, MemoryView, ObligationsView, PrefixRow, PrefixView, PromptView, QueueView, SummaryView, ToolsView,
    TranscriptView, ViewName,
};
use crate::{SessionState, table::*};
use dispatch_events::{
    Digest, Event, SharedText, Version,
    catalogue::{
        memory::{MemoryAdopted, MemoryRecalled},
        message::{ApiContent, Piece},
        model::Usage,
        obligation::{ObligationAbandoned, ObligationCreated, ObligationFailed, ObligationKind, ObligationMet},
        prompt::{PromptBuilt, PromptSource, ToolsetFrozen},
        turn::TurnInterrupted,
    },
};
use serde::Serialize;

macro_rules! golden {
    ($name:literal, $view:expr) => {
        check($name, &$view, include_str!(concat!("golden/", $name, ".json")))
    };
}

fn check(name: &str, view: &impl Serialize, expected: &str) {
    let actual = serde_json::to_string_pretty(view).unwrap() + "\n";
    assert!(actual == expected, "view/golden/{name}.json is not what this build gives:\n{actual}");
}

/// Two turns: one answered with the help of a tool, one that waits for its tools; a third input waits.
fn reference() -> SessionState {
    let shared = SharedText { address: Digest::of(SHARED.as_bytes()), length: SHARED.len() as u32 };
    let source = PromptSource { tier: "stable".into(), name: "guidance".into(), digest: Digest::default() };
    let prompt = PromptBuilt {
        stable: shared,
        context: String::new(),
        volatile: "today".into(),
        sources: vec![source],
        digest: Digest::default(),
    };
    let block = "<m>tea</m>";
    let recalled = MemoryRecalled { turn: turn(1), backend: "mem0".into(), block: block.into(), took_ms: 40 };
    let digest = Digest::of(format!("input 1{block}").as_bytes());
    let usage = Some(Usage { input: 100, cached: Some(64), output: 7, reasoning: None });
    let first: Vec<Event> = vec![
        prompt.into(),
        ToolsetFrozen { schemas: shared, names: vec!["todo".into()] }.into(),
        MemoryAdopted { agent: "main".into(), memory: vec![Digest::default()], user: vec![] }.into(),
        recalled.into(),
        said(1, Some(ApiContent::Appended { pieces: vec![Piece::Recalled], digest })),
        requested(1, 1, "h", 0, &["a"]),
        responded(1, 1, usage),
        answered(1, "let me see", &["todo"]),
        tool_requested(1, call(13, 0)),
        tool_started(1, call(13, 0)),
        tool_finished(1, call(13, 0), "a list"),
        requested(1, 2, "h", 1, &["b", "c"]),
        responded(1, 2, None),
        answered(1, "done", &[]),
    ];
    let second = vec![said(2, None), answered(2, "", &["todo", "todo"]), tool_requested(2, call(35, 0))];
    let stopped = vec![TurnInterrupted { turn: turn(2), why: "by me".into() }.into()];
    let claims = all([completed(1, 1), obligations(), vec![queued(2), queued(3)], claimed(2, 2)]);
    given(all([vec![opened(), queued(1)], claimed(1, 1), first, claims, second, stopped]))
}

fn obligations() -> Vec<Event> {
    let created = |number, kind, key: &str| {
        Event::from(ObligationCreated { obligation: obligation(number), kind, key: key.into(), turn: turn(1) })
    };
    let why = "no connection".to_owned();
    vec![
        created(1, ObligationKind::MemorySync, "sync"),
        created(2, ObligationKind::MemoryWarm, "warm"),
        created(3, ObligationKind::MemoryWarm, "again"),
        ObligationFailed { obligation: obligation(1), attempts: 1, why, retry_after_ms: 10 }.into(),
        ObligationMet { obligation: obligation(2), attempts: 1 }.into(),
        ObligationAbandoned { obligation: obligation(3), why: "shutdown".into() }.into(),
    ]
}

#[test]
fn transcript() {
    golden!("transcript", TranscriptView::of(&reference()));
}

#[test]
fn queue() {
    golden!("queue", QueueView::of(&reference()));
}

#[test]
fn lease() {
    golden!("lease", LeaseView::of(&reference()));
}

#[test]
fn prompt() {
    golden!("prompt", PromptView::of(&reference()));
}

#[test]
fn memory() {
    golden!("memory", MemoryView::of(&reference()));
}

#[test]
fn tools() {
    golden!("tools", ToolsView::of(&reference()));
}

#[test]
fn owed() {
    golden!("obligations", ObligationsView::of(&reference()));
}

#[test]
fn usage() {
    golden!("usage", reference().usage);
}

#[test]
fn summary() {
    golden!("summary", SummaryView::of(&reference()));
}

#[test]
fn prefix() {
    let (version, turn, attempt, cause) = (Version(11), turn(1), 1, Some("compaction".to_owned()));
    let row = PrefixRow { version, turn, attempt, extends_previous: false, diverged_at: Some(3), cause, proven: true };
    golden!("prefix", PrefixView { requests: vec![row] });
}

#[test]
fn a_session_without_events_has_every_view() {
    let state = SessionState::default();
    assert_eq!(serde_json::to_string(&TranscriptView::of(&state)).unwrap(), r#"{"messages":[]}"#);
    assert_eq!(serde_json::to_string(&QueueView::of(&state)).unwrap(), r#"{"pending":[],"finished":[]}"#);
    assert_eq!(serde_json::to_string(&ToolsView::of(&state)).unwrap(), r#"{"calls":[]}"#);
    assert_eq!(serde_json::to_string(&MemoryView::of(&state)).unwrap(), r#"{"moments":[]}"#);
    assert_eq!(serde_json::to_string(&ObligationsView::of(&state)).unwrap(), r#"{"obligations":[]}"#);
    assert_eq!(LeaseView::of(&state).holder, None);
    assert_eq!(PromptView::of(&state).system, None);
}

#[test]
fn names_of_views_are_those_of_the_command_line() {
    let names: Vec<_> = ViewName::EVERY.iter().map(|view| view.to_string()).collect();
    let expected = "transcript wire queue lease prompt memory tools obligations usage all";
    assert_eq!(names.join(" "), expected);
    for name in &names {
        assert_eq!(name.parse::<ViewName>().unwrap().as_str(), name);
    }
    let refused = "transkript".parse::<ViewName>().unwrap_err();
    assert_eq!(refused, format!("there is no view `transkript`; the views are {}", names.join(", ")));
}
