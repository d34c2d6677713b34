//! `[log] engine`: the one that somebody names, else the one that wrote the log that is there.

use crate::support::{events, host, said, verified};
use serde_json::Value;

const ENGINE: &str = "DISPATCH_LOG__ENGINE";

#[tokio::test]
async fn a_log_is_found_by_the_engine_that_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for engine in ["sqlite", "sled"] {
        let data = data.with_extension(engine);
        let mut named = host().data_in(&data).env(ENGINE, engine).start().await;
        named.chat("s", "first").await.ok();
        named.sigkill();
        // Nobody names an engine now.
        let found = host().data_in(&data).start().await;
        assert_eq!(said(&found.view("s", "transcript").await, "user"), ["first"]);
        found.chat("s", "second").await.ok();
        assert_eq!(found.get("/api/doctor").await.ok().json()["engine"], engine);
        verified(found.client()).await;
        let page = found.get("/api/events?limit=500&type=host.started").await.ok().json();
        let starts = page["events"].as_array().unwrap();
        assert_eq!(starts.len(), 2, "{page}");
        assert!(starts.iter().all(|event| event["payload"]["engine"] == engine), "{page}");
        let doctor = found.run_cli(["doctor"]).await.stdout;
        assert!(doctor.contains(&format!("log in {engine}")), "{doctor}");
        assert_eq!(events(found.client(), "s").await[0]["type"], "session.opened");
    }
}

#[tokio::test]
async fn every_verb_works_on_the_second_engine_without_a_host() {
    let mut host = host().env(ENGINE, "sqlite").start().await;
    host.chat("s", "hello").await.ok();
    host.sigkill();
    for args in [
        &["chat", "s", "-m", "more"][..],
        &["sessions", "list"],
        &["sessions", "show", "s"],
        &["replay", "s"],
        &["events", "s"],
        &["audit", "verify"],
        &["audit", "prefix", "s"],
        &["memory", "timeline"],
    ] {
        let output = host.run_cli(args.iter().copied()).await.ok();
        assert!(!output.stdout.is_empty() || args[0] == "memory", "{args:?}: {}", output.stderr);
    }
    let doctor = host.run_cli(["doctor", "--json"]).await.json();
    let log = doctor["findings"].as_array().unwrap().iter().find(|finding| finding["what"] == "log").unwrap();
    assert!(log["state"] == "ok" && log["detail"].as_str().unwrap().contains("sqlite"), "{log}");
}

#[tokio::test]
async fn an_engine_that_did_not_write_the_log_is_refused_with_the_way_out() {
    let mut written = host().env(ENGINE, "sqlite").start().await;
    written.chat("s", "hello").await.ok();
    written.sigkill();
    let refused = host().data_in(written.data()).config("[log]\nengine = \"sled\"\n").try_start().await.err().unwrap();
    assert_eq!(refused.status.and_then(|status| status.code()), Some(4), "{refused}");
    for word in ["sqlite", "[log]", "dispatch log copy"] {
        assert!(refused.stderr.contains(word), "{word}: {refused}");
    }
    let shown = written.run_cli(["config", "show", "--json"]).await.ok().json();
    let engine = row(&shown, "log.engine");
    assert_eq!((&engine["value"], &engine["from"]), (&"sqlite".into(), &"environment".into()));
}

#[tokio::test]
async fn an_engine_that_is_not_built_says_so() {
    let refused = host().env(ENGINE, "postgres").try_start().await.err().unwrap();
    assert_eq!(refused.status.and_then(|status| status.code()), Some(4), "{refused}");
    assert!(refused.stderr.contains("not_built") && refused.stderr.contains("sqlite"), "{refused}");
}

fn row(shown: &Value, key: &str) -> Value {
    shown["settings"].as_array().unwrap().iter().find(|row| row["key"] == key).unwrap().clone()
}
