//! Models that answer wrongly: the turn fails with the cause and the next step, and the session goes on.

use crate::support::{asked, assert_prefixes, host, idle, said, verified};
use far_side::{Answer, HostProcess, ScriptedModel};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn rig() -> (HostProcess, ScriptedModel) {
    let model = ScriptedModel::start();
    model.strict(true);
    let host = host().model(&model).env("DISPATCH_MODELS__SCRIPTED__STALL_TIMEOUT_S", "2").start().await;
    (host, model)
}

/// The next turn works, and the model is told what the person had asked before.
async fn still_good(host: &HostProcess, model: &ScriptedModel, session: &str, lost: &str) {
    model.push(Answer::text("good"));
    assert_eq!(host.chat(session, "and now?").await.ok().text(), "good", "{session}");
    let request = model.requests().last().unwrap().clone();
    assert_eq!(asked(&request), "and now?");
    assert!(request.text().contains(lost), "{session}: the model does not see {lost:?}: {}", request.text());
    let users = said(&host.view(session, "transcript").await, "user");
    assert_eq!(users, [lost, "and now?"], "{session}");
    assert_eq!(model.refusals(), Vec::<String>::new(), "{session}");
}

#[tokio::test]
async fn answers_that_are_none() {
    let (host, model) = rig().await;
    // A name, what the model does each time, and words that the error has.
    let cases: [(&str, Answer, &[&str]); 8] = [
        ("html-200", Answer::html(200), &["base_url"]),
        ("html-404", Answer::html(404), &["base_url"]),
        ("empty-200", Answer::status(200, ""), &[]),
        ("no-json", Answer::status(200, "{\"choices\": ["), &[]),
        ("nothing-then-done", Answer::frames(Vec::<String>::new()), &[]),
        ("refused-key", Answer::error(401, "invalid_api_key", "Incorrect API key provided"), &["key"]),
        ("quota", Answer::quota_used_up(), &["credit"]),
        ("too-long", Answer::context_too_long(8192, 9000), &["window"]),
    ];
    for (session, answer, words) in cases {
        let before = model.received();
        model.always(answer);
        let reply = host.chat(session, "what is it?").await;
        assert_eq!((reply.status, reply.code().as_str()), (502, "model_failed"), "{session}: {}", reply.body);
        let detail = reply.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.len() > 20, "{session}: {detail}");
        for word in words {
            assert!(detail.contains(word), "{session}: {detail}");
        }
        still_good(&host, &model, session, "what is it?").await;
        let audit = host.get(&format!("/api/audit/prefix?session={session}")).await.json();
        assert_prefixes(&audit, model.received() - before);
    }
    verified(host.client()).await;
}

#[tokio::test]
async fn streams_that_break_off_before_any_text_are_tried_again() {
    let (host, model) = rig().await;
    let cut = || Answer::text("never seen").cut_after(0);
    model.push_all([cut(), Answer::text("x").ends_after(0), Answer::html(502), Answer::text("at last")]);
    assert_eq!(host.chat("s", "hello").await.ok().text(), "at last");
    let requests = model.requests();
    assert_eq!(requests.len(), 4, "three retries");
    for request in &requests[1..] {
        assert_eq!(request.body, requests[0].body, "a retry sends the same bytes");
    }
    let events = crate::support::events(host.client(), "s").await;
    let kinds = crate::support::kinds(&events);
    assert_eq!(kinds.iter().filter(|kind| **kind == "model.requested").count(), 4, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| **kind == "model.failed").count(), 3, "{kinds:?}");
    assert_eq!(said(&host.view("s", "transcript").await, "assistant"), ["at last"]);
}

#[tokio::test]
async fn streams_that_break_off_behind_text_end_the_turn_and_lose_nothing() {
    let (host, model) = rig().await;
    let cases = [
        ("cut", Answer::chunks(["seen, ", "and more"]).cut_after(1)),
        ("no-end", Answer::chunks(["seen, ", "and more"]).ends_after(1)),
        ("error", Answer::chunks(["seen, ", "and more"]).error_after(1, &json!({"message": "boom", "code": 500}))),
        ("stall", Answer::chunks(["seen, ", "and more"]).stall_after(1, Duration::from_secs(60))),
    ];
    for (session, answer) in cases {
        let before = model.received();
        model.push(answer);
        let begun = Instant::now();
        let mut stream = host.chat_stream(session, "tell me").await;
        let mut frames: Vec<Value> = Vec::new();
        let mut done = false;
        while let Some(event) = stream.next_event().await.unwrap() {
            if event.data == "[DONE]" {
                done = true;
                break;
            }
            frames.push(serde_json::from_str(&event.data).unwrap());
        }
        assert!(!done, "{session}: an answer that broke off has no [DONE]");
        assert!(
            frames.iter().any(|frame| frame["choices"][0]["delta"]["content"] == "seen, "),
            "{session}: {frames:?}"
        );
        assert!(frames.iter().all(|frame| frame["choices"][0]["finish_reason"].is_null()), "{session}: {frames:?}");
        let error = &frames.last().unwrap()["error"];
        assert_eq!(error["code"], "model_failed", "{session}: {frames:?}");
        assert!(begun.elapsed() < Duration::from_secs(6), "{session}: {:?}", begun.elapsed());
        assert_eq!(model.received() - before, 1, "{session}: no retry behind text that was shown");
        idle(host.client(), session).await;
        still_good(&host, &model, session, "tell me").await;
        let all = host.view(session, "all").await.to_string();
        assert!(all.contains("seen, "), "{session}: what a person saw is in the log: {all}");
    }
}

#[tokio::test]
async fn odd_but_legal_chunks_give_the_exact_text() {
    let (host, model) = rig().await;
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}).to_string();
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}).to_string();
    let usage =
        json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}}).to_string();
    model.push(Answer::frames([
        r#"{"choices":[]}"#.to_owned(),
        delta(json!({"role": "assistant", "content": null})),
        delta(json!({})),
        r#"{"choices":[{"index":0,"finish_reason":null}]}"#.to_owned(),
        delta(json!({"content": "日本🙂 é"})),
        end,
        usage,
    ]));
    assert_eq!(host.chat("frames", "x").await.ok().text(), "日本🙂 é");
    assert_eq!(host.view("frames", "usage").await["input_tokens"], 3);
    model.push(Answer::text("日本🙂 é\u{301} konec").byte_by_byte(Duration::ZERO).crlf().comments("wait"));
    assert_eq!(host.chat_stream("bytes", "x").await.text().await, "日本🙂 é\u{301} konec");
    model.push(Answer::text("no mark").without_done());
    assert_eq!(host.chat("finish-only", "x").await.ok().text(), "no mark");
    assert_eq!(model.refusals(), Vec::<String>::new());
}
