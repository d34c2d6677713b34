//! Answers that are as they should be.

use far_side::model::UsageChunks;
use far_side::{Answer, Call, ScriptedModel, Usage};
use serde_json::{Value, json};

use crate::client::{data, deltas, http, send, streaming, text, whole};

#[tokio::test]
async fn a_text_comes_in_the_given_chunks_and_whole() {
    let model = ScriptedModel::start();
    model.push_all([Answer::chunks(["日本", "🙂 é"]), Answer::chunks(["日本", "🙂 é"])]);
    assert_eq!(deltas(&model).await, [json!({"content": "日本"}), json!({"content": "🙂 é"})]);
    let body: Value = serde_json::from_str(&text(&model, &whole()).await).unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], "日本🙂 é");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    assert_eq!(body["model"], "m");
}

#[tokio::test]
async fn calls_come_by_index_one_after_the_other_or_interleaved() {
    let model = ScriptedModel::start();
    let calls = || {
        [
            Call::new("a", "read_file", "").in_fragments(["{\"p\":", "1}"]),
            Call::new("b", "todo", "").in_fragments(["{", "}"]),
        ]
    };
    model.push_all([Answer::calls(calls()), Answer::calls(calls()).interleaved()]);
    let order = |deltas: Vec<Value>| -> Vec<(u64, String)> {
        let calls = deltas.iter().map(|delta| &delta["tool_calls"][0]);
        let said = |call: &Value| call["id"].as_str().or(call["function"]["arguments"].as_str()).unwrap().to_owned();
        calls.map(|call| (call["index"].as_u64().unwrap(), said(call))).collect()
    };
    let is =
        |list: &[(u64, &str)]| -> Vec<(u64, String)> { list.iter().map(|(at, s)| (*at, (*s).to_owned())).collect() };
    let straight = order(deltas(&model).await);
    assert_eq!(straight, is(&[(0, "a"), (0, "{\"p\":"), (0, "1}"), (1, "b"), (1, "{"), (1, "}")]));
    let mixed = order(deltas(&model).await);
    assert_eq!(mixed, is(&[(0, "a"), (1, "b"), (0, "{\"p\":"), (1, "{"), (0, "1}"), (1, "}")]));
}

#[tokio::test]
async fn a_whole_answer_carries_calls_reasoning_and_the_finish_reason() {
    let model = ScriptedModel::start();
    model.push(Answer::text("so").reasoning(["th", "ink"]).and_calls([Call::new("a", "todo", "{}")]));
    let body: Value = serde_json::from_str(&text(&model, &whole()).await).unwrap();
    let message = &body["choices"][0]["message"];
    assert_eq!(message["reasoning_content"], "think");
    assert_eq!(message["tool_calls"][0]["function"], json!({"name": "todo", "arguments": "{}"}));
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    model.push(Answer::call("a", "todo", "{\"cut").finish("length"));
    assert!(text(&model, &whole()).await.contains("\"finish_reason\":\"length\""));
}

#[tokio::test]
async fn usage_is_reported_as_asked_or_as_scripted() {
    let model = ScriptedModel::start();
    let usage = Usage { prompt_tokens: 9, completion_tokens: 4, cached_tokens: 8, reasoning_tokens: 1 };
    model.always(Answer::text("a").usage(usage));
    let mut asked = streaming();
    assert!(!text(&model, &asked).await.contains("usage"));
    asked["stream_options"] = json!({"include_usage": true});
    let frames = data(&model, &asked).await;
    let last: Value = serde_json::from_str(&frames[frames.len() - 2]).unwrap();
    assert_eq!(last["choices"], json!([]));
    assert_eq!(last["usage"]["total_tokens"], 13);
    assert_eq!(last["usage"]["prompt_tokens_details"]["cached_tokens"], 8);
    assert!(frames[0].ends_with("\"usage\":null}"));

    model.always(Answer::text("a").usage_chunks(UsageChunks::Never));
    assert!(!text(&model, &asked).await.contains("usage"));
    model.always(Answer::text("a").usage_chunks(UsageChunks::EveryChunk));
    let frames = data(&model, &streaming()).await;
    assert!(frames[..frames.len() - 1].iter().all(|frame| frame.contains("\"completion_tokens\":")));
}

#[tokio::test]
async fn rules_come_before_the_queue_and_the_fallback_behind_it() {
    let model = ScriptedModel::start();
    model.rule(|request| request.text().contains("title").then(|| Answer::text("rule")));
    model.push(Answer::text("queue"));
    model.fallback(|request| Answer::text(format!("fallback {}", request.body.len())));
    let mut titled = whole();
    titled["messages"][0]["content"] = json!("a title");
    assert!(text(&model, &titled).await.contains("rule"));
    assert!(text(&model, &whole()).await.contains("queue"));
    assert!(text(&model, &whole()).await.contains(&format!("fallback {}", whole().to_string().len())));
    assert_eq!(model.received(), 3);
    assert_eq!(model.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn an_unexpected_request_is_refused_and_noted() {
    let model = ScriptedModel::start();
    assert_eq!(send(&model, &whole()).await.status(), 400);
    assert_eq!(model.refusals().len(), 1);
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn the_model_list_and_unknown_paths_are_apart() {
    let model = ScriptedModel::start();
    let list = http().get(format!("{}/models", model.base_url())).send().await.unwrap();
    assert!(list.text().await.unwrap().contains("\"id\":\"scripted\""));
    let missing = http().get(format!("{}/nothing", model.base_url())).send().await.unwrap();
    assert_eq!(missing.status(), 404);
    assert_eq!((model.requests().len(), model.other_requests().len()), (0, 2));
}

#[tokio::test]
async fn strict_refuses_over_the_wire_and_leaves_the_script_alone() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.push(Answer::text("still here"));
    let mut bad = whole();
    bad["messages"] = json!([{"role": "tool", "tool_call_id": "a", "content": "x"}]);
    let refused = send(&model, &bad).await;
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("no call of the assistant message just before it"));
    assert!(model.refusals()[0].contains("messages[0]"));
    assert!(text(&model, &whole()).await.contains("still here"));
}
