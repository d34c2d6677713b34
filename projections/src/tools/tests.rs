use super::CallState;
use crate::{SessionState, table::*};
use dispatch_events::{
    Event,
    catalogue::tool::{CallRef, EffectClass, EffectDisposition, ToolOutcome, ToolUnknown},
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
