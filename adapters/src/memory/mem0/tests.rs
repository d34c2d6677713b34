use super::*;
use crate::memory::scripted_http::{Play, ScriptedHttp};
use dispatch_events::{StreamId, SystemClock, TurnId};
use serde_json::json;

fn query() -> RecallQuery {
    RecallQuery { text: " which tea? ".to_owned(), session: StreamId::from_bytes([1; 16]) }
}

fn exchange() -> Exchange {
    Exchange {
        user: "hello".to_owned(),
        assistant: "hi".to_owned(),
        session: StreamId::from_bytes([1; 16]),
        turn: TurnId::from_bytes([2; 16]),
        key: "k-9".to_owned(),
    }
}

fn own(server: &ScriptedHttp, key: Option<&str>) -> Mem0 {
    let settings = Mem0Settings { base_url: Some(server.url.clone()), ..Mem0Settings::default() };
    Mem0::new(settings, key.map(str::to_owned), Arc::new(SystemClock)).unwrap()
}

/// The platform's routes and headers, at the address of a test.
fn platform(server: &ScriptedHttp) -> Mem0 {
    let settings = Mem0Settings::default();
    let clock = Arc::new(SystemClock);
    let transport = Transport::new(&server.url, Flavour::Platform, Some("pk"), &settings, clock).unwrap();
    Mem0 { inner: Arc::new(Inner { settings, transport, ahead: Ahead::default() }) }
}

#[tokio::test]
async fn self_hosted_requests_are_as_documented() {
    let server = ScriptedHttp::start(vec![Play::Answer(200, "[]".to_owned())]);
    let mem0 = own(&server, Some("sk"));
    mem0.recall(query()).await.unwrap();
    mem0.sync(exchange()).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked[0].line, "POST /search HTTP/1.1");
    assert_eq!(asked[0].header("x-api-key"), Some("sk"));
    assert_eq!(
        asked[0].body,
        json!({ "query": "which tea?", "filters": { "user_id": "dispatch-user" }, "top_k": 10, "rerank": false })
    );
    assert_eq!(asked[1].line, "POST /memories HTTP/1.1");
    assert_eq!(asked[1].header("content-type"), Some("application/json"));
    assert_eq!(asked[1].body["infer"], json!(true));
    assert_eq!(asked[1].body["user_id"], json!("dispatch-user"));
    assert_eq!(asked[1].body["agent_id"], json!("main"));
    assert_eq!(
        asked[1].body["messages"],
        json!([{ "role": "user", "content": "hello" }, { "role": "assistant", "content": "hi" }])
    );
    assert_eq!(asked[1].body["metadata"]["idempotency_key"], json!("k-9"));
}

#[tokio::test]
async fn platform_requests_are_as_documented() {
    let server = ScriptedHttp::start(vec![Play::Answer(200, "[]".to_owned())]);
    let mem0 = platform(&server);
    mem0.recall(query()).await.unwrap();
    mem0.sync(exchange()).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked[0].line, "POST /v3/memories/search/ HTTP/1.1");
    assert_eq!(asked[1].line, "POST /v3/memories/add/ HTTP/1.1");
    for one in &asked {
        assert_eq!(one.header("authorization"), Some("Token pk"));
        assert_eq!(one.header("mem0-user-id"), Some("dispatch-user"));
    }
}

#[tokio::test]
async fn a_server_without_a_key_gets_none() {
    let server = ScriptedHttp::start(vec![Play::Answer(200, "[]".to_owned())]);
    own(&server, None).recall(query()).await.unwrap();
    assert_eq!(server.asked()[0].header("x-api-key"), None);
    assert_eq!(server.asked()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_path_in_the_address_is_kept() {
    let server = ScriptedHttp::start(vec![Play::Answer(200, "[]".to_owned())]);
    let base = format!("{}/mem0/api", server.url);
    let settings = Mem0Settings { base_url: Some(base), ..Mem0Settings::default() };
    Mem0::new(settings, None, Arc::new(SystemClock)).unwrap().recall(query()).await.unwrap();
    assert_eq!(server.asked()[0].line, "POST /mem0/api/search HTTP/1.1");
}

#[test]
fn hits_become_bullets() {
    let answer = json!({ "results": [
        { "memory": "a\nfact" }, { "memory": "" }, { "memory": "a fact" }, { "id": "no text" },
        { "memory": "low", "score": 0.1 }, { "memory": "high", "score": 0.9 },
    ]});
    let bytes = answer.to_string().into_bytes();
    assert_eq!(request::bullets(&bytes, None).unwrap().unwrap(), "- a fact\n- low\n- high");
    assert_eq!(request::bullets(&bytes, Some(0.5)).unwrap().unwrap(), "- a fact\n- high");
    assert_eq!(request::bullets(b"[{\"memory\":\"x\"}]", None).unwrap().unwrap(), "- x");
    let many: Vec<_> = (0..50).map(|n| json!({ "memory": n.to_string() })).collect();
    let lines = request::bullets(json!(many).to_string().as_bytes(), None).unwrap().unwrap();
    assert_eq!(lines.lines().count(), 10);
    assert!(request::bullets(b"{\"detail\":\"no\"}", None).is_err());
}

#[tokio::test]
async fn a_port_that_nobody_listens_on_is_tried_three_times_and_named() {
    let settings = Mem0Settings { base_url: Some("http://127.0.0.1:1".to_owned()), ..Mem0Settings::default() };
    let mem0 = Mem0::new(settings, None, Arc::new(SystemClock)).unwrap();
    let error = mem0.recall(query()).await.unwrap_err();
    assert!(matches!(&error, MemoryError::Temporary(text) if text.contains("can't be reached")), "{error:?}");
}
