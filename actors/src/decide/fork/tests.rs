use super::*;
use crate::decide::table::*;
use dispatch_events::{StreamId, catalogue::session::ForkPoint};

fn child() -> StreamId {
    StreamId::from_bytes([0xBB; 16])
}

fn of_depth(depth: u32) -> SessionState {
    let mut state = given([opened(), queued(1)]);
    let from = ForkPoint { stream: state.stream, version: Version(1) };
    state.family.inherited = (depth > 0).then_some(Inherited { from, depth });
    state
}

#[test]
fn where_a_session_may_be_forked() {
    for (depth, at, expected) in [
        (0, None, Some(2)),
        (0, Some(1), Some(1)),
        (0, Some(2), Some(2)),
        (0, Some(0), None),
        (0, Some(3), None),
        (15, None, Some(2)),
        // Behind sixteen others a fork holds itself what it inherits; there is no limit.
        (16, None, Some(2)),
        (40, Some(1), Some(1)),
    ] {
        let found = branch(&of_depth(depth), at.map(Version));
        assert_eq!(found.as_ref().ok().copied(), expected.map(Version), "depth {depth} at {at:?}: {found:?}");
    }
    let words = branch(&of_depth(0), Some(Version(3))).unwrap_err().to_string();
    assert!(words.contains("last one is 2"), "{words}");
}

#[test]
fn a_fork_begins_with_its_place_and_its_depth() {
    let state = SessionState::forked(of_depth(3), child());
    let origin = state.family.inherited.unwrap();
    let facts = ForkFacts { name: "f", source: "cli", agent: "main", profile: None };
    let events = begin(&state, origin, facts);
    let [Event::SessionOpened(opened), Event::SessionForked(forked)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((opened.parent, opened.name.as_str(), opened.system.as_deref()), (Some(forked.from), "f", None));
    assert_eq!((forked.depth, forked.from.version), (4, Version(2)));
    assert_eq!((&forked.profile, &forked.unfinished, &forked.dropped), (&None, &None, &None));
}
