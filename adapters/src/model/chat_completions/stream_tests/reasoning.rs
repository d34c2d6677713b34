//! Reasoning: shown, and kept for those who want it back.

use super::*;

fn extra(body: &str, replay: ReplayReasoning) -> Option<String> {
    answer_of(run(&[body.as_bytes()], End::Clean, replay)).unwrap().extra.map(|extra| extra.0)
}

#[test]
fn the_fields_that_came_go_back_under_their_names() {
    let body = deltas(&[r#"{"reasoning_content":"be"}"#, r#"{"reasoning_content":"cause","content":"yes"}"#], "stop");
    let answer = answer(&body).unwrap();
    assert_eq!(answer.reasoning.as_deref(), Some("because"));
    assert_eq!(answer.extra.unwrap().as_str(), r#"{"reasoning_content":"because"}"#);
    assert_eq!(extra(&body, ReplayReasoning::Never), None);
}

#[test]
fn one_policy_for_servers_that_want_it_always() {
    let without = deltas(&[r#"{"content":"yes","reasoning_content":null}"#], "stop");
    assert_eq!(extra(&without, ReplayReasoning::AsCame), None);
    assert_eq!(extra(&without, ReplayReasoning::Always).unwrap(), r#"{"reasoning_content":""}"#);
    let empty = deltas(&[r#"{"content":"yes","reasoning_content":""}"#], "stop");
    assert_eq!(extra(&empty, ReplayReasoning::AsCame).unwrap(), r#"{"reasoning_content":""}"#);
}

#[test]
fn the_same_text_under_two_names_is_shown_once() {
    let body = deltas(
        &[
            r#"{"reasoning":"a","reasoning_content":"a"}"#,
            r#"{"reasoning":"b","reasoning_content":"b"}"#,
            r#"{"content":"x"}"#,
        ],
        "stop",
    );
    assert_eq!(answer(&body).unwrap().reasoning.as_deref(), Some("ab"));
    assert_eq!(extra(&body, ReplayReasoning::AsCame).unwrap(), r#"{"reasoning":"ab","reasoning_content":"ab"}"#);
}

#[test]
fn blocks_are_put_together_again() {
    let once = deltas(&[r#"{"content":"x","reasoning_details":[ {"type":"t", "data":"\u00e9"} ]}"#], "stop");
    let expected = r#"{"reasoning_details":[ {"type":"t", "data":"\u00e9"} ]}"#;
    assert_eq!(extra(&once, ReplayReasoning::AsCame).unwrap(), expected);
    let pieces = deltas(
        &[
            r#"{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"be","signature":null}]}"#,
            r#"{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"cause","signature":"s"}]}"#,
            r#"{"reasoning_details":[{"type":"reasoning.encrypted","index":1,"data":"e"}],"content":"x"}"#,
        ],
        "stop",
    );
    let expected = r#"{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"because","signature":"s"},{"type":"reasoning.encrypted","index":1,"data":"e"}]}"#;
    assert_eq!(extra(&pieces, ReplayReasoning::AsCame).unwrap(), expected);
}

#[test]
fn signatures_beside_a_call_are_kept_and_unknown_fields_are_not() {
    let body = deltas(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Zm9v"}}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"y","arguments":"{}"},"mood":"fine"}],"annotations":[]}"#,
        ],
        "tool_calls",
    );
    let expected = r#"{"tool_calls":[{"extra_content":{"google":{"thought_signature":"Zm9v"}}},{}]}"#;
    assert_eq!(extra(&body, ReplayReasoning::AsCame).unwrap(), expected);
}
