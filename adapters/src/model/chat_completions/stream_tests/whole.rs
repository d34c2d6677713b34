//! One document instead of a stream.

use super::*;

#[test]
fn a_document_is_an_answer() {
    let body = r#"{"id":"r2","choices":[{"index":0,"message":{"role":"assistant","content":"hi","reasoning":"because",
        "tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{ \"p\":1}"}}]},
        "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    for body in [body.to_owned(), format!("\n \n{body}\n"), format!("\u{feff}{body}")] {
        let answer = answer(&body).unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("hi", Some("because")));
        assert_eq!(answer.calls[0].arguments.as_str(), "{ \"p\":1}");
        assert_eq!(answer.usage.unwrap().input, 3);
    }
}

#[test]
fn what_is_no_answer_is_named() {
    assert_eq!(class(r#"{"error":{"message":"busy","type":"overloaded"}}"#), ErrorClass::Overloaded);
    assert_eq!(class(r#"{"choices":[]}"#), ErrorClass::InvalidResponse);
    assert_eq!(class(r#"{"hello":1}"#), ErrorClass::InvalidResponse);
    assert_eq!(class(r#"{"choices":[{"message":{"content":"h"#), ErrorClass::Incomplete);
    assert_eq!(class(r#"{"choices":[{"message":{"content":""}}]}"#), ErrorClass::Incomplete);
    assert_eq!(class("<html><title>Login</title></html>"), ErrorClass::InvalidResponse);
    assert_eq!(class("Service says no"), ErrorClass::InvalidResponse);
    assert!(answer("<html><title>Login</title>").unwrap_err().message.contains("login"));
}

#[test]
fn every_prefix_of_a_document_is_an_error() {
    let body = r#"{"choices":[{"message":{"content":"日本🙂"},"finish_reason":"stop"}]}"#;
    assert!(answer(body).is_ok());
    for end in 0..body.len() {
        let events = run(&[&body.as_bytes()[..end]], End::Clean, ReplayReasoning::AsCame);
        assert!(answer_of(events).is_err(), "{end}");
    }
}
