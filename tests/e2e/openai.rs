//! The OpenAI door: whole answers and streams, sessions by name, clients that go away.

use crate::support::{asked, host, idle, said, until};
use far_side::{Answer, ScriptedModel, Usage};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_named_session_is_made_and_only_the_last_user_message_is_taken() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered").usage(Usage {
        prompt_tokens: 12,
        completion_tokens: 3,
        cached_tokens: 4,
        reasoning_tokens: 0,
    }));
    let host = host().model(&model).start().await;
    let body = json!({"model": "gpt-4", "messages": [
        {"role": "system", "content": "be rude"},
        {"role": "user", "content": "old"}, {"role": "assistant", "content": "made up"},
        {"role": "user", "content": [{"type": "text", "text": "the "}, {"type": "text", "text": "newest"}]},
    ]});
    let request = host.client().request("POST".parse().unwrap(), "/v1/chat/completions");
    let request = request.header("X-Dispatch-Session", "práce %E2%82%AC".replace("á", "%C3%A1"));
    let reply = host.client().send(request.json(&body)).await.ok();
    let answer = reply.json();
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["choices"][0]["message"], json!({"role": "assistant", "content": "answered", "refusal": null}));
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(answer["usage"]["prompt_tokens"], 12);
    assert_eq!(answer["usage"]["total_tokens"], 15);
    for header in ["x-dispatch-session", "x-dispatch-turn", "x-dispatch-position"] {
        assert!(reply.header(header).is_some_and(|value| !value.is_empty()), "{header}");
    }
    let sessions = host.get("/api/sessions").await.ok().json();
    assert_eq!(sessions["sessions"][0]["name"], "práce €", "{sessions}");
    let id = sessions["sessions"][0]["id"].as_str().unwrap().to_owned();
    let transcript = host.view(&id, "transcript").await;
    assert_eq!(said(&transcript, "user").concat().replace('\n', ""), "the newest");
    assert!(!model.requests()[0].text().contains("made up"));
    // An id addresses the session that it belongs to, and makes none.
    assert_eq!(host.chat(&id, "by id").await.ok().text(), "answered");
    assert_eq!(host.get("/api/sessions").await.json()["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn without_a_session_the_conversation_of_the_request_is_one() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.always(Answer::text("answered"));
    let host = host().model(&model).start().await;
    let body = json!({"model": "x", "messages": [
        {"role": "system", "content": "be terse"},
        {"role": "user", "content": "first"}, {"role": "assistant", "content": "reply"},
        {"role": "user", "content": "second"},
    ]});
    host.post("/v1/chat/completions", &body).await.ok();
    let sent = model.requests()[0].text().to_owned();
    for words in ["be terse", "first", "reply", "second"] {
        assert!(sent.contains(words), "{sent}");
    }
    host.post("/v1/chat/completions", &body).await.ok();
    assert_eq!(host.get("/api/sessions").await.json()["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(model.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn a_stream_has_the_frames_that_clients_expect() {
    let model = ScriptedModel::start();
    model.push(Answer::chunks(["日", "本🙂", " é"]).pause_between(Duration::from_millis(60)).usage(Usage {
        prompt_tokens: 5,
        completion_tokens: 2,
        cached_tokens: 0,
        reasoning_tokens: 0,
    }));
    let host = host().model(&model).start().await;
    let body = json!({"model": "x", "stream": true, "stream_options": {"include_usage": true},
        "messages": [{"role": "user", "content": "hi"}]});
    let request = host.client().request("POST".parse().unwrap(), "/v1/chat/completions");
    let response = request.header("X-Dispatch-Session", "s").json(&body).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert!(response.headers().contains_key("x-dispatch-turn"));
    let text = response.text().await.unwrap();
    let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(*data.last().unwrap(), "[DONE]");
    let chunks: Vec<Value> = data[..data.len() - 1].iter().map(|data| serde_json::from_str(data).unwrap()).collect();
    assert!(chunks.iter().all(|chunk| chunk["object"] == "chat.completion.chunk" && chunk["id"] == chunks[0]["id"]));
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let pieces: Vec<&str> = chunks.iter().filter_map(|it| it["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(pieces.concat(), "日本🙂 é");
    assert!(pieces.iter().filter(|piece| !piece.is_empty()).count() >= 2, "it streams: {pieces:?}");
    let ends: Vec<&Value> = chunks.iter().filter(|it| it["choices"][0]["finish_reason"] == "stop").collect();
    assert_eq!(ends.len(), 1);
    let usage = chunks.last().unwrap();
    assert_eq!((&usage["choices"], &usage["usage"]["prompt_tokens"]), (&json!([]), &json!(5)));
}

#[tokio::test]
async fn the_end_marks_leave_only_after_the_answer_is_recorded() {
    let model = ScriptedModel::start();
    model.always(Answer::chunks(["a", "b"]));
    let host = host().model(&model).start().await;
    for round in 0..5 {
        let mut stream = host.chat_stream("s", &format!("turn {round}")).await;
        stream.text().await;
        let transcript = host.view("s", "transcript").await;
        assert_eq!(said(&transcript, "assistant").len(), round + 1, "[DONE] came before the record");
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_does_not_end_the_turn() {
    let model = ScriptedModel::start();
    let slow = || Answer::chunks(["one ", "two ", "three"]).pause_between(Duration::from_millis(200));
    model.push_all([slow(), slow()]);
    let host = host().model(&model).start().await;
    let mut stream = host.chat_stream("s", "streamed").await;
    assert_eq!(stream.next_text().await.as_deref(), Some("one "));
    drop(stream);
    idle(host.client(), "s").await;
    let request = host.client().chat_request("s", "whole", false).timeout(Duration::from_millis(150));
    assert!(request.send().await.is_err(), "the client has given up");
    until("the second answer is there", async || said(&host.view("s", "transcript").await, "assistant").len() == 2)
        .await;
    let transcript = host.view("s", "transcript").await;
    assert_eq!(said(&transcript, "assistant"), ["one two three", "one two three"]);
    assert_eq!(said(&transcript, "user"), ["streamed", "whole"]);
}

#[tokio::test]
async fn a_stalled_model_is_interrupted_within_a_second() {
    let model = ScriptedModel::start();
    let hang = Duration::from_secs(60);
    let stalls = [
        ("", Answer::text("never").stall_before_headers(hang)),
        ("", Answer::text("never").stall_after_headers(hang)),
        ("begun", Answer::chunks(["begun", "never"]).stall_after(1, hang)),
    ];
    model.always(Answer::text("good"));
    let host = host().model(&model).start().await;
    for (at, (shown, stall)) in stalls.into_iter().enumerate() {
        let name = format!("s{at}");
        model.push(stall);
        let (client, session) = (host.client().clone(), name.clone());
        let waiting = tokio::task::JoinSet::from_iter([async move { client.chat(&session, "hello").await }]);
        model.wait_for(at * 2 + 1).await;
        if !shown.is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let begun = Instant::now();
        if at == 1 {
            host.run_cli(["interrupt", &name]).await.ok();
        } else {
            host.post(&format!("/api/sessions/{name}/interrupt"), &json!({})).await.ok();
        }
        let reply = waiting.join_all().await.remove(0).ok();
        idle(host.client(), &name).await;
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        assert_eq!(reply.json()["x_dispatch"]["outcome"], "interrupted", "{}", reply.body);
        assert_eq!(reply.text(), shown);
        assert_eq!(host.chat(&name, "again").await.ok().text(), "good");
        let request = model.requests().last().unwrap().clone();
        assert_eq!(asked(&request), "again");
        assert!(request.text().contains("hello"), "what was asked is not forgotten");
        let users = said(&host.view(&name, "transcript").await, "user");
        assert_eq!(users, ["hello", "again"]);
    }
    // Nothing runs: there is nothing to stop, and that is no fault of the caller.
    let idle = host.post("/api/sessions/s0/interrupt", &json!({})).await;
    assert!(idle.status == 200 || idle.status == 409, "{} {}", idle.status, idle.body);
}
