//! Writes that are owed to the memory backend: only for turns that ended well, in order, also after the end of a process.

use crate::support::{host, idle, until};
use far_side::{Answer, MemoryAnswer, Request, ScriptedMemory, ScriptedModel};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// What the additions say that the user said.
fn users(additions: &[Arc<Request>]) -> Vec<String> {
    additions.iter().map(|it| it.json()["messages"][0]["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn only_turns_that_ended_well_are_written_and_in_their_order() {
    let (model, memory) = (ScriptedModel::start(), ScriptedMemory::start());
    memory.always_addition(MemoryAnswer::json(200, &json!({"results": []})).after(Duration::from_millis(150)));
    model.push_all([
        Answer::text("one"),
        Answer::chunks(["begun", "never"]).stall_after(1, Duration::from_secs(60)),
        Answer::error(401, "invalid_api_key", "Incorrect API key provided"),
        Answer::text("two"),
        Answer::text("three"),
    ]);
    let host = host().model(&model).mem0(&memory).start().await;
    host.chat("s", "good 1").await.ok();
    let mut stalled = host.chat_stream("s", "interrupted").await;
    assert_eq!(stalled.next_text().await.as_deref(), Some("begun"));
    host.post("/api/sessions/s/interrupt", &json!({})).await.ok();
    idle(host.client(), "s").await;
    assert_eq!(host.chat("s", "failed").await.status, 502);
    host.chat("s", "good 2").await.ok();
    host.chat("s", "good 3").await.ok();
    let additions = memory.wait_for_additions(3).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(users(&additions), ["good 1", "good 2", "good 3"]);
    assert_eq!(memory.additions().len(), 3, "{:?}", users(&memory.additions()));
    assert_eq!(memory.max_in_flight(), 1);
}

/// Ends the host while a write is owed, starts it again, and gives what was written.
async fn owed_over(kill: bool) {
    let (model, memory) = (ScriptedModel::start(), ScriptedMemory::start());
    memory.push_addition(MemoryAnswer::nothing().after(Duration::from_secs(60)));
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).mem0(&memory).env("DISPATCH_MEMORY__DRAIN_TIMEOUT_MS", "300").start().await;
    host.chat("s", "owed").await.ok();
    memory.wait_for_additions(1).await;
    if kill {
        host.sigkill();
    } else {
        host.sigterm();
        let status = host.ended(Duration::from_secs(10)).await;
        assert!(status.success(), "{status}");
    }
    host.restart().await;
    let additions = memory.wait_for_additions(2).await;
    assert_eq!(users(&additions), ["owed", "owed"], "the same write is tried again");
    let key = |at: usize| additions[at].json()["metadata"]["idempotency_key"].clone();
    assert!(key(0).is_string() && key(0) == key(1), "{} {}", key(0), key(1));
    until("the write is met", async || {
        let all = host.view("s", "obligations").await;
        all["obligations"].as_array().unwrap().iter().all(|it| it["state"] == "met")
    })
    .await;
    assert_eq!(memory.additions().len(), 2, "once met, it is not written again");
    host.restart().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(memory.additions().len(), 2);
    crate::support::verified(host.client()).await;
}

#[tokio::test]
async fn what_is_owed_at_a_drain_is_met_after_the_next_start() {
    owed_over(false).await;
}

#[tokio::test]
async fn what_is_owed_at_a_kill_is_met_after_the_next_start() {
    owed_over(true).await;
}

/// Ends the host while a write is under way and two more wait; in this mode they are given up by name, not made up for.
async fn left_over(kill: bool) {
    let (model, memory) = (ScriptedModel::start(), ScriptedMemory::start());
    memory.always_addition(MemoryAnswer::nothing().after(Duration::from_secs(60)));
    model.always(Answer::text("answered"));
    let host = host().model(&model).mem0(&memory).env("DISPATCH_MEMORY__MODE", "best_effort");
    let host = host.env("DISPATCH_MEMORY__DRAIN_TIMEOUT_MS", "300").env("DISPATCH_MEMORY__RECALL_TIMEOUT_MS", "100");
    let mut host = host.start().await;
    for text in ["left 1", "left 2"] {
        host.chat("s", text).await.ok();
    }
    memory.wait_for_additions(1).await;
    if kill {
        host.sigkill();
    } else {
        host.sigterm();
        assert!(host.ended(Duration::from_secs(10)).await.success());
    }
    host.restart().await;
    until("what was left is abandoned", async || {
        let all = host.view("s", "obligations").await;
        let all = all["obligations"].as_array().unwrap();
        !all.is_empty() && all.iter().all(|it| it["state"]["abandoned"].is_string())
    })
    .await;
    assert_eq!(memory.additions().len(), 1);
}

#[tokio::test]
async fn best_effort_abandons_what_a_drain_leaves() {
    left_over(false).await;
}

#[tokio::test]
async fn best_effort_abandons_what_a_kill_leaves() {
    left_over(true).await;
}
