//! Every view at every version, by the command line and by HTTP; what a view says of a version never changes again.

use crate::support::{assert_wire, events, host, idle, said, submit};
use far_side::{Answer, Call, ScriptedModel};
use serde_json::{Value, json};
use std::time::Duration;

const VIEWS: [&str; 10] =
    ["transcript", "wire", "queue", "lease", "prompt", "memory", "tools", "obligations", "usage", "all"];

#[tokio::test]
async fn every_view_at_every_version() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.push_all([
        Answer::calls([Call::new("c1", "todo", r#"{"todos":[{"id":"a","content":"x","status":"pending"}]}"#)]),
        Answer::text("one"),
        Answer::error(401, "invalid_api_key", "no"),
        Answer::text("three"),
    ]);
    let mut host = host().model(&model).start().await;
    host.chat("s", "first").await.ok();
    assert_eq!(host.chat("s", "second").await.status, 502);
    host.chat("s", "third").await.ok();
    let last = events(host.client(), "s").await.len();
    let mut before: Vec<Vec<String>> = Vec::new();
    for at in 1..=last {
        let mut row = Vec::new();
        for view in VIEWS {
            let reply = host.get(&format!("/api/sessions/s/view/{view}?at={at}")).await;
            assert_eq!(reply.status, 200, "{view} at {at}: {}", reply.body);
            row.push(reply.json().to_string());
        }
        before.push(row);
    }
    // More happens, and the host ends and starts again: the past stays as it was.
    model.push(Answer::text("four"));
    host.chat("s", "fourth").await.ok();
    host.sigkill();
    host.restart().await;
    for at in 1..=last {
        for (view, shown) in VIEWS.iter().zip(&before[at - 1]) {
            let now = host.get(&format!("/api/sessions/s/view/{view}?at={at}")).await.ok().json().to_string();
            assert_eq!(*shown, now, "{view} at {at}");
        }
    }
    // The command line says the same, with the host and without it.
    let texts: Vec<String> = said(&host.view("s", "transcript").await, "user");
    assert_eq!(texts, ["first", "second", "third", "fourth"]);
    same_by_command_line(&host, &before, [1, last / 3, last]).await;
    host.sigkill();
    same_by_command_line(&host, &before, [2, last / 2, last]).await;
    let wire = host.run_cli(["replay", "s", "--view", "wire", "--json"]).await.ok().json();
    assert_wire(&wire, &model.requests());
    // Transcripts only grow in a session without compaction.
    let counts: Vec<usize> = before
        .iter()
        .map(|row| serde_json::from_str::<Value>(&row[0]).unwrap()["messages"].as_array().unwrap().len())
        .collect();
    assert!(counts.is_sorted() && counts[0] == 0, "{counts:?}");
}

async fn same_by_command_line(host: &far_side::HostProcess, before: &[Vec<String>], versions: [usize; 3]) {
    for at in versions {
        let text = at.to_string();
        for (view, shown) in VIEWS.iter().zip(&before[at - 1]) {
            let args = ["replay", "s", "--at", &text, "--view", view];
            let json = host.run_cli(args.into_iter().chain(["--json"])).await.ok().json();
            assert_eq!(json.to_string(), *shown, "{view} at {at}");
            let people = host.run_cli(args).await.ok().stdout;
            assert!(!people.contains('\u{1b}'), "no colours where no terminal is: {people:?}");
        }
    }
}

#[tokio::test]
async fn the_queue_and_the_lease_while_a_turn_runs() {
    let model = ScriptedModel::start();
    model.push(Answer::chunks(["begun", " ended"]).stall_after(1, Duration::from_millis(1500)));
    model.always(Answer::text("answered"));
    let host = host().model(&model).start().await;
    let body = json!({"request_id": "mine", "parts": ["running"], "open": true});
    let first = host.post("/api/sessions/s/input", &body).await.ok().json();
    assert_eq!(first["state"], "started");
    let second = submit(host.client(), "s", "waiting").await.ok().json();
    assert_eq!(second["state"], "queued");
    let queue = host.run_cli(["replay", "s", "--view", "queue", "--json"]).await.ok().json();
    let rows = queue["pending"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{queue}");
    for (row, (receipt, state)) in rows.iter().zip([(&first, "started"), (&second, "queued")]) {
        assert_eq!((&row["admission"], row["state"].as_str()), (&receipt["admission"], Some(state)));
        assert_eq!(row["seq"], receipt["seq"]);
    }
    assert_eq!(rows[0]["request_id"], "mine");
    let lease = host.view("s", "lease").await;
    assert!(lease["holder"].is_u64() && lease["ttl_ms"] == 300_000, "{lease}");
    let position = first["position"].as_u64().unwrap();
    assert!(second["position"].as_u64().unwrap() > position);
    idle(host.client(), "s").await;
    assert_eq!(said(&host.view("s", "transcript").await, "assistant"), ["begun ended", "answered"]);
}

#[tokio::test]
async fn the_prompt_is_frozen_and_names_its_sources() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    host.chat("old", "one").await.ok();
    host.run_cli(["memory", "add", "the deploy day is Friday", "--json"]).await;
    let added = host.run_cli(["memory", "show", "--json"]).await.ok().stdout;
    assert!(added.contains("deploy day"), "{added}");
    host.chat("old", "two").await.ok();
    host.restart().await;
    host.chat("old", "three").await.ok();
    let requests = model.requests();
    crate::support::assert_extends(&requests[0], &requests[1]);
    crate::support::assert_extends(&requests[1], &requests[2]);
    host.chat("new", "one").await.ok();
    assert!(model.requests()[3].text().contains("deploy day"), "a session that begins later adopts it");
    assert!(!requests[2].text().contains("deploy day"), "a session that had begun does not");
    let prompt = host.view("new", "prompt").await;
    let system = prompt["system"].as_str().unwrap();
    assert!(system.contains("deploy day") && !system.contains("memory-context>\n"), "{system}");
    let timeline = host.run_cli(["memory", "timeline", "--json"]).await.ok().stdout;
    assert!(timeline.contains("noted") && timeline.contains("adopted"), "{timeline}");
    let tools = |at: usize| far_side::raw_field(&requests[at].body, "tools").unwrap();
    assert!(tools(0) == tools(1) && tools(1) == tools(2));
}
