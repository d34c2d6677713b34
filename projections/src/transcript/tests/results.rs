//! Results of tools: one for each call, in the order of the calls.

use super::{began, lines, wire};
use crate::{SessionState, table::*};
use dispatch_events::{
    Event, RawJson, Timestamp, Version,
    catalogue::tool::{CallRef, EffectDisposition, ToolFinished, ToolOutcome},
};

/// The answer with three calls is version 7.
fn asked() -> Vec<Event> {
    all([began(), vec![said(1, None), answered(1, "", &["x", "y", "z"])]])
}

fn outputs(state: &SessionState) -> Vec<String> {
    wire(state).into_iter().filter(|(role, _)| *role == "tool").map(|(_, text)| text).collect()
}

/// Order of the results, what the model gets, what people see, how many messages are final.
type Row<'a> = (&'a [u32], [&'a str; 3], &'a [&'a str], usize);

#[test]
fn results_appear_in_the_order_of_the_calls() {
    #[rustfmt::skip]
    let table: [Row<'_>; 6] = [
        (&[],        ["", "", ""],       &[],              2),
        (&[2],       ["", "", "o2"],     &["o2"],          2),
        (&[0],       ["o0", "", ""],     &["o0"],          3),
        (&[2, 0],    ["o0", "", "o2"],   &["o0", "o2"],    3),
        (&[2, 1, 0], ["o0", "o1", "o2"], &["o0", "o1", "o2"], 5),
        (&[1, 2, 0], ["o0", "o1", "o2"], &["o0", "o1", "o2"], 5),
    ];
    for (order, sent, seen, whole) in table {
        let done = order.iter().map(|index| tool_finished(1, call(7, *index), &format!("o{index}"))).collect();
        let state = given(all([asked(), done]));
        assert_eq!(outputs(&state), sent, "{order:?}: the model");
        let people: Vec<_> = lines(&state).into_iter().filter(|(role, _)| *role == "tool").collect();
        assert_eq!(people.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), seen, "{order:?}: people");
        assert_eq!(state.transcript.whole_len(), whole, "{order:?}: final messages");
        assert_eq!(state.transcript.wire_len(), 5, "{order:?}");
    }
}

#[test]
fn results_that_are_not_recorded_yet_can_be_sent() {
    let state = given(all([asked(), vec![tool_finished(1, call(7, 1), "recorded")]]));
    let output = |at: CallRef| (at.index != 1).then_some("planned");
    let sent: Vec<_> = state.transcript.wire_messages_with(2, output).map(super::short).collect();
    let expected = ["planned", "recorded", "planned"].map(|text| ("tool", text.to_owned()));
    assert_eq!(sent, expected);
}

#[test]
fn a_line_of_a_tool_has_the_version_of_its_result() {
    let state = given(all([asked(), vec![tool_finished(1, call(7, 2), "a"), tool_finished(1, call(7, 0), "b")]]));
    let lines: Vec<_> = state.transcript.entries()[2..].iter().map(|entry| (entry.version, entry.at)).collect();
    let at = |version: u64| (Version(version), Timestamp(version as i64 * 1_000_000));
    assert_eq!(lines, [at(9), at(7), at(8)], "the middle one still waits");
}

#[test]
fn the_first_result_stands() {
    let (first, second) = (tool_finished(1, call(7, 0), "first"), tool_finished(1, call(7, 0), "second"));
    let state = given(all([asked(), vec![first, second]]));
    assert_eq!(outputs(&state)[0], "first");
    assert_eq!(state.transcript.problems(), ["version 9: a second result of a tool call, the first one stands"]);
}

#[test]
fn a_result_without_a_call_is_named() {
    for at in [call(7, 3), call(6, 0), call(99, 0)] {
        let state = given(all([asked(), vec![tool_finished(1, at, "lost")]]));
        assert_eq!(outputs(&state), ["", "", ""]);
        assert_eq!(state.transcript.problems().len(), 1, "{at:?}");
    }
}

#[test]
fn every_call_is_found_by_its_place() {
    let again = vec![answered(1, "", &["u", "v"])];
    let done = (0..3).map(|index| tool_finished(1, call(7, index), "")).collect();
    let state = given(all([asked(), done, again]));
    let found = |message, index| state.transcript.call(call(message, index)).map(|call| call.tool.as_str());
    let table = [(7, ["x", "y", "z"].as_slice()), (11, &["u", "v"])];
    for (message, tools) in table {
        for (index, tool) in (0..).zip(tools) {
            assert_eq!(found(message, index), Some(*tool), "{message}/{index}");
        }
        assert_eq!(found(message, tools.len() as u32), None);
    }
    assert_eq!((found(6, 0), found(12, 0), found(7, u32::MAX)), (None, None, None));
    assert_eq!(state.transcript.call(call(7, 1)).unwrap().arguments, RawJson("{\"n\":1}".into()));
}

#[test]
fn the_last_successful_output_of_a_tool() {
    let failed = ToolFinished {
        turn: turn(1),
        call: call(11, 0),
        outcome: ToolOutcome::Error,
        effect: EffectDisposition::None,
        output: "Error".into(),
        duration_ms: 1,
    };
    let done = (0..3).map(|index| tool_finished(1, call(7, index), &format!("o{index}"))).collect();
    let state = given(all([asked(), done, vec![answered(1, "", &["x"]), failed.into()]]));
    assert_eq!(state.transcript.last_output("x"), Some("o0"), "an error is no output");
    assert_eq!(state.transcript.last_output("todo"), None);
}
