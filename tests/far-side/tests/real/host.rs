//! `HostProcess`, against a stand-in that keeps the same promises.

use std::time::Duration;

use far_side::{Event, HostProcess, HostSetup, ScriptedModel};
use serde_json::json;

fn setup() -> HostSetup {
    HostProcess::setup(env!("CARGO_BIN_EXE_stand-in-host"))
}

fn alive(pid: u32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn it_starts_when_ready_and_talks_with_the_token() {
    let host = setup().start().await;
    assert_eq!(host.chat("main", "日本 hi").await.ok().text(), "main: 日本 hi");
    let mut stream = host.chat_stream("main", "日本 🙂").await;
    assert_eq!(stream.next_text().await.as_deref(), Some("m"));
    assert_eq!(stream.text().await, "ain: 日本 🙂");
    assert_eq!(stream.next().await, None);
    let got = host.get("/api/sessions?x=1").await.json();
    assert_eq!((got["method"].as_str(), got["path"].as_str()), (Some("GET"), Some("/api/sessions?x=1")));
    assert_eq!(host.post("/api/x", &json!({"a": 1})).await.json()["body"], json!({"a": 1}));
    let stranger = host.client().with_token("wrong");
    let refused = stranger.get("/api/sessions").await;
    assert_eq!((refused.status, refused.code().as_str()), (401, "unauthorized"));
}

#[tokio::test]
async fn events_keep_their_fields_and_their_lines() {
    let host = setup().start().await;
    let mut events = host.client().follow("/events").await;
    let expected = Event { id: Some("7".to_owned()), name: Some("log".to_owned()), data: "a\nb".to_owned() };
    assert_eq!(events.next_event().await.unwrap(), Some(expected));
    assert_eq!(events.next_event().await.unwrap(), None);
}

#[tokio::test]
async fn it_is_killed_drained_and_started_again_on_the_same_data() {
    let mut host = setup().start().await;
    let (pid, token) = (host.pid().unwrap(), host.token().to_owned());
    host.sigkill();
    assert!(!alive(pid) && host.pid().is_none());
    host.restart().await;
    assert_eq!(host.token(), token);
    assert_eq!(host.chat("s", "again").await.text(), "s: again");
    host.sigterm();
    assert!(host.ended(Duration::from_secs(5)).await.success());
    host.restart().await;
    host.restart().await;
    assert_eq!(std::fs::read_to_string(host.data().join("starts")).unwrap(), "4");
    assert_eq!(host.stderr().matches("starting on").count(), 4);
}

#[tokio::test]
async fn dropping_it_leaves_neither_child_nor_folder() {
    let host = setup().start().await;
    let (pid, data) = (host.pid().unwrap(), host.data().to_owned());
    drop(host);
    assert!(!alive(pid) && !data.exists());
}

#[tokio::test]
async fn a_refusal_to_start_says_why() {
    let refused = setup().arg("--refuse").try_start().await.err().unwrap();
    assert_eq!(refused.status.and_then(|status| status.code()), Some(4));
    assert!(refused.to_string().contains("refusing to start, as told"), "{refused}");
    let mute = setup().arg("--mute").ready_within(Duration::from_millis(300)).try_start().await.err().unwrap();
    assert!(mute.why.contains("printed no URL within 300ms") && mute.stderr.contains("starting on"), "{mute}");
    let missing = HostProcess::setup("/nowhere/dispatch").try_start().await.err().unwrap();
    assert!(missing.why.contains("/nowhere/dispatch cannot be started"), "{missing}");
}

#[tokio::test]
async fn the_environment_is_clean_and_the_settings_are_written() {
    let model = ScriptedModel::start();
    let mut host = setup().config("[turn]\nmax_model_calls = 3\n").model(&model).env("PROBE", "1").start().await;
    let variables = host.run_cli(["environment"]).await.ok().json();
    let names: Vec<_> = variables.as_object().unwrap().keys().map(String::as_str).collect();
    let allowed = ["PATH", "LANG", "LC_ALL", "HOME", "RUST_BACKTRACE", "PROBE", "DISPATCH_HOME", "SCRIPTED_MODEL_KEY"];
    assert!(names.iter().all(|name| allowed.contains(name)), "{names:?}");
    let serving = host.get("/variables").await.json()["variables"].clone();
    let serving: Vec<String> = serde_json::from_value(serving).unwrap();
    assert!(serving.iter().all(|name| allowed.contains(&name.as_str())), "{serving:?}");
    assert!(serving.iter().any(|name| name == "SCRIPTED_MODEL_KEY"), "{serving:?}");
    assert_eq!(variables["DISPATCH_HOME"], host.data().to_str().unwrap());
    let config = std::fs::read_to_string(host.data().join("config.toml")).unwrap();
    assert!(config.starts_with("default_model = \"scripted\"\n[turn]\n"), "{config}");
    assert!(config.contains(&format!("base_url = \"{}\"", model.base_url())), "{config}");

    host.set_env("PROBE", "2");
    assert_eq!(host.run_cli(["environment"]).await.json()["PROBE"], "2");
    let wrong = host.run_cli(["nonsense"]).await;
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.stderr.contains("no such verb"));
}
