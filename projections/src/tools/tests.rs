use super::{CallState, OUTPUT_KEPT};
use crate::{SessionState, table::*, view::UnknownsView};
use dispatch_events::{
    Digest, Event,
    catalogue::{
        input::InputUnknown,
        tool::{
            ApprovalScope, CallRef, EffectClass, EffectDisposition, ToolApprovalAsked, ToolApprovalGiven, ToolOutcome,
            ToolProgressed, ToolUnknown,
        },
    },
};

fn unknown(number: u8, call: CallRef) -> Event {
    ToolUnknown { turn: turn(number), call, why: "the host stopped".into() }.into()
}

fn open(state: &SessionState, number: u8) -> Vec<CallRef> {
    state.tools.open(turn(number)).map(|call| call.call).collect()
}

#[test]
fn a_call_from_its_request_to_its_result() {
    let at = call(1, 0);
    let mut state = given([answered(1, "", &["todo"]), tool_requested(1, at)]);
    let finished = CallState::Finished { outcome: ToolOutcome::Ok, effect: EffectDisposition::Done, duration_ms: 12 };
    let steps = [
        (tool_started(1, at), CallState::Started { class: EffectClass::Effect }, true),
        (unknown(1, at), CallState::Unknown { why: "the host stopped".into() }, true),
        (tool_finished(1, at, "done"), finished.clone(), false),
        (tool_started(1, at), finished.clone(), false),
        (unknown(1, at), finished.clone(), false),
        (tool_finished(1, at, "again"), finished, false),
    ];
    assert_eq!(state.tools.get(at).unwrap().state, CallState::Requested);
    for (event, expected, is_open) in steps {
        let name = event.name();
        then(&mut state, event);
        assert_eq!(state.tools.get(at).unwrap().state, expected, "after {name}");
        assert_eq!(!open(&state, 1).is_empty(), is_open, "after {name}");
    }
}

#[test]
fn open_calls_in_every_order_of_results() {
    let (a, b, c) = (call(1, 0), call(1, 1), call(1, 2));
    let asked =
        vec![answered(1, "", &["x", "y", "z"]), tool_requested(1, a), tool_requested(1, b), tool_requested(1, c)];
    #[rustfmt::skip]
    let table = [
        (vec![],        vec![a, b, c]),
        (vec![a],       vec![b, c]),
        (vec![c],       vec![a, b]),
        (vec![b],       vec![a, c]),
        (vec![c, a],    vec![b]),
        (vec![c, b, a], vec![]),
    ];
    for (finished, expected) in table {
        let done = finished.iter().map(|call| tool_finished(1, *call, "")).collect();
        assert_eq!(open(&given(all([asked.clone(), done])), 1), expected, "{finished:?}");
    }
}

#[test]
fn a_call_that_an_older_turn_left_open_stays_that_turns() {
    let (old, new) = (call(1, 0), call(4, 0));
    let mut state = given([
        answered(1, "", &["x"]),
        tool_requested(1, old),
        unknown(1, old),
        answered(2, "", &["y"]),
        tool_requested(2, new),
    ]);
    assert_eq!((open(&state, 1), open(&state, 2)), (vec![old], vec![new]));
    then(&mut state, tool_finished(2, new, ""));
    assert_eq!((open(&state, 1), open(&state, 2)), (vec![old], vec![]));
    then(&mut state, tool_finished(1, old, ""));
    assert_eq!((open(&state, 1), open(&state, 2)), (vec![], vec![]));
}

#[test]
fn calls_stand_in_order_and_unasked_ones_are_nothing() {
    let (a, b) = (call(1, 0), call(1, 1));
    let state = given([
        answered(1, "", &["x", "y"]),
        tool_requested(1, b),
        tool_requested(1, a),
        tool_started(1, call(9, 0)),
        tool_finished(1, call(9, 1), ""),
    ]);
    assert_eq!(state.tools.iter().map(|call| call.call).collect::<Vec<_>>(), [a, b]);
}

#[test]
fn a_consent_counts_for_what_was_shown_and_for_nothing_else() {
    let (at, shown, other) = (call(1, 0), Digest::of(b"shown"), Digest::of(b"other"));
    let asked = ToolApprovalAsked { turn: turn(1), call: at, digest: shown, why: "it writes".into() };
    let given_for = |digest, scope| ToolApprovalGiven { turn: turn(1), call: at, digest, by: me(), scope };
    let mut state = given([answered(1, "", &["x"]), tool_requested(1, at)]);
    then(&mut state, given_for(shown, ApprovalScope::Session));
    assert_eq!(state.tools.get(at).unwrap().state, CallState::Requested, "nobody was asked");
    then(&mut state, asked);
    then(&mut state, given_for(other, ApprovalScope::Session));
    let waits = CallState::Asked { digest: shown, why: "it writes".into() };
    assert_eq!(state.tools.get(at).unwrap().state, waits);
    assert!(!state.tools.approved(&other) && !state.tools.approved(&shown));
    then(&mut state, given_for(shown, ApprovalScope::Session));
    assert_eq!(state.tools.get(at).unwrap().state, CallState::Approved);
    assert!(state.tools.approved(&shown));
}

#[test]
fn what_is_known_of_a_call_that_nobody_can_account_for() {
    let at = call(6, 0);
    let mut events = all([vec![opened(), queued(1)], claimed(1, 1)]);
    events.extend([answered(1, "", &["x"]), tool_requested(1, at), tool_started(1, at)]);
    let mut state = given(events);
    let progress = |output: String| ToolProgressed { turn: turn(1), call: at, output };
    then(&mut state, progress("ä".repeat(OUTPUT_KEPT)));
    then(&mut state, progress("the end".into()));
    then(&mut state, unknown(1, at));
    then(&mut state, InputUnknown { admission: admission(1), why: "cut off".into() });
    let row = UnknownsView::of(&state).unknowns.remove(0);
    // A second passes from each event of a table to the next.
    assert_eq!((row.message, row.ran_ms), (Some(at.message), Some(2_000)));
    assert_eq!(row.started_at.as_deref(), Some("1970-01-01T00:00:08.000Z"));
    let last = row.last_output.unwrap();
    assert_eq!(last.chars().count(), OUTPUT_KEPT);
    assert!(last.ends_with("äthe end"));
    then(&mut state, tool_finished(1, at, "all of it"));
    assert!(state.tools.get(at).unwrap().last_output.is_empty(), "the result says it all");
}
