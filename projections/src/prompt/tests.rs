use super::join;
use crate::table::*;
use dispatch_events::{
    Digest, Event, SharedText, Version,
    catalogue::prompt::{PromptBuilt, PromptSource, ToolsetFrozen},
};

fn shared() -> SharedText {
    SharedText { address: Digest::of(SHARED.as_bytes()), length: SHARED.len() as u32 }
}

fn built(context: &str, volatile: &str) -> Event {
    let source = PromptSource { tier: "stable".into(), name: "guidance".into(), digest: Digest::default() };
    PromptBuilt {
        stable: shared(),
        context: context.into(),
        volatile: volatile.into(),
        sources: vec![source],
        digest: Digest::default(),
    }
    .into()
}

#[test]
fn tiers_that_hold_something_are_joined_by_blank_lines() {
    #[rustfmt::skip]
    let table = [
        ("a", "b", "c", "a\n\nb\n\nc"),
        ("a", "",  "c", "a\n\nc"),
        ("a", "b", "",  "a\n\nb"),
        ("",  "",  "c", "c"),
        ("",  "",  "",  ""),
        ("a\n", " ", "c", "a\n\n\n \n\nc"),
    ];
    for (stable, context, volatile, expected) in table {
        assert_eq!(join([stable, "", context, volatile]), expected);
    }
}

#[test]
fn the_prompt_takes_its_stable_tier_from_the_shared_text() {
    let state = given([opened()]);
    assert!(state.prompt.built.is_none() && state.prompt.tools.is_none());
    let state = given([opened(), built("ctx", "date")]);
    let prompt = state.prompt.built.unwrap();
    assert_eq!(prompt.text(), "shared text\n\nctx\n\ndate");
    assert_eq!((prompt.version, prompt.sources.len()), (Version(2), 1));
}

#[test]
fn tools_are_frozen_beside_it_and_the_newest_build_counts() {
    let tools = ToolsetFrozen { schemas: shared(), names: vec!["todo".into(), "memory".into()] };
    let state = given([built("one", ""), tools.into(), built("two", "")]);
    let frozen = state.prompt.tools.unwrap();
    assert_eq!((&*frozen.schemas, frozen.version), (SHARED, Version(2)));
    assert_eq!(frozen.names, ["todo", "memory"]);
    assert_eq!(state.prompt.built.unwrap().context, "two");
}
