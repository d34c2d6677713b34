//! Long work: files, a backup, the check of the log, with and without a word on how far it is; and an erasure.

use super::rig::{BEARER, HOST, JSON, Rig};
use dispatch_events::{Log, SystemClock};
use serde_json::{Value, json};
use std::sync::Arc;

#[actix_rt::test]
async fn the_log_goes_to_a_file_that_opens_as_a_log() {
    let rig = Rig::start().await;
    rig.chat("demo", "hi").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let done = rig.post("/api/log/export", &json!({"file": file})).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let log = Log::open_file(&file, Arc::new(SystemClock)).unwrap();
    assert_eq!(done.json()["position"], log.store().log_head().position.0);
    assert!(log.store().named("demo").unwrap().is_some());
    let again = rig.post("/api/log/export", &json!({"file": file})).await;
    assert_eq!(again.refusal(), (400, "invalid_params".into()), "nothing is overwritten");
    let without = rig.post("/api/log/export", &json!({"file": folder.path().join("sealed"), "keys": false})).await;
    assert_eq!((without.status, &without.json()["keys"]), (200, &Value::Null));
    assert!(!folder.path().join("sealed.keys").exists());
    let relative = rig.post("/api/backup", &json!({"file": "here"})).await;
    assert_eq!(relative.refusal(), (400, "invalid_params".into()));
}

#[actix_rt::test]
async fn who_accepts_events_is_told_how_far_it_is() {
    let rig = Rig::start().await;
    rig.chat("demo", "hi").await;
    let events = ("accept", "text/event-stream");
    let told = rig.raw("GET /api/audit/verify", &[HOST, BEARER, events], b"").await;
    assert!(told.header("content-type").unwrap().starts_with("text/event-stream"));
    let text = told.text();
    let done = text.split("event: done\ndata: ").nth(1).unwrap_or_else(|| panic!("{text}"));
    let report: Value = serde_json::from_str(done.trim()).unwrap();
    assert_eq!(report["sound"], true);
    let body = json!({"file": "/nowhere/at/all"}).to_string();
    let refused = rig.raw("POST /api/backup", &[HOST, BEARER, JSON, events], body.as_bytes()).await.text();
    assert!(refused.contains("event: error") && refused.contains("storage_unavailable"), "{refused}");
}

#[actix_rt::test]
async fn an_erased_session_is_in_no_list_unless_it_is_asked_for() {
    let rig = Rig::start().await;
    rig.chat("demo", "hi").await;
    let id = rig.get("/api/sessions/demo").await.json()["id"].as_str().unwrap().to_owned();
    let gone = rig.raw("DELETE /api/sessions/demo", &[HOST, BEARER], b"").await;
    assert_eq!((gone.status, gone.json()["session"].as_str()), (200, Some(id.as_str())));
    let again = rig.raw(&format!("DELETE /api/sessions/{id}"), &[HOST, BEARER], b"").await;
    assert_eq!(again.refusal(), (404, "not_found".into()));
    assert_eq!(rig.get("/api/sessions/demo").await.refusal(), (404, "not_found".into()));
    assert_eq!(rig.get("/api/sessions").await.json()["sessions"], json!([]));
    let all = rig.get("/api/sessions?erased=true").await.json();
    assert_eq!((&all["sessions"][0]["id"], &all["sessions"][0]["status"]), (&json!(id), &json!("erased")));
    assert_eq!(rig.get("/api/audit/verify").await.json()["sound"], true);
}
