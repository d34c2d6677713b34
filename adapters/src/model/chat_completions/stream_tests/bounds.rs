//! Answers that are too large: the attempt ends with an error, and nothing of it stays.

use super::*;
use crate::model::chat_completions::bounds::{CALLS_MAX, CONTENT_MAX, DOCUMENT_MAX, EventSize, NEXT};

const PIECE: usize = 1 << 20;

fn refused(result: Result<ModelAnswer, ModelError>, words: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.class, ErrorClass::InvalidResponse, "{}", error.message);
    assert!(error.message.contains(words) && error.message.ends_with(NEXT), "{}", error.message);
}

/// A body that would never end, counted: how many pieces of a mebibyte were taken until it was refused.
fn endless(piece: String) -> (usize, ModelError) {
    let taken = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = taken.clone();
    let pieces = stream::iter(0..).map(move |_| {
        seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Bytes::from(piece.clone()))
    });
    let reading = Reading {
        content_type: "text/event-stream".into(),
        replay: ReplayReasoning::AsCame,
        without_event: Duration::from_secs(60),
    };
    let all: Vec<_> = block_on(body::events(pieces.boxed(), reading).collect());
    let error = all.into_iter().find_map(Result::err).unwrap();
    (taken.load(std::sync::atomic::Ordering::Relaxed), error)
}

fn chunk(delta: &str) -> String {
    events(&[&format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#)])
}

#[test]
fn an_endless_stream_is_left_at_the_limit_whatever_it_is_made_of() {
    let long = "x".repeat(PIECE);
    let most = CONTENT_MAX / PIECE + 2;
    for delta in [
        format!(r#"{{"content":"{long}"}}"#),
        format!(r#"{{"reasoning_content":"{long}"}}"#),
        format!(r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"x","arguments":"{long}"}}}}]}}"#),
        format!(r#"{{"thinking_blocks":[{{"index":0,"type":"t","thinking":"{long}"}}]}}"#),
        format!(r#"{{"reasoning_details":[{{"data":"{long}"}}]}}"#),
    ] {
        let (taken, error) = endless(chunk(&delta));
        refused(Err(error), "more than 8 MiB");
        assert!(taken <= most, "{taken} pieces of {}", &delta[..40]);
    }
}

#[test]
fn the_parts_count_together() {
    let third = "x".repeat(CONTENT_MAX / 3 + 1);
    let text = format!(r#"{{"content":"{third}"}}"#);
    let reasoning = format!(r#"{{"reasoning":"{third}"}}"#);
    let call = |arguments: &str| {
        format!(r#"{{"tool_calls":[{{"id":"a","function":{{"name":"x","arguments":"{arguments}"}}}}]}}"#)
    };
    assert_eq!(answer(&deltas(&[&text, &reasoning, &call("{}")], "tool_calls")).unwrap().text.len(), third.len());
    refused(answer(&deltas(&[&text, &reasoning, &call(&third)], "tool_calls")), "text, reasoning and tool calls");
}

#[test]
fn an_event_without_an_end_is_left_too() {
    let (taken, error) = endless(format!("data: {}", "x".repeat(PIECE)));
    refused(Err(error), "one event has more than 12 MiB");
    assert!(taken <= DOCUMENT_MAX / PIECE + 2, "{taken}");
}

#[test]
fn only_a_blank_line_ends_an_event() {
    let fits = |text: &str| {
        let mut size = EventSize::default();
        (0..DOCUMENT_MAX / text.len() * 2).all(|_| size.take(text.as_bytes()).is_ok())
    };
    for open in ["data: x", "data: x\n", "data: x\r\n", "data: x\r"] {
        assert!(!fits(open), "{open:?}");
    }
    for ended in ["data: x\n\n", "data: x\r\n\r\n", "data: x\r\r", ":\n\n"] {
        assert!(fits(ended), "{ended:?}");
    }
}

#[test]
fn a_long_document_is_refused_before_it_is_read() {
    let document =
        |text: &str| format!(r#"{{"choices":[{{"message":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#);
    assert_eq!(answer(&document(&"x".repeat(CONTENT_MAX - 10))).unwrap().text.len(), CONTENT_MAX - 10);
    refused(answer(&document(&"x".repeat(CONTENT_MAX))), "text, reasoning and tool calls have more than 8 MiB");
    let (taken, error) = endless(format!("{{\"choices\":{}", " ".repeat(PIECE)));
    refused(Err(error), "the document has more than 12 MiB");
    assert!(taken <= DOCUMENT_MAX / PIECE + 2, "{taken}");
}

#[test]
fn so_many_calls_and_no_more() {
    let entry = |number: usize| format!(r#"{{"index":{number},"id":"c{number}","function":{{"name":"x"}}}}"#);
    let streamed = |count: usize| {
        let each: Vec<String> = (0..count).map(|number| format!(r#"{{"tool_calls":[{}]}}"#, entry(number))).collect();
        deltas(&each.iter().map(String::as_str).collect::<Vec<_>>(), "tool_calls")
    };
    let whole = |count: usize| {
        let calls = (0..count).map(entry).collect::<Vec<_>>().join(",");
        format!(r#"{{"choices":[{{"message":{{"tool_calls":[{calls}]}},"finish_reason":"tool_calls"}}]}}"#)
    };
    for body in [streamed(CALLS_MAX), whole(CALLS_MAX)] {
        assert_eq!(answer(&body).unwrap().calls.len(), CALLS_MAX);
    }
    for body in [streamed(CALLS_MAX + 1), whole(CALLS_MAX + 1)] {
        refused(answer(&body), "more than 128 tool calls");
    }
}
