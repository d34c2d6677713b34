//! Odd, but legal.

use super::*;
use dispatch_events::catalogue::model::Usage;

const TEXT: &str = r#"{"id":"r1","choices":[{"index":0,"delta":{"content":"hi"}}]}"#;
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

#[test]
fn chunks_that_say_nothing_do_no_harm() {
    let body = events(&[
        r#"{"choices":[]}"#,
        r#"{"choices":[{"delta":{"content":null}}],"usage":null}"#,
        r#"{"choices":[{"delta":{}}]}"#,
        r#"{"choices":[{"index":0}]}"#,
        r#"{"choices":[{"delta":null,"finish_reason":""}]}"#,
        r#"{}"#,
        TEXT,
        r#"{"choices":[{"index":1,"delta":{"content":"not asked for"}}]}"#,
        STOP,
        r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":2}}}"#,
        "[DONE]",
        "what follows is ignored",
    ]);
    let answer = answer(&body).unwrap();
    assert_eq!((answer.text.as_str(), answer.finish.as_str()), ("hi", "stop"));
    assert_eq!(answer.response.as_deref(), Some("r1"));
    assert_eq!(answer.usage, Some(Usage { input: 3, cached: Some(2), output: 1, reasoning: None }));
}

#[test]
fn usage_is_taken_where_it_is_and_unknown_otherwise() {
    assert_eq!(answer(&events(&[TEXT, STOP, "[DONE]"])).unwrap().usage, None);
    let each = r#"{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":3,"completion_tokens":7}}"#;
    assert_eq!(answer(&events(&[TEXT, each, STOP, "[DONE]"])).unwrap().usage.unwrap().output, 7);
    let groq = r#"{"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}"#;
    assert_eq!(answer(&events(&[TEXT, STOP, groq, "[DONE]"])).unwrap().usage.unwrap().output, 2);
    let odd = r#"{"choices":[],"usage":"none"}"#;
    assert_eq!(answer(&events(&[TEXT, STOP, odd, "[DONE]"])).unwrap().usage, None);
}

#[test]
fn an_empty_stream_is_an_error() {
    for body in ["", "\n\n", ": wait\n\n: wait\n\n", ": wait\n\ndata: [DONE]\n\n", "data: [DONE]\n\n", "data:\n\n"] {
        assert_eq!(class(body), ErrorClass::Incomplete, "{body:?}");
    }
}

#[test]
fn a_missing_end_is_incomplete() {
    assert_eq!(class(&events(&[TEXT])), ErrorClass::Incomplete);
    // Some servers send no `[DONE]`, some no finish reason, some no blank line at the end.
    assert_eq!(answer(&events(&[TEXT, STOP])).unwrap().text, "hi");
    assert_eq!(answer(&events(&[TEXT, "[DONE]"])).unwrap().finish, "stop");
    assert_eq!(answer(&format!("data: {TEXT}\n\ndata: {STOP}")).unwrap().text, "hi");
    assert_eq!(answer(&format!("data: {TEXT}\n\ndata: [DONE]")).unwrap().text, "hi");
}

#[test]
fn the_standards_forms_are_read() {
    let body = format!(
        ": wait\r\n\r\nevent: message\r\nid: 1\r\nretry: 10\r\nunknown: x\r\nnocolon\r\n: inside\r\ndata:{TEXT}\r\n\r\n: \
         between\r\n\r\ndata: {{\"choices\":\r\ndata: [{{\"delta\":{{\"content\":\"!\"}},\"finish_reason\":\"stop\"}}]}}\
         \r\n\r\ndata: [DONE]\r\n\r\n"
    );
    assert_eq!(answer(&body).unwrap().text, "hi!");
    assert_eq!(answer(&body.replace("\r\n", "\n")).unwrap().text, "hi!");
    assert_eq!(answer(&format!("\u{feff}{body}")).unwrap().text, "hi!");
}

#[test]
fn an_error_inside_a_stream_is_an_error() {
    let body = events(&[TEXT, r#"{"error":{"message":"overloaded","code":503}}"#]);
    let error = answer(&body).unwrap_err();
    assert_eq!((error.class, error.status), (ErrorClass::Overloaded, Some(503)));
    assert!(error.message.contains("overloaded"));
    let named = format!("data: {TEXT}\n\nevent: error\ndata: {{\"message\":\"no\",\"type\":\"rate_limit_error\"}}\n\n");
    assert_eq!(class(&named), ErrorClass::RateLimit);
    assert_eq!(class(&deltas(&[r#"{"content":"x"}"#], "error")), ErrorClass::ServerError);
    assert_eq!(class(&deltas(&[r#"{"content":"x"}"#], "content_filter")), ErrorClass::ContentPolicy);
    assert_eq!(class(&events(&[TEXT, "{broken", "[DONE]"])), ErrorClass::InvalidResponse);
    assert_eq!(answer(&events(&[r#"{"error":null,"choices":[]}"#, TEXT, "[DONE]"])).unwrap().text, "hi");
}

#[test]
fn a_refusal_and_a_list_are_text() {
    assert_eq!(answer(&deltas(&[r#"{"refusal":"I won't."}"#], "stop")).unwrap().text, "I won't.");
    let list =
        r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]}"#;
    let answer = answer(&deltas(&[list], "stop")).unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("yes", Some("hm")));
}

#[test]
fn comments_are_life_but_not_for_ever() {
    let comments = stream::iter(0..).then(|_| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        Ok(Bytes::from_static(b": wait\n\n"))
    });
    let reading = Reading {
        content_type: "text/event-stream".into(),
        replay: ReplayReasoning::AsCame,
        without_event: Duration::from_millis(60),
    };
    let all: Vec<_> = block_on(body::events(comments.boxed(), reading).collect());
    assert!(matches!(all.as_slice(), [Err(error)] if error.class == ErrorClass::Timeout), "{all:?}");
}
