//! The bytes of version 1, as text. A change here is a new version of the dialect.

use super::*;
use proptest::prelude::*;

const TOOLS: &str = r#"[{"type":"function","function":{"name":"todo","parameters":{"type":"object"}}}]"#;

fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), tool: tool.into(), arguments: RawJson(arguments.into()) }
}

fn assistant(text: &str, calls: Vec<ToolCall>, extra: Option<&str>) -> WireMessage {
    let extra = extra.map(|extra| RawJson(extra.into()));
    WireMessage::Assistant { text: text.into(), reasoning: Some("never rendered".into()), calls, extra }
}

fn user(text: &str) -> WireMessage {
    WireMessage::User { text: text.into() }
}

fn body(system: &str, tools: &str, messages: &[WireMessage], parameters: &RawJson) -> String {
    let head = ChatCompletions.head(HeadInput { model: "m-1", system, tools });
    let fragments: Vec<String> = messages.iter().map(|message| ChatCompletions.message(message)).collect();
    let fragments: Vec<&str> = fragments.iter().map(String::as_str).collect();
    String::from_utf8(ChatCompletions.body(&head, &fragments, parameters).to_vec()).unwrap()
}

#[test]
fn a_whole_request() {
    let messages = [
        user("Zeile 1\n\"zwei\" 日本🙂 \u{1}</script>"),
        assistant("", vec![call("a", "todo", "{ \"p\" : \"\\u65e5\" }"), call("b", "todo", "{not json")], None),
        WireMessage::Tool { call: "a".into(), tool: "todo".into(), output: "ok\ttab".into() },
        WireMessage::Tool { call: "b".into(), tool: "todo".into(), output: String::new() },
        assistant("done", vec![], Some(r#"{"reasoning_content": "why\u00e9", "x":1.50}"#)),
        assistant("", vec![], None),
        user("more"),
    ];
    let expected = concat!(
        r#"{"model":"m-1","tools":[{"type":"function","function":{"name":"todo","parameters":{"type":"object"}}}],"messages":["#,
        r#"{"role":"system","content":"Be \\ kind."},"#,
        r#"{"role":"user","content":"Zeile 1\n\"zwei\" 日本🙂 \u0001</script>"},"#,
        r#"{"role":"assistant","content":null,"tool_calls":["#,
        r#"{"id":"a","type":"function","function":{"name":"todo","arguments":"{ \"p\" : \"\\u65e5\" }"}},"#,
        r#"{"id":"b","type":"function","function":{"name":"todo","arguments":"{not json"}}]},"#,
        r#"{"role":"tool","tool_call_id":"a","content":"ok\ttab"},"#,
        r#"{"role":"tool","tool_call_id":"b","content":""},"#,
        r#"{"role":"assistant","content":"done","reasoning_content": "why\u00e9", "x":1.50},"#,
        r#"{"role":"assistant","content":""},"#,
        r#"{"role":"user","content":"more"}],"#,
        r#""stream":true,"stream_options":{"include_usage":true}}"#,
    );
    assert_eq!(body("Be \\ kind.", TOOLS, &messages, &ChatCompletions.parameters(true)), expected);
}

#[test]
fn without_tools_system_and_stream() {
    let expected = r#"{"model":"m-1","messages":[{"role":"user","content":"hi"}],"stream":false}"#;
    assert_eq!(body("", "[]", &[user("hi")], &ChatCompletions.parameters(false)), expected);
    assert_eq!(body("", "[]", &[], &RawJson("{}".into())), r#"{"model":"m-1","messages":[]}"#);
    let expected = r#"{"model":"m-1","messages":[{"role":"system","content":"s"}],"tool_choice":"none"}"#;
    assert_eq!(body("s", "[]", &[], &RawJson(r#" {"tool_choice":"none"} "#.into())), expected);
}

#[test]
fn fields_beside_a_call_stay_beside_it() {
    let extra = r#"{"reasoning_details":[{"a":1}],"tool_calls":[{},{"extra_content":{"google":{"thought_signature":"Zm9v"}}}]}"#;
    let message = assistant("t", vec![call("a", "x", "{}"), call("b", "y", "{}")], Some(extra));
    let expected = concat!(
        r#"{"role":"assistant","content":"t","tool_calls":["#,
        r#"{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},"#,
        r#"{"id":"b","type":"function","function":{"name":"y","arguments":"{}"},"#,
        r#""extra_content":{"google":{"thought_signature":"Zm9v"}}}],"reasoning_details":[{"a":1}]}"#,
    );
    assert_eq!(ChatCompletions.message(&message), expected);
}

fn any_message() -> impl Strategy<Value = WireMessage> {
    let call = ("[a-z0-9_]{1,8}", "[a-z_]{1,8}", ".{0,20}").prop_map(|(id, tool, text)| call(&id, &tool, &text));
    let extra = proptest::option::of(
        ("[a-z]{1,6}", ".{0,10}").prop_map(|(key, value)| RawJson(serde_json::json!({ key: value }).to_string())),
    );
    prop_oneof![
        ".{0,40}".prop_map(|text| WireMessage::User { text }),
        (".{0,40}", proptest::collection::vec(call, 0..3), extra)
            .prop_map(|(text, calls, extra)| { WireMessage::Assistant { text, reasoning: None, calls, extra } }),
        ("[a-z0-9]{1,8}", ".{0,40}").prop_map(|(call, output)| WireMessage::Tool { call, tool: "t".into(), output }),
    ]
}

proptest! {
    #[test]
    fn a_longer_conversation_extends_a_shorter_one(
        system in ".{0,20}",
        with_tools in any::<bool>(),
        messages in proptest::collection::vec(any_message(), 1..8),
    ) {
        let tools = if with_tools { TOOLS } else { "[]" };
        let stream = ChatCompletions.parameters(true);
        let tail = format!("],{}", &stream.as_str()[1..]);
        let whole = body(&system, tools, &messages, &stream);
        let parsed: serde_json::Value = serde_json::from_str(&whole).unwrap();
        let count = parsed["messages"].as_array().unwrap().len();
        prop_assert_eq!(count, messages.len() + usize::from(!system.is_empty()));
        for n in 0..messages.len() {
            let shorter = body(&system, tools, &messages[..n], &stream);
            let prefix = shorter.strip_suffix(tail.as_str()).unwrap();
            let longer = body(&system, tools, &messages[..n + 1], &ChatCompletions.parameters(false));
            prop_assert!(longer.starts_with(prefix), "{}\n{}", prefix, longer);
        }
    }

    #[test]
    fn a_body_always_parses_to_what_went_in(text in ".*", output in ".*") {
        let message = [user(&text), WireMessage::Tool { call: "c".into(), tool: "t".into(), output: output.clone() }];
        let parsed: serde_json::Value =
            serde_json::from_str(&body(&text, TOOLS, &message, &ChatCompletions.parameters(true))).unwrap();
        let last = parsed["messages"].as_array().unwrap().last().unwrap().clone();
        prop_assert_eq!(last["content"].as_str(), Some(output.as_str()));
        let before = parsed["messages"].as_array().unwrap().iter().rev().nth(1).unwrap().clone();
        prop_assert_eq!(before["content"].as_str(), Some(text.as_str()));
    }
}
