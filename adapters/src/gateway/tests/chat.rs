//! Whole answers of the OpenAI door.

use super::rig::{Act, BEARER, HOST, JSON, Plan, Rig, said};
use dispatch_actors::ports::ErrorClass;
use dispatch_projections::view::SessionStatus;
use serde_json::{Value, json};
use std::time::Duration;

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

#[actix_rt::test]
async fn a_turn_of_a_durable_session_has_its_answer_and_headers() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Say("Hel"), Act::Say("lo")]);
    let reply = rig.chat("demo", "hi").await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let body = reply.json();
    assert_eq!(body["object"], "chat.completion");
    assert_eq!(body["choices"][0]["message"], json!({"role": "assistant", "content": "Hello", "refusal": null}));
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    assert_eq!(body["model"], "scripted-1");
    assert_eq!(body["usage"]["total_tokens"], 9);
    assert_eq!(body["usage"]["prompt_tokens_details"]["cached_tokens"], 3);
    assert_eq!(body["x_dispatch"]["outcome"], "completed");
    assert_eq!(reply.header("x-dispatch-session"), Some("demo"), "called as the caller called it");
    assert_eq!(reply.header("x-dispatch-turn"), body["x_dispatch"]["turn"].as_str());
    let position = rig.host.health().position.0;
    let given: u64 = reply.header("x-dispatch-position").unwrap().parse().unwrap();
    assert!(given > 0 && given <= position);
    rig.chat("demo", "again").await;
    let expected = [("user", "hi"), ("assistant", "Hello"), ("user", "again"), ("assistant", "ok")];
    assert_eq!(rig.transcript("demo").await, pairs(&expected));
}

#[actix_rt::test]
async fn a_conversation_without_a_session_is_one_of_its_own() {
    let rig = Rig::start().await;
    let body = json!({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"}, {"role": "user", "content": [{"type": "text", "text": "c"}]}]});
    let first = rig.post("/v1/chat/completions", &body).await;
    let second = rig.post("/v1/chat/completions", &body).await;
    let session = first.header("x-dispatch-session").unwrap().to_owned();
    assert_eq!(first.json()["x_dispatch"]["session"], session.as_str(), "nobody named it, so it is the id");
    assert_ne!(second.header("x-dispatch-session"), Some(session.as_str()));
    let expected = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "ok")];
    assert_eq!(rig.transcript(&session).await, pairs(&expected));
    let sent = &rig.script.bodies()[0]["messages"];
    assert!(sent[0]["content"].as_str().unwrap().contains("Be brief."), "{sent}");
    let said: Vec<_> = (1..4).map(|at| sent[at]["content"].as_str().unwrap()).collect();
    assert_eq!((said[0], said[1]), ("a", "b"));
}

#[actix_rt::test]
async fn a_repeat_gets_the_stored_answer_and_another_input_is_refused() {
    let rig = Rig::start().await;
    let keyed = |key: &'static str| [("idempotency-key", key)];
    let first = rig.post_with("/v1/chat/completions", &keyed("k1"), &said("hi")).await;
    let again = rig.post_with("/v1/chat/completions", &keyed("k1"), &said("hi")).await;
    assert_eq!((first.status, again.status), (200, 200), "{}", again.text());
    assert_eq!(first.json()["id"], again.json()["id"]);
    for name in ["x-dispatch-session", "x-dispatch-turn"] {
        assert_eq!(first.header(name), again.header(name), "{name}");
    }
    assert_eq!(rig.script.bodies().len(), 1, "the model was asked once");
    let other = rig.post_with("/v1/chat/completions", &keyed("k1"), &said("ho")).await;
    assert_eq!(other.refusal(), (409, "admission_conflict".into()));
    let headers = [("idempotency-key", "k2"), ("x-dispatch-session", "demo")];
    let first = rig.post_with("/v1/chat/completions", &headers, &said("hi")).await;
    let again = rig.post_with("/v1/chat/completions", &headers, &said("hi")).await;
    assert_eq!(first.json()["choices"], again.json()["choices"]);
    let input = json!({"request_id": "k2", "parts": ["hi"]});
    let same = rig.post("/api/sessions/demo/input", &input).await.json();
    assert_eq!((&same["repeated"], &same["state"]), (&json!(true), &json!("terminal")), "one key, whichever door");
    assert_eq!(rig.script.bodies().len(), 2);
}

#[actix_rt::test]
async fn a_repeat_joins_the_running_turn() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Say("He"), Act::Wait, Act::Say("llo")]);
    let headers = [("idempotency-key", "k"), ("x-dispatch-session", "demo")];
    let body = said("hi");
    let (one, two, ()) = tokio::join!(
        rig.post_with("/v1/chat/completions", &headers, &body),
        async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            rig.post_with("/v1/chat/completions", &headers, &body).await
        },
        async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            rig.script.go.add_permits(1);
        }
    );
    assert_eq!(one.json()["choices"][0]["message"]["content"], "Hello");
    assert_eq!(one.json()["choices"], two.json()["choices"]);
    assert_eq!(rig.script.bodies().len(), 1);
}

#[actix_rt::test]
async fn a_client_that_hangs_up_does_not_end_the_turn() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Say("He"), Act::Wait, Act::Say("llo")]);
    let mut client = rig.client().await;
    let headers = [HOST, BEARER, JSON, ("x-dispatch-session", "demo"), ("idempotency-key", "k")];
    client.send("POST /v1/chat/completions", &headers, said("hi").to_string().as_bytes()).await;
    while rig.script.bodies().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(client);
    tokio::time::sleep(Duration::from_millis(200)).await;
    rig.script.go.add_permits(1);
    let headers = [("x-dispatch-session", "demo"), ("idempotency-key", "k")];
    let reply = rig.post_with("/v1/chat/completions", &headers, &said("hi")).await;
    assert_eq!(reply.json()["choices"][0]["message"]["content"], "Hello");
    assert_eq!(rig.script.bodies().len(), 1);
}

#[actix_rt::test]
async fn a_model_that_fails_is_a_502() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Fail(ErrorClass::BadRequest)]);
    let reply = rig.chat("demo", "hi").await;
    assert_eq!(reply.refusal(), (502, "model_failed".into()));
    assert!(reply.json()["detail"].as_str().unwrap().contains("the script says so"), "{}", reply.text());
    assert_eq!(reply.json()["error"]["type"], "server_error");
    assert_eq!(rig.chat("demo", "once more").await.status, 200, "the session goes on");
}

#[actix_rt::test]
async fn a_log_that_takes_no_writes_is_a_503() {
    // The host's start, the input, the request; the fourth append is the answer.
    let rig = Rig::with(Plan { refuse_from: Some(4), ..Plan::default() }).await;
    rig.script.then(&[Act::Wait, Act::Say("lost")]);
    let (reply, ()) = tokio::join!(rig.chat("demo", "hi"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        rig.script.go.add_permits(1);
    });
    assert_eq!(reply.refusal(), (503, "persistence_failed".into()), "{}", reply.text());
    let early = Rig::with(Plan { refuse_from: Some(2), ..Plan::default() }).await;
    assert_eq!(early.chat("demo", "hi").await.refusal(), (503, "persistence_failed".into()), "nothing was accepted");
}

#[actix_rt::test]
async fn a_stopped_turn_answers_with_what_was_said() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Say("He"), Act::Wait]);
    let (reply, stopped) = tokio::join!(rig.chat("demo", "hi"), async {
        while rig.script.bodies().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        rig.post("/api/sessions/demo/interrupt", &json!({})).await
    });
    assert_eq!(stopped.status, 200, "{}", stopped.text());
    let body = reply.json();
    assert_eq!(body["choices"][0]["message"]["content"], "He", "{body}");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    assert_eq!(body["x_dispatch"]["outcome"], "interrupted");
    assert_eq!(stopped.json()["turn"], body["x_dispatch"]["turn"]);
}

#[actix_rt::test]
async fn a_late_stop_that_names_its_turn_stops_nobody_elses() {
    let rig = Rig::start().await;
    let first = rig.chat("demo", "hi").await.json()["x_dispatch"]["turn"].clone();
    rig.script.then(&[Act::Say("He"), Act::Wait, Act::Say("llo")]);
    let (reply, (late, wrong)) = tokio::join!(rig.chat("demo", "again"), async {
        while rig.script.bodies().len() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let late = rig.post("/api/sessions/demo/interrupt", &json!({"turn": first})).await;
        let wrong = rig.post("/api/sessions/demo/interrupt", &json!({"turn": "x"})).await;
        rig.script.go.add_permits(1);
        (late, wrong)
    });
    assert_eq!(late.refusal(), (409, "stale_generation".into()), "{}", late.text());
    assert_eq!(wrong.refusal(), (400, "invalid_params".into()), "{}", wrong.text());
    let body = reply.json();
    assert_eq!(body["choices"][0]["message"]["content"], "Hello", "{body}");
    assert_eq!(body["x_dispatch"]["outcome"], "completed");
    // Without a body it is whatever runs, here nothing.
    let idle = rig.raw("POST /api/sessions/demo/interrupt", &[HOST, BEARER], b"").await;
    assert_eq!((idle.status, &idle.json()["turn"]), (200, &Value::Null), "{}", idle.text());
}

#[actix_rt::test]
async fn a_stop_that_names_the_running_turn_stops_it() {
    let rig = Rig::start().await;
    rig.post("/api/sessions", &json!({"name": "demo"})).await;
    rig.script.then(&[Act::Say("He"), Act::Wait]);
    let turn = rig.post("/api/sessions/demo/input", &json!({"parts": ["hi"]})).await.json()["turn"].clone();
    let stopped = rig.post("/api/sessions/demo/interrupt", &json!({"turn": turn})).await;
    assert_eq!((stopped.status, &stopped.json()["turn"]), (200, &turn), "{}", stopped.text());
}

#[actix_rt::test]
async fn the_built_in_model_says_that_it_is_one() {
    let rig = Rig::with(Plan { rehearsal: true, ..Plan::default() }).await;
    let body = rig.chat("demo", "hi").await.json();
    assert_eq!((&body["model"], &body["system_fingerprint"]), (&json!("rehearsal"), &json!("dispatch-rehearsal")));
    let models = rig.get("/v1/models").await.json();
    assert_eq!(models["data"][0]["id"], "rehearsal");
    assert_eq!(models["data"][0]["x_dispatch"]["rehearsal"], true);
}

#[actix_rt::test]
async fn a_name_is_a_name_in_every_script() {
    let rig = Rig::start().await;
    let reply = rig.chat("%E6%97%A5%E6%9C%AC%20100%25", "hi").await;
    assert_eq!(reply.header("x-dispatch-session"), Some("%E6%97%A5%E6%9C%AC%20100%25"));
    let shown = rig.get("/api/sessions/%E6%97%A5%E6%9C%AC%20100%25").await.json();
    assert_eq!(shown["name"], "日本 100%");
    let by_id = rig.get(&format!("/api/sessions/{}", shown["id"].as_str().unwrap())).await.json();
    assert_eq!(by_id["name"], "日本 100%");
    assert_eq!(rig.host.summary(&"日本 100%".into()).await.unwrap().status, SessionStatus::Idle);
    assert_eq!(rig.chat("", "hi").await.refusal(), (400, "invalid_params".into()));
}
