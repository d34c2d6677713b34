//! What the tests say often: a host, an input, a transcript, the wire.

use far_side::{HostClient, HostProcess, HostReply, HostSetup, Request, message_elements, sha256};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a session may take to get idle. A debug build on a busy machine takes seconds.
const PATIENCE: Duration = Duration::from_secs(40);

/// The host under test.
pub fn host() -> HostSetup {
    HostProcess::setup(env!("CARGO_BIN_EXE_dispatch"))
}

/// Sends an input to a session, which is opened if it is new.
pub async fn submit(client: &HostClient, session: &str, text: &str) -> HostReply {
    client.post(&format!("/api/sessions/{session}/input"), &json!({"parts": [text], "open": true})).await
}

/// The texts of one role, in order.
pub fn said(transcript: &Value, role: &str) -> Vec<String> {
    let messages = transcript["messages"].as_array().unwrap();
    let texts = messages.iter().filter(|message| message["role"] == role);
    texts.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// Waits until nothing of the session is queued or running.
pub async fn idle(client: &HostClient, session: &str) {
    let begun = Instant::now();
    loop {
        let queue = client.view(session, "queue").await;
        if queue["pending"].as_array().unwrap().is_empty() {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "`{session}` is not idle after {PATIENCE:?}: {queue}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until this holds.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The text of the newest user message of a request.
pub fn asked(request: &Request) -> String {
    let body = request.json();
    let messages = body["messages"].as_array().unwrap();
    let user = messages.iter().rev().find(|message| message["role"] == "user").unwrap();
    text_of(&user["content"])
}

/// A message's content, as a text or as parts.
pub fn text_of(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

/// Fails unless the later request repeats the earlier one byte for byte up to the end of its last message, and goes on.
pub fn assert_extends(earlier: &Request, later: &Request) {
    let (before, after) = (message_elements(&earlier.body), message_elements(&later.body));
    assert!(after.len() > before.len(), "{} messages after {}", after.len(), before.len());
    let digests = |messages: &[String]| messages.iter().map(sha256).collect::<Vec<_>>();
    assert_eq!(digests(&before), digests(&after[..before.len()]));
    // Not the elements alone: what stands before and between them is part of the prefix too.
    let last = before.last().unwrap();
    let end = earlier.text().rfind(last.as_str()).unwrap() + last.len();
    assert_eq!(&earlier.text()[..end], &later.text()[..end]);
}

/// Fails unless the view shows exactly the bodies that the model received, each proven.
pub fn assert_wire(view: &Value, requests: &[std::sync::Arc<Request>]) {
    let shown = view["requests"].as_array().unwrap();
    assert_eq!(shown.len(), requests.len());
    for (shown, sent) in shown.iter().zip(requests) {
        assert_eq!(shown["body"].as_str().unwrap(), sent.text());
        assert_eq!(shown["body_sha256"].as_str().unwrap(), sha256(&sent.body));
        assert_eq!(shown["proven"], true);
    }
}

/// Fails unless every request of the session extends the one before it, and every digest agrees with what was recorded.
pub fn assert_prefixes(audit: &Value, count: usize) {
    let rows = audit["requests"].as_array().unwrap();
    assert_eq!(rows.len(), count);
    for row in rows {
        assert_eq!((&row["extends_previous"], &row["proven"]), (&json!(true), &json!(true)), "{row}");
        assert_eq!(row["diverged_at"], Value::Null, "{row}");
    }
}

/// Fails unless the log is sound, and gives the report.
pub async fn verified(client: &HostClient) -> Value {
    let report = client.get("/api/audit/verify").await.ok().json();
    assert_eq!(report["sound"], true, "{report}");
    assert_eq!((&report["unreadable"], &report["unknown"]), (&json!(0), &json!(0)), "{report}");
    report
}

/// Every event of a session, by pages.
pub async fn events(client: &HostClient, session: &str) -> Vec<Value> {
    let (mut all, mut from) = (Vec::new(), 1);
    loop {
        let page = client.get(&format!("/api/sessions/{session}/events?limit=500&from={from}")).await.ok().json();
        all.extend(page["events"].as_array().unwrap().iter().cloned());
        match page["next"].as_u64() {
            Some(next) => from = next,
            None => return all,
        }
    }
}

/// The types of events, in order.
pub fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// A number below the bound, from the operating system's source of ids: a failing run prints what it used.
pub fn random(below: u64) -> u64 {
    u64::try_from(uuid::Uuid::new_v4().as_u128() & u128::from(u64::MAX >> 1)).unwrap() % below
}
