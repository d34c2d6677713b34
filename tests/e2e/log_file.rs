//! A log in one file, and the verbs that read it.

use crate::support::{host, said, submit};
use far_side::{Answer, CliOutput, HostProcess, ScriptedModel};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

/// Verbs that read what was said.
const READING: &[&[&str]] = &[
    &["sessions", "list", "--json"],
    &["sessions", "show", "ops", "--json"],
    &["sessions", "export", "ops", "--format", "json"],
    &["replay", "ops", "--view", "transcript", "--json"],
    &["replay", "ops", "--view", "wire", "--json"],
    &["replay", "ops", "--at", "5", "--view", "queue", "--json"],
    &["audit", "prefix", "ops", "--json"],
    &["memory", "timeline", "--json"],
];

async fn spoken(model: &ScriptedModel) -> HostProcess {
    model.always(Answer::text("noted"));
    let host = host().model(model).start().await;
    host.chat("ops", "first").await.ok();
    host.chat("ops", "second").await.ok();
    host.run_cli(["memory", "add", "Likes tea."]).await.ok();
    host
}

async fn on(host: &HostProcess, file: &Path, args: &[&str]) -> CliOutput {
    host.run_cli(["--data", file.to_str().unwrap()].iter().chain(args).copied()).await
}

/// Every file of a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[tokio::test]
async fn a_file_shows_what_the_running_host_shows_and_nothing_is_written() {
    let model = ScriptedModel::start();
    let mut host = spoken(&model).await;
    let mut live = Vec::new();
    for args in READING {
        live.push(host.run_cli(args.iter().copied()).await.ok().json());
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.log");
    let done = host.run_cli(["log", "export", file.to_str().unwrap(), "--json"]).await.ok().json();
    assert_eq!(done["keys"], file.with_extension("log.keys").to_str().unwrap());
    let end = done["position"].as_u64().unwrap();
    let before = files(folder.path());
    for (args, live) in READING.iter().zip(live) {
        assert_eq!(on(&host, &file, args).await.ok().json(), live, "{args:?}");
    }
    let events = on(&host, &file, &["events", "--json"]).await.ok().json();
    assert_eq!(events["events"].as_array().unwrap().len() as u64, end);
    let report = on(&host, &file, &["audit", "verify", "--json"]).await.ok().json();
    assert_eq!((&report["sound"], &report["position"]), (&Value::Bool(true), &end.into()));
    for args in [
        &["chat", "ops", "-m", "more"][..],
        &["submit", "ops", "more"],
        &["interrupt", "ops"],
        &["sessions", "new", "other"],
        &["sessions", "rename", "ops", "other"],
        &["sessions", "erase", "ops", "--yes"],
        &["memory", "add", "more"],
        &["serve"],
        &["backup", "elsewhere"],
        &["log", "copy", "--to", "sqlite"],
    ] {
        let refused = on(&host, &file, args).await;
        assert_eq!(refused.status, Some(4), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("only read"), "{args:?}: {}", refused.stderr);
    }
    assert!(files(folder.path()) == before, "a look at a file writes nothing");
    // The host went on meanwhile, and no verb touched it.
    submit(host.client(), "ops", "third").await.ok();
    host.sigterm();
    let alone = folder.path().join("alone.log");
    host.ended(std::time::Duration::from_secs(15)).await;
    host.run_cli(["log", "export", alone.to_str().unwrap()]).await.ok();
    let transcript = on(&host, &alone, &["replay", "ops", "--view", "transcript", "--json"]).await.ok().json();
    assert_eq!(said(&transcript, "user"), ["first", "second", "third"]);
}

#[tokio::test]
async fn without_keys_the_chains_verify_and_nothing_can_be_read() {
    let model = ScriptedModel::start();
    let host = spoken(&model).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sealed.log");
    host.run_cli(["log", "export", "--no-keys", file.to_str().unwrap()]).await.ok();
    assert!(!file.with_extension("log.keys").exists());
    assert!(!fs::read(&file).unwrap().windows(5).any(|bytes| bytes == b"first"));
    let report = on(&host, &file, &["audit", "verify", "--json"]).await.ok().json();
    assert_eq!(report["sound"], true, "{report}");
    let events = on(&host, &file, &["events", "--json"]).await.ok().stdout;
    assert!(events.contains("input.queued") && !events.contains("first"), "{events}");
    for args in READING {
        let refused = on(&host, &file, args).await;
        assert_eq!(refused.status, Some(4), "{args:?}");
        assert!(refused.stderr.contains("sealed.log.keys"), "{args:?}: {}", refused.stderr);
    }
}

#[tokio::test]
async fn a_damaged_file_and_a_foreign_one_are_named() {
    let model = ScriptedModel::start();
    let host = spoken(&model).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.log");
    host.run_cli(["log", "export", file.to_str().unwrap()]).await.ok();
    let again = host.run_cli(["log", "export", file.to_str().unwrap()]).await;
    assert_eq!(again.status, Some(2), "nothing is overwritten: {}", again.stderr);
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&file, bytes).unwrap();
    let damaged = on(&host, &file, &["audit", "verify"]).await;
    assert_eq!(damaged.status, Some(5), "{}", damaged.stderr);
    assert!(damaged.stderr.contains("damaged at byte"), "{}", damaged.stderr);
    fs::write(&file, "a letter to a friend").unwrap();
    let foreign = on(&host, &file, &["events"]).await;
    assert_eq!(foreign.status, Some(2), "{}", foreign.stderr);
}
