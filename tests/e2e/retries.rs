//! A model that is busy: the wait that it names is honoured, and the same turn goes on.

use crate::support::{assert_prefixes, events, host, kinds, said};
use far_side::{Answer, ScriptedModel};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_named_wait_is_honoured_and_the_same_turn_goes_on() {
    let model = ScriptedModel::start();
    model.push_all([Answer::rate_limited("2"), Answer::text("at last")]);
    let host = host().model(&model).start().await;
    assert_eq!(host.chat("s", "hello").await.ok().text(), "at last");
    let requests = model.requests();
    let waited = requests[1].arrived.duration_since(requests[0].arrived);
    assert!(waited >= Duration::from_millis(1_950) && waited < Duration::from_secs(4), "{waited:?}");
    assert_eq!(requests[0].body, requests[1].body);
    let log = events(host.client(), "s").await;
    let failed = log.iter().find(|event| event["type"] == "model.failed").unwrap();
    assert_eq!(failed["payload"]["retry_after_ms"], 2000, "{failed}");
    assert_eq!(failed["payload"]["class"], "rate_limit", "{failed}");
    assert_eq!(kinds(&log).iter().filter(|kind| **kind == "turn.started").count(), 1);
    let wire = host.view("s", "wire").await;
    let attempts: Vec<_> = wire["requests"].as_array().unwrap().iter().map(|it| it["attempt"].as_u64()).collect();
    assert_eq!(attempts, [Some(1), Some(2)]);
    assert_prefixes(&host.get("/api/audit/prefix?session=s").await.json(), 2);
}

#[tokio::test]
async fn a_session_can_be_stopped_while_it_waits() {
    let model = ScriptedModel::start();
    model.push_all([Answer::rate_limited("300"), Answer::text("good")]);
    let host = host().model(&model).start().await;
    let client = host.client().clone();
    let waiting = tokio::task::JoinSet::from_iter([async move { client.chat("s", "hello").await }]);
    model.wait_for(1).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    host.post("/api/sessions/s/interrupt", &serde_json::json!({})).await.ok();
    waiting.join_all().await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(model.received(), 1);
    assert_eq!(said(&host.view("s", "transcript").await, "user"), ["hello"]);
}

#[tokio::test]
async fn retries_are_bounded_and_end_with_the_cause() {
    let model = ScriptedModel::start();
    model.always(Answer::error(503, "overloaded", "The engine is overloaded").header("retry-after-ms", "50"));
    let host = host().model(&model).start().await;
    let reply = host.chat("s", "hello").await;
    assert_eq!((reply.status, reply.code().as_str()), (502, "model_failed"));
    assert!(reply.body.contains("overloaded"), "{}", reply.body);
    assert_eq!(model.received(), 4, "one request and three retries");
    model.always(Answer::text("good"));
    assert_eq!(host.chat("s", "again").await.ok().text(), "good");
    // Trouble with the account is no reason to ask again.
    for answer in [Answer::quota_used_up(), Answer::error(401, "invalid_api_key", "no")] {
        let before = model.received();
        model.push(answer);
        assert_eq!(host.chat("s", "hello").await.status, 502);
        assert_eq!(model.received() - before, 1);
    }
}
