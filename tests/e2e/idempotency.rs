//! `Idempotency-Key`: a repeat joins the running turn, or gets the stored answer; another body is a conflict.

use crate::support::{host, idle, said};
use far_side::{Answer, HostClient, HostReply, ScriptedModel};
use serde_json::json;
use std::time::Duration;

async fn chat(client: &HostClient, session: Option<&str>, key: &str, text: &str) -> HostReply {
    let body = json!({"model": "x", "messages": [{"role": "user", "content": text}]});
    let mut request = client.request("POST".parse().unwrap(), "/v1/chat/completions").header("Idempotency-Key", key);
    if let Some(session) = session {
        request = request.header("X-Dispatch-Session", session);
    }
    client.send(request.json(&body)).await
}

#[tokio::test]
async fn a_repeat_joins_the_running_turn() {
    let model = ScriptedModel::start();
    model.push(Answer::chunks(["one ", "two"]).pause_between(Duration::from_millis(400)));
    let host = host().model(&model).start().await;
    let client = host.client();
    let repeat = async |after: u64| {
        tokio::time::sleep(Duration::from_millis(after)).await;
        chat(client, Some("s"), "k", "hello").await.ok()
    };
    let streamed = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let request = client.chat_request("s", "hello", true).header("Idempotency-Key", "k");
        let text = request.send().await.unwrap().text().await.unwrap();
        assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
        let data = text.lines().filter_map(|line| line.strip_prefix("data: ").filter(|data| *data != "[DONE]"));
        let chunks: Vec<serde_json::Value> = data.map(|data| serde_json::from_str(data).unwrap()).collect();
        chunks.iter().filter_map(|it| it["choices"][0]["delta"]["content"].as_str()).collect::<String>()
    };
    let (first, second, third, streamed) = tokio::join!(repeat(0), repeat(0), repeat(250), streamed);
    for reply in [&first, &second, &third] {
        assert_eq!(reply.text(), "one two");
        assert_eq!(reply.header("x-dispatch-turn"), first.header("x-dispatch-turn"));
        assert_eq!(reply.json()["id"], first.json()["id"]);
    }
    assert_eq!(streamed, "one two");
    assert_eq!(model.received(), 1);
    assert_eq!(said(&host.view("s", "transcript").await, "user"), ["hello"]);
}

#[tokio::test]
async fn a_repeat_after_a_kill_gets_the_stored_answer_without_a_model_call() {
    let model = ScriptedModel::start();
    model.push_all([Answer::text("stored"), Answer::text("own"), Answer::error(401, "x", "no")]);
    let mut host = host().model(&model).start().await;
    let first = chat(host.client(), Some("s"), "k", "hello").await.ok();
    let own = chat(host.client(), None, "k", "hello").await.ok();
    assert_eq!((first.text(), own.text()), ("stored".to_owned(), "own".to_owned()), "the session is part of the key");
    let failed = chat(host.client(), Some("failing"), "k", "hello").await;
    assert_eq!(failed.status, 502);
    host.sigkill();
    host.restart().await;
    for _ in 0..2 {
        let again = chat(host.client(), Some("s"), "k", "hello").await.ok();
        assert_eq!((again.text(), &again.json()["id"]), ("stored".to_owned(), &first.json()["id"]));
        assert_eq!(again.header("x-dispatch-turn"), first.header("x-dispatch-turn"));
        assert_eq!(chat(host.client(), None, "k", "hello").await.ok().text(), "own");
        // A turn that failed is not run again by a repeat of its key: its error is its answer.
        assert_eq!(chat(host.client(), Some("failing"), "k", "hello").await.status, 502);
    }
    let request = host.client().chat_request("s", "hello", true).header("Idempotency-Key", "k");
    let text = request.send().await.unwrap().text().await.unwrap();
    assert!(text.contains("stored") && text.ends_with("data: [DONE]\n\n"), "{text}");
    assert_eq!(model.received(), 3);
    assert_eq!(said(&host.view("s", "transcript").await, "user"), ["hello"]);
}

#[tokio::test]
async fn another_body_under_the_same_key_is_a_conflict() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    for session in [Some("s"), None] {
        chat(host.client(), session, "k", "hello").await.ok();
    }
    for _ in 0..2 {
        for session in [Some("s"), None] {
            let other = chat(host.client(), session, "k", "something else").await;
            assert_eq!((other.status, other.code().as_str()), (409, "admission_conflict"), "{}", other.body);
        }
        host.restart().await;
    }
    assert_eq!(model.received(), 2);
}

#[tokio::test]
async fn the_input_route_keeps_the_same_promise() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    let body = json!({"request_id": "r-1", "parts": ["hello"], "open": true});
    let first = host.post("/api/sessions/s/input", &body).await;
    assert_eq!(first.status, 202);
    idle(host.client(), "s").await;
    host.sigkill();
    host.restart().await;
    let again = host.post("/api/sessions/s/input", &body).await;
    assert_eq!(again.status, 202);
    for field in ["admission", "seq", "position"] {
        assert!(!first.json()[field].is_null());
        assert_eq!(again.json()[field], first.json()[field], "{field}");
    }
    assert_eq!(again.json()["state"], "terminal");
    let other = json!({"request_id": "r-1", "parts": ["other"], "open": true});
    assert_eq!(host.post("/api/sessions/s/input", &other).await.code(), "admission_conflict");
    let cli = host.run_cli(["submit", "s", "by hand", "--request-id", "r-2", "--wait", "--json"]).await.ok().json();
    assert_eq!((&cli["answer"], &cli["state"]), (&json!("answered"), &json!("terminal")));
    let cli = host.run_cli(["submit", "s", "by hand", "--request-id", "r-2", "--wait", "--json"]).await.ok().json();
    assert_eq!(cli["answer"], "answered");
    let other = host.run_cli(["submit", "s", "not that", "--request-id", "r-2"]).await;
    assert_eq!(other.status, Some(4), "{}", other.stderr);
    assert_eq!(model.received(), 2);
}
