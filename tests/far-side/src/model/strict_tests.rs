//! Each rule of STRICT, from both sides.

use serde_json::{Value, json};

use super::{Refused, check};

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": "{}"}})
}

fn calls<const N: usize>(ids: [&str; N]) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": ids.map(call).to_vec()})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "done"})
}

fn user() -> Value {
    json!({"role": "user", "content": "hi"})
}

fn checked<const N: usize>(messages: [Value; N]) -> Result<(), Refused> {
    check(json!({"model": "m", "messages": messages.to_vec()}).to_string().as_bytes())
}

#[test]
fn complete_histories_pass_in_any_order_of_results() {
    assert_eq!(checked([user()]), Ok(()));
    assert_eq!(checked([user(), calls(["a", "b"]), result("b"), result("a"), user()]), Ok(()));
    assert_eq!(checked([user(), calls(["a"]), result("a"), calls(["a"]), result("a")]), Ok(()));
    let parts = json!({"role": "user", "content": [{"type": "text", "text": "hi"}]});
    assert_eq!(checked([parts]), Ok(()));
}

#[test]
fn a_call_needs_its_result_before_anything_else() {
    let missing = |at| Err(Refused::Unanswered(at, vec!["b".to_owned()]));
    assert_eq!(checked([user(), calls(["a", "b"]), result("a"), user(), result("b")]), missing(3));
    assert_eq!(checked([user(), calls(["a", "b"]), result("a")]), missing(3));
    assert_eq!(checked([user(), calls(["a", "b"]), result("a"), calls(["c"]), result("c")]), missing(3));
}

#[test]
fn a_result_needs_its_call_just_before_it() {
    assert_eq!(checked([user(), result("a")]), Err(Refused::StrayResult(1, "a".to_owned())));
    let late = checked([user(), calls(["a"]), result("a"), user(), result("a")]);
    assert_eq!(late, Err(Refused::StrayResult(4, "a".to_owned())));
    let twice = checked([user(), calls(["a"]), result("a"), result("a")]);
    assert_eq!(twice, Err(Refused::SecondResult(3, "a".to_owned())));
}

#[test]
fn ids_are_there_and_unique() {
    assert_eq!(checked([user(), calls([""]), result("")]), Err(Refused::EmptyId(1)));
    assert_eq!(checked([user(), calls(["a"]), result("")]), Err(Refused::EmptyId(2)));
    assert_eq!(checked([user(), calls(["a", "a"]), result("a")]), Err(Refused::SameId(1, "a".to_owned())));
}

#[test]
fn the_body_is_text_and_json() {
    assert!(matches!(check(b"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}"), Err(Refused::NotText(_))));
    assert!(matches!(check(b"{\"messages\":["), Err(Refused::NotARequest(_))));
    assert!(matches!(check(b"{}"), Err(Refused::NotARequest(_))));
    assert_eq!(checked([]), Err(Refused::Empty));
    assert!(matches!(checked([json!({"role": "user", "content": 7})]), Err(Refused::NotARequest(_))));
    assert_eq!(checked([json!({"role": "narrator"})]), Err(Refused::UnknownRole(0, "narrator".to_owned())));
}
