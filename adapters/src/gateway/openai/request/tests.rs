use super::*;
use serde_json::{Value, json};

fn parse(body: &Value, own_history: bool) -> Result<ChatRequest, String> {
    ChatRequest::parse(body.to_string().as_bytes(), own_history).map_err(|problem| {
        assert_eq!(problem.code(), Code::InvalidParams);
        problem.detail().to_owned()
    })
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

#[test]
fn a_conversation_becomes_a_session() {
    let request = parse(
        &json!({"model": "x", "temperature": 1, "stream": true, "stream_options": {"include_usage": true}, "messages": [
            {"role": "system", "content": "be"}, {"role": "developer", "content": [{"type": "text", "text": "brief"}]},
            {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
            {"role": "user", "content": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]}]}),
        true,
    );
    let request = request.unwrap();
    assert!(request.stream && request.include_usage);
    assert_eq!(request.parts, [text("c"), text("d")]);
    assert_eq!(request.opening.system.as_deref(), Some("be\n\nbrief"));
    assert_eq!(request.opening.history, [(GivenRole::User, "a".into()), (GivenRole::Assistant, "b".into())]);
}

#[test]
fn a_durable_session_takes_the_last_user_message_alone() {
    let body = json!({"messages": [{"role": "system", "content": "ignored"}, {"role": "user", "content": "old"},
        {"role": "user", "content": "new"}, {"role": "tool", "content": null}]});
    let request = parse(&body, false).unwrap();
    assert_eq!((request.parts, request.stream), (vec![text("new")], false));
    assert_eq!(request.opening, Opening::plain("openai"));
}

#[test]
fn what_cannot_be_taken_is_named() {
    let user = json!({"role": "user", "content": "x"});
    let refused = [
        (json!({}), "missing field `messages`"),
        (json!({"messages": []}), "no user message"),
        (json!({"messages": [user], "n": 2}), "`n` has to be 1"),
        (json!({"messages": [user], "tools": [{}]}), "own tools"),
        (json!({"messages": [{"role": "assistant", "content": "x"}]}), "the last message has to be the user's"),
        (json!({"messages": [{"role": "user", "content": null}]}), "no content"),
        (json!({"messages": [{"role": "user", "content": 5}]}), "has to be a text"),
        (json!({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}), "`image_url`"),
        (json!({"messages": [{"role": "tool", "content": "x"}, user]}), "role `tool`"),
        (json!({"messages": [{"role": "assistant", "content": "x", "tool_calls": [{}]}, user]}), "tool calls"),
        (json!({"messages": [user, {"role": "system", "content": "x"}, user]}), "before all others"),
    ];
    for (body, words) in refused {
        let why = parse(&body, true).unwrap_err();
        assert!(why.contains(words), "{body}: {why}");
    }
    assert!(ChatRequest::parse(b"{\"messages\": [", true).is_err());
}

#[test]
fn an_input_above_the_limit_is_refused_with_the_limit() {
    let body = json!({"messages": [{"role": "user", "content": "12345"}]});
    let request = parse(&body, true).unwrap();
    assert!(request.check_size(5).is_ok());
    let problem = request.check_size(4).unwrap_err();
    assert_eq!(problem.code(), Code::TooLarge);
    assert!(problem.detail().contains("limit for one input is 4 bytes"), "{problem}");
}
