//! A backup of a running host, and what it brings back.

use crate::support::{host, said, verified};
use far_side::{Answer, HostProcess, ScriptedModel};
use std::{fs, path::Path};

const SECRET: &str = "the-launch-code-is-7741";

async fn spoken(model: &ScriptedModel) -> HostProcess {
    model.always(Answer::text("noted"));
    let host = host().model(model).start().await;
    host.chat("ops", "first").await.ok();
    host.chat("private", SECRET).await.ok();
    host.run_cli(["memory", "add", "Likes tea."]).await.ok();
    host
}

async fn restored(host: &HostProcess, file: &Path, more: &[&str]) -> far_side::CliOutput {
    host.run_cli(["restore", file.to_str().unwrap()].iter().chain(more).copied()).await
}

#[tokio::test]
async fn a_backup_of_a_running_host_is_a_whole_data_folder() {
    let model = ScriptedModel::start();
    let mut host = spoken(&model).await;
    let beside = tempfile::tempdir().unwrap();
    let file = beside.path().join("backup");
    let done = host.run_cli(["backup", file.to_str().unwrap(), "--json"]).await.ok().json();
    assert_eq!((&done["verified"]["sound"], &done["files"]), (&true.into(), &2.into()), "{done}");
    host.chat("ops", "after the backup").await.ok();
    // A backup is a log file too.
    let args = ["--data", file.to_str().unwrap(), "replay", "ops", "--view", "transcript", "--json"];
    assert_eq!(said(&host.run_cli(args).await.ok().json(), "user"), ["first"]);
    host.sigkill();
    let into = beside.path().join("data");
    let into_text = into.to_str().unwrap();
    let report = restored(&host, &file, &["--into", into_text, "--engine", "sqlite", "--json"]).await.ok().json();
    assert_eq!((&report["engine"], &report["verified"]["sound"]), (&"sqlite".into(), &true.into()), "{report}");
    let again = restored(&host, &file, &["--into", into_text]).await;
    assert_eq!(again.status, Some(4), "{}", again.stderr);
    assert!(!into.join("token").exists());
    let back = crate::support::host().data_in(&into).env("SCRIPTED_MODEL_KEY", "k").start().await;
    assert_eq!(said(&back.view("ops", "transcript").await, "user"), ["first"]);
    let memory = back.run_cli(["memory", "show"]).await.ok().stdout;
    assert!(memory.contains("Likes tea."), "{memory}");
    back.chat("ops", "second").await.ok();
    verified(back.client()).await;
}

#[tokio::test]
async fn what_was_erased_since_stays_erased() {
    let model = ScriptedModel::start();
    let mut host = spoken(&model).await;
    let beside = tempfile::tempdir().unwrap();
    let file = beside.path().join("backup");
    host.run_cli(["backup", file.to_str().unwrap()]).await.ok();
    host.run_cli(["sessions", "erase", "private", "--yes"]).await.ok();
    host.sigkill();
    let list = host.data().join("keys/erased");
    let into = beside.path().join("by-hand");
    let args = ["--into", into.to_str().unwrap(), "--erased", list.to_str().unwrap(), "--json"];
    let report = restored(&host, &file, &args).await.ok().json();
    assert_eq!(report["erased_again"].as_array().unwrap().len(), 1, "{report}");
    // And where the list stands in the folder already.
    let stands = beside.path().join("stands");
    fs::create_dir_all(stands.join("keys")).unwrap();
    fs::copy(&list, stands.join("keys/erased")).unwrap();
    restored(&host, &file, &["--into", stands.to_str().unwrap()]).await.ok();
    for data in [&into, &stands] {
        let shown = host.run_cli(["--data", data.to_str().unwrap(), "replay", "private", "--json"]).await;
        assert!(shown.status != Some(0) && !shown.stdout.contains(SECRET), "{shown:?}");
        let shown = host.run_cli(["--data", data.to_str().unwrap(), "events", "--json"]).await.ok().stdout;
        assert!(!shown.contains(SECRET) && shown.contains("first"));
        let report = host.run_cli(["--data", data.to_str().unwrap(), "audit", "verify", "--json"]).await.ok().json();
        assert_eq!(report["sound"], true, "{report}");
    }
}

#[tokio::test]
async fn a_backup_that_can_not_be_restored_says_why() {
    let model = ScriptedModel::start();
    let host = spoken(&model).await;
    let beside = tempfile::tempdir().unwrap();
    let file = beside.path().join("backup");
    host.run_cli(["backup", file.to_str().unwrap()]).await.ok();
    let again = host.run_cli(["backup", file.to_str().unwrap()]).await;
    assert_eq!(again.status, Some(2), "nothing is overwritten: {}", again.stderr);
    let held = restored(&host, &file, &[]).await;
    assert_eq!(held.status, Some(4), "the host has the folder: {}", held.stderr);
    let keys = beside.path().join("backup.keys");
    fs::rename(&keys, beside.path().join("elsewhere")).unwrap();
    let into = beside.path().join("data");
    let without = restored(&host, &file, &["--into", into.to_str().unwrap()]).await;
    assert_eq!(without.status, Some(3), "{}", without.stderr);
    assert!(without.stderr.contains("backup.keys"), "{}", without.stderr);
    fs::rename(beside.path().join("elsewhere"), keys).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = restored(&host, &file, &["--into", into.to_str().unwrap()]).await;
    assert_eq!(damaged.status, Some(5), "{}", damaged.stderr);
}
