//! `dispatch log copy`: the same log in another engine.

use crate::support::{host, said, verified};
use far_side::{Answer, HostProcess, ScriptedModel};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

async fn stopped(model: &ScriptedModel) -> HostProcess {
    model.always(Answer::text("noted"));
    let mut host = host().model(model).start().await;
    host.chat("ops", "first").await.ok();
    host.run_cli(["memory", "add", "Likes tea."]).await.ok();
    host.sigkill();
    host
}

/// What the audit says of a folder at rest; a look at it writes the start and the end of a run.
async fn view(host: &HostProcess, folder: &Path) -> Value {
    let args = ["--data", folder.to_str().unwrap(), "replay", "ops", "--view", "all", "--json"];
    host.run_cli(args).await.ok().json()
}

#[tokio::test]
async fn a_log_moves_to_sqlite_and_back_and_the_host_goes_on() {
    let model = ScriptedModel::start();
    let mut host = stopped(&model).await;
    let data = host.data().to_owned();
    let before = view(&host, &data).await;
    let there = host.run_cli(["log", "copy", "--to", "sqlite", "--json"]).await.ok().json();
    assert_eq!((&there["from"], &there["to"], &there["settings"]), (&json!("sled"), &json!("sqlite"), &Value::Null));
    assert!(data.join("log.sled-old").is_dir() && there["old"] == data.join("log.sled-old").to_str().unwrap());
    assert_eq!(view(&host, &data).await, before);
    host.restart().await;
    assert_eq!(host.get("/api/doctor").await.ok().json()["engine"], "sqlite");
    assert_eq!(said(&host.view("ops", "transcript").await, "user"), ["first"]);
    let refused = host.run_cli(["log", "copy", "--to", "sled"]).await;
    assert_eq!(refused.status, Some(4), "a running host holds the folder: {}", refused.stderr);
    host.chat("ops", "second").await.ok();
    verified(host.client()).await;
    host.sigkill();
    let before = view(&host, &data).await;
    let back = host.run_cli(["log", "copy", "--to", "sled"]).await.ok();
    assert!(back.stdout.contains("log.sqlite-old"), "{}", back.stdout);
    assert_eq!(view(&host, &data).await, before);
    let again = host.run_cli(["log", "copy", "--to", "sled", "--json"]).await.ok().json();
    assert_eq!(again["copied"], false);
    host.restart().await;
    assert_eq!(said(&host.view("ops", "transcript").await, "user"), ["first", "second"]);
    verified(host.client()).await;
}

#[tokio::test]
async fn settings_that_name_the_old_engine_are_pointed_out() {
    let mut host = host().config("[log]\nengine = \"sled\"\n").start().await;
    host.chat("ops", "first").await.ok();
    host.sigkill();
    let copied = host.run_cli(["log", "copy", "--to", "sqlite"]).await.ok();
    assert!(copied.stdout.contains("config.toml:") && copied.stdout.contains("[log]"), "{}", copied.stdout);
    let refused = host.try_restart().await.unwrap_err();
    assert_eq!(refused.status.and_then(|status| status.code()), Some(4), "{refused}");
    host.write_config("[log]\nengine = \"sqlite\"\n");
    host.restart().await;
    assert_eq!(said(&host.view("ops", "transcript").await, "user"), ["first"]);
}

#[tokio::test]
async fn another_folder_is_made_without_token_and_secrets() {
    let model = ScriptedModel::start();
    let host = stopped(&model).await;
    let secrets = host.data().join("secrets.toml");
    fs::write(&secrets, "").unwrap();
    fs::set_permissions(&secrets, fs::Permissions::from_mode(0o600)).unwrap();
    let beside = tempfile::tempdir().unwrap();
    let into = beside.path().join("copy");
    let copied = host.run_cli(["log", "copy", "--to", "sqlite", "--into", into.to_str().unwrap()]).await.ok();
    assert!(copied.stdout.contains(into.to_str().unwrap()), "{}", copied.stdout);
    for name in ["keys", "blobs", "config.toml", "memories/main/MEMORY.md"] {
        assert!(into.join(name).exists(), "{name}");
    }
    for name in ["token", "secrets.toml", "host.json"] {
        assert!(!into.join(name).exists(), "{name}");
    }
    assert_eq!(view(&host, &into).await, view(&host, host.data()).await);
    let again = host.run_cli(["log", "copy", "--to", "sqlite", "--into", into.to_str().unwrap()]).await;
    assert_eq!(again.status, Some(4), "{}", again.stderr);
    assert!(host.data().join("log").is_dir() && !host.data().join("log.sled-old").exists());
}

#[tokio::test]
async fn a_copy_that_was_cut_off_goes_on() {
    let model = ScriptedModel::start();
    let mut host = stopped(&model).await;
    let into = tempfile::tempdir().unwrap();
    // What is left when it is killed right after it began.
    let half = host.data().join("log.sqlite-new");
    for folder in [&half, &into.path().join("log")] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("unfinished-copy"), "sqlite").unwrap();
    }
    let refused = host.run_cli(["--data", into.path().to_str().unwrap(), "sessions", "list"]).await;
    assert_eq!(refused.status, Some(4), "{}", refused.stderr);
    let other = host.run_cli(["log", "copy", "--to", "sled", "--into", into.path().to_str().unwrap()]).await;
    assert_eq!(other.status, Some(4), "begun with another engine: {}", other.stderr);
    host.run_cli(["log", "copy", "--to", "sqlite", "--into", into.path().to_str().unwrap()]).await.ok();
    assert_eq!(view(&host, into.path()).await, view(&host, host.data()).await);
    host.run_cli(["log", "copy", "--to", "sqlite"]).await.ok();
    assert!(!half.exists());
    host.restart().await;
    assert_eq!(said(&host.view("ops", "transcript").await, "user"), ["first"]);
}

#[tokio::test]
async fn a_copy_that_could_not_take_its_place_is_not_started_over() {
    let model = ScriptedModel::start();
    let mut host = stopped(&model).await;
    host.run_cli(["log", "copy", "--to", "sqlite"]).await.ok();
    // Killed between the two steps, where the file system can't do both in one.
    fs::rename(host.data().join("log"), host.data().join("log.sqlite-new")).unwrap();
    let refused = host.try_restart().await.unwrap_err();
    assert!(refused.stderr.contains("dispatch log copy --to sqlite"), "{refused}");
    assert!(!host.data().join("log").exists(), "no empty log is begun");
    host.run_cli(["log", "copy", "--to", "sqlite"]).await.ok();
    host.restart().await;
    assert_eq!(said(&host.view("ops", "transcript").await, "user"), ["first"]);
}
