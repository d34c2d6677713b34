//! Streamed answers of the OpenAI door.

use super::{
    client::{Client, Reply},
    rig::{Act, BEARER, HOST, JSON, Plan, Rig},
};
use dispatch_actors::ports::ErrorClass;
use serde_json::{Value, json};
use std::time::Duration;

struct Streamed {
    client: Client,
    head: Reply,
    pending: String,
}

impl Streamed {
    async fn open(rig: &Rig, headers: &[(&str, &str)], body: &Value) -> Self {
        let mut client = rig.client().await;
        let headers = [&[HOST, BEARER, JSON], headers].concat();
        client.send("POST /v1/chat/completions", &headers, body.to_string().as_bytes()).await;
        let head = client.head().await;
        Self { client, head, pending: String::new() }
    }

    /// The data of the next frame.
    async fn next(&mut self) -> Option<String> {
        let event = self.client.event(&mut self.pending).await?;
        Some(event.strip_prefix("data: ").unwrap_or_else(|| panic!("{event}")).to_owned())
    }

    async fn piece(&mut self) -> Value {
        serde_json::from_str(&self.next().await.expect("a piece")).unwrap()
    }

    async fn rest(&mut self) -> Vec<String> {
        let mut rest = Vec::new();
        while let Some(data) = self.next().await {
            rest.push(data);
        }
        rest
    }
}

fn asks(text: &str) -> Value {
    json!({"stream": true, "stream_options": {"include_usage": true}, "messages": [{"role": "user", "content": text}]})
}

fn text_of(frames: &[String]) -> String {
    let pieces = frames.iter().filter(|frame| *frame != "[DONE]").map(|frame| serde_json::from_str(frame).unwrap());
    pieces.filter_map(|piece: Value| piece["choices"][0]["delta"]["content"].as_str().map(str::to_owned)).collect()
}

#[actix_rt::test]
async fn text_comes_live_and_the_end_only_when_the_turn_is_settled() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Wait, Act::Say("Hel"), Act::Wait, Act::Say("lo")]);
    let mut stream = Streamed::open(&rig, &[("x-dispatch-session", "demo")], &asks("hi")).await;
    rig.script.go.add_permits(1);
    assert_eq!(stream.head.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.head.header("x-dispatch-session"), Some("demo"));
    let turn = stream.head.header("x-dispatch-turn").expect("the turn is known").to_owned();
    assert!(stream.head.header("x-dispatch-position").is_some());
    let role = stream.piece().await;
    assert_eq!(role["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(role["object"], "chat.completion.chunk");
    assert_eq!(stream.piece().await["choices"][0]["delta"]["content"], "Hel", "while the model still thinks");
    let early = tokio::time::timeout(Duration::from_millis(200), stream.next()).await;
    assert!(early.is_err(), "nothing more before the model goes on");
    rig.script.go.add_permits(1);
    let rest = stream.rest().await;
    assert_eq!(rig.transcript("demo").await.len(), 2, "the end is never ahead of the log");
    assert_eq!(text_of(&rest), "lo");
    let [.., finish, usage, done] = &rest[..] else { panic!("{rest:?}") };
    let (finish, usage): (Value, Value) = (serde_json::from_str(finish).unwrap(), serde_json::from_str(usage).unwrap());
    assert_eq!(finish["choices"][0]["finish_reason"], "stop");
    assert_eq!((&finish["x_dispatch"]["turn"], &finish["x_dispatch"]["outcome"]), (&json!(turn), &json!("completed")));
    assert_eq!((&usage["choices"], &usage["usage"]["completion_tokens"]), (&json!([]), &json!(2)));
    assert_eq!(done, "[DONE]");
    assert!(finish["id"] == role["id"] && finish["model"] == "scripted-1");
}

#[actix_rt::test]
async fn a_repeat_streams_the_stored_answer_and_a_late_one_gets_all_of_it() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Wait, Act::Say("Hel"), Act::Wait, Act::Say("lo"), Act::Wait, Act::Say("!")]);
    let headers = [("idempotency-key", "k"), ("x-dispatch-session", "demo")];
    let mut first = Streamed::open(&rig, &headers, &asks("hi")).await;
    rig.script.go.add_permits(1);
    first.piece().await;
    assert_eq!(first.piece().await["choices"][0]["delta"]["content"], "Hel");
    let mut late = Streamed::open(&rig, &headers, &asks("hi")).await;
    late.piece().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    rig.script.go.add_permits(2);
    assert_eq!(text_of(&first.rest().await), "lo!");
    assert_eq!(text_of(&late.rest().await), "Hello!");
    let mut stored = Streamed::open(&rig, &headers, &asks("hi")).await;
    let frames = stored.rest().await;
    assert_eq!((text_of(&frames).as_str(), frames.last().unwrap().as_str()), ("Hello!", "[DONE]"));
    assert_eq!(rig.script.bodies().len(), 1);
}

#[actix_rt::test]
async fn a_turn_that_fails_ends_with_an_error_and_no_done() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Say("Hel"), Act::Fail(ErrorClass::BadRequest)]);
    let mut stream = Streamed::open(&rig, &[("x-dispatch-session", "demo")], &asks("hi")).await;
    let frames = stream.rest().await;
    let last: Value = serde_json::from_str(frames.last().unwrap()).unwrap();
    assert_eq!(last["error"]["code"], "model_failed", "{frames:?}");
    assert!(!frames.iter().any(|frame| frame == "[DONE]" || frame.contains("\"finish_reason\":\"stop\"")));
}

#[actix_rt::test]
async fn an_answer_that_is_not_recorded_is_not_finished() {
    let rig = Rig::with(Plan { refuse_from: Some(4), ..Plan::default() }).await;
    rig.script.then(&[Act::Wait, Act::Say("lo"), Act::Wait, Act::Say("st")]);
    let mut stream = Streamed::open(&rig, &[("x-dispatch-session", "demo")], &asks("hi")).await;
    rig.script.go.add_permits(1);
    stream.piece().await;
    stream.piece().await;
    rig.script.go.add_permits(1);
    let frames = stream.rest().await;
    let last: Value = serde_json::from_str(frames.last().unwrap()).unwrap();
    assert_eq!(last["error"]["code"], "persistence_failed", "{frames:?}");
    assert!(!frames.iter().any(|frame| frame == "[DONE]" || frame.contains("\"finish_reason\":\"stop\"")));
}

#[actix_rt::test]
async fn an_input_that_waits_gets_its_turn_in_the_head() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Wait, Act::Say("one")]);
    rig.script.then(&[Act::Say("two")]);
    let headers = [("x-dispatch-session", "demo")];
    let mut first = Streamed::open(&rig, &headers, &asks("a")).await;
    let waits = asks("b");
    let (mut second, ()) = tokio::join!(Streamed::open(&rig, &headers, &waits), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        rig.script.go.add_permits(1);
    });
    let turn = second.head.header("x-dispatch-turn").expect("the head waited for the turn").to_owned();
    assert_ne!(first.head.header("x-dispatch-turn"), Some(turn.as_str()));
    assert_eq!((text_of(&first.rest().await), text_of(&second.rest().await)), ("one".into(), "two".into()));
}

#[actix_rt::test]
async fn a_stopped_turn_ends_its_stream() {
    let rig = Rig::start().await;
    rig.script.then(&[Act::Wait, Act::Say("Hel"), Act::Wait]);
    let mut stream = Streamed::open(&rig, &[("x-dispatch-session", "demo")], &asks("hi")).await;
    rig.script.go.add_permits(1);
    stream.piece().await;
    stream.piece().await;
    assert_eq!(rig.post("/api/sessions/demo/interrupt", &json!({})).await.status, 200);
    let rest = stream.rest().await;
    assert!(rest.iter().any(|frame| frame.contains("\"outcome\":\"interrupted\"")), "{rest:?}");
    assert_eq!(rest.last().unwrap(), "[DONE]");
    assert_eq!(text_of(&rest), "", "nothing is said twice");
}
