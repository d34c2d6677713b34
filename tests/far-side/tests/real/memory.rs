//! The scripted memory backend.

use std::time::{Duration, Instant};

use far_side::{MemoryAnswer, ScriptedMemory};
use serde_json::{Value, json};

use crate::client::http;

async fn post(memory: &ScriptedMemory, path: &str, body: Value) -> reqwest::Result<(u16, Value)> {
    let url = format!("{}{path}", memory.base_url());
    let sent = http().post(url).header("X-API-Key", "k").body(body.to_string()).send().await?;
    let status = sent.status().as_u16();
    Ok((status, serde_json::from_str(&sent.text().await?).unwrap()))
}

#[tokio::test]
async fn searches_answer_from_the_script_and_are_kept() {
    let memory = ScriptedMemory::start();
    memory.push_search(MemoryAnswer::results([("likes tea", 0.9), ("lives in Brno", 0.4)]));
    memory.push_search(MemoryAnswer::error(500, "down"));
    let query = json!({"query": "tea?", "top_k": 10, "filters": {"user_id": "u"}});
    let (_, found) = post(&memory, "/search", query.clone()).await.unwrap();
    assert_eq!(found["results"][1], json!({"id": "m2", "memory": "lives in Brno", "score": 0.4}));
    assert_eq!(post(&memory, "/search", query.clone()).await.unwrap().0, 500);
    assert_eq!(post(&memory, "/search", query.clone()).await.unwrap().1, json!({"results": []}));
    memory.always_search(MemoryAnswer::results([("always", 1.0)]));
    assert_eq!(post(&memory, "/search", query.clone()).await.unwrap().1["results"][0]["memory"], "always");
    let searches = memory.wait_for_searches(4).await;
    assert_eq!(searches[0].json(), query);
    assert_eq!(searches[0].header("x-api-key"), Some("k"));
    assert!(memory.additions().is_empty());
}

#[tokio::test]
async fn additions_are_confirmed_unless_they_are_malformed() {
    let memory = ScriptedMemory::start();
    let messages = json!({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]});
    let (_, first) = post(&memory, "/memories", messages.clone()).await.unwrap();
    let (_, second) = post(&memory, "/memories/", messages).await.unwrap();
    assert_eq!(first["results"][1], json!({"id": "a1-2", "memory": "a", "event": "ADD"}));
    assert_ne!(first["results"][0]["id"], second["results"][0]["id"]);
    assert_eq!(post(&memory, "/memories", json!({})).await.unwrap().0, 422);
    assert_eq!(memory.wait_for_additions(3).await.len(), 3);
    assert_eq!(post(&memory, "/v3/memories/search", json!({})).await.unwrap().0, 404);
    assert_eq!(memory.other_requests().len(), 1);
    assert_eq!(memory.requests().len(), 4);
}

#[tokio::test]
async fn a_cut_leaves_the_client_in_doubt() {
    let memory = ScriptedMemory::start();
    memory.push_addition(MemoryAnswer::nothing().cut());
    assert!(post(&memory, "/memories", json!({"messages": []})).await.is_err());
    assert_eq!(memory.additions().len(), 1);
}

#[tokio::test]
async fn requests_in_flight_are_counted_by_kind() {
    let memory = ScriptedMemory::start();
    let wait = Duration::from_millis(150);
    memory.always_search(MemoryAnswer::nothing().after(wait));
    let start = Instant::now();
    let search = || post(&memory, "/search", json!({"query": "x"}));
    let add = || post(&memory, "/memories", json!({"messages": []}));
    let (a, b, c) = tokio::join!(search(), search(), add());
    assert!(a.is_ok() && b.is_ok() && c.is_ok() && start.elapsed() >= wait);
    assert_eq!(memory.max_searches_in_flight(), 2);
    assert_eq!(memory.max_additions_in_flight(), 1);
    assert!(memory.max_in_flight() >= 2);

    let calm = ScriptedMemory::start();
    for _ in 0..3 {
        post(&calm, "/search", json!({"query": "x"})).await.unwrap();
    }
    assert_eq!(calm.max_in_flight(), 1);
    calm.always_search(MemoryAnswer::nothing().after(Duration::from_secs(30)));
    let hanging = tokio::time::timeout(wait, async { tokio::join!(search_on(&calm), search_on(&calm)) }).await;
    assert!(hanging.is_err());
    assert_eq!(calm.max_in_flight(), 2, "what has no answer yet counts");
}

async fn search_on(memory: &ScriptedMemory) -> reqwest::Result<(u16, Value)> {
    post(memory, "/search", json!({"query": "x"})).await
}
