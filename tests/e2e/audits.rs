//! `audit verify`, `audit anchor` and `doctor --repair-indexes`: the log answers for itself.

use crate::support::host;
use far_side::{Answer, HostProcess, ScriptedModel};
use std::{fs, path::Path, process::Command, time::Duration};

async fn spoken(model: &ScriptedModel, engine: &str) -> HostProcess {
    model.always(Answer::text("noted"));
    let host = host().model(model).env("DISPATCH_LOG__ENGINE", engine).start().await;
    host.chat("ops", "first").await.ok();
    host
}

async fn stop(host: &mut HostProcess) {
    host.sigterm();
    assert!(host.ended(Duration::from_secs(15)).await.success());
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

#[tokio::test]
async fn a_check_goes_on_where_the_last_one_ended_and_writes_no_event() {
    let model = ScriptedModel::start();
    let mut host = spoken(&model, "sled").await;
    let first = host.run_cli(["audit", "verify", "--json"]).await.ok().json();
    assert_eq!((&first["sound"], &first["since"], &first["verdict"]), (&true.into(), &0.into(), &"intact".into()));
    host.chat("ops", "second").await.ok();
    let next = host.run_cli(["audit", "verify", "--since-last", "--json"]).await.ok().json();
    assert_eq!((&next["since"], &next["sound"]), (&first["position"], &true.into()), "{next}");
    assert!(next["events"].as_u64() < first["events"].as_u64().map(|events| events + 1), "{next}");
    stop(&mut host).await;
    let one = host.run_cli(["audit", "verify", "--full", "--json"]).await.ok().json();
    let two = host.run_cli(["audit", "verify", "--json"]).await.ok().json();
    assert_eq!(one, two, "a look at a log at rest leaves it as it is");
    let shown = host.run_cli(["audit", "verify"]).await.ok().stdout;
    assert!(shown.contains("the log is sound"), "{shown}");
}

#[tokio::test]
async fn a_log_that_was_set_back_agrees_with_itself_and_not_with_its_anchor() {
    let model = ScriptedModel::start();
    let mut host = spoken(&model, "sqlite").await;
    let beside = tempfile::tempdir().unwrap();
    let (older, anchor) = (beside.path().join("older"), beside.path().join("anchor.json"));
    let anchor = anchor.to_str().unwrap();
    stop(&mut host).await;
    copy(host.data(), &older);
    host.restart().await;
    host.chat("ops", "what somebody would like to be rid of").await.ok();
    host.run_cli(["audit", "anchor", "--out", anchor]).await.ok();
    assert_eq!(host.run_cli(["audit", "anchor", "--out", anchor]).await.status, Some(2), "nothing is overwritten");
    let key = host.run_cli(["audit", "anchor", "--public-key"]).await.ok().stdout.trim().to_owned();
    host.chat("ops", "third").await.ok();
    let check = ["audit", "verify", "--anchor", anchor, "--public-key", &key, "--json"];
    let good = host.run_cli(check).await.ok().json();
    assert_eq!((&good["sound"], &good["anchor"]["trusted"]), (&true.into(), &true.into()), "{good}");
    stop(&mut host).await;
    host.run_cli(check).await.ok();
    // The folder as it was before: nothing in it is wrong by itself.
    let set_back = ["--data", older.to_str().unwrap()];
    host.run_cli(set_back.iter().copied().chain(["audit", "verify"])).await.ok();
    let found = host.run_cli(set_back.iter().copied().chain(check)).await;
    assert_eq!(found.status, Some(5), "{}", found.stderr);
    let report = found.json();
    assert_eq!((&report["sound"], &report["verdict"]), (&false.into(), &"missing_tail".into()), "{report}");
    let other = "11".repeat(32);
    let wrong = host.run_cli(["audit", "verify", "--anchor", anchor, "--public-key", &other]).await;
    assert!(wrong.status == Some(2) && wrong.stderr.contains(&key), "{wrong:?}");
    let text = fs::read_to_string(anchor).unwrap();
    fs::write(anchor, text.replacen("\"position\":", "\"position\":1", 1)).unwrap();
    let changed = host.run_cli(["audit", "verify", "--anchor", anchor]).await;
    assert!(changed.status == Some(2) && changed.stderr.contains("changed after it was signed"), "{changed:?}");
}

#[tokio::test]
async fn an_anchor_goes_to_a_command_and_a_log_file_is_checked_against_it() {
    let model = ScriptedModel::start();
    let host = spoken(&model, "sled").await;
    let beside = tempfile::tempdir().unwrap();
    let (kept, file) = (beside.path().join("kept"), beside.path().join("all.log"));
    host.run_cli(["audit", "anchor", "--command", &format!("cat > {}", kept.display())]).await.ok();
    let failed = host.run_cli(["audit", "anchor", "--command", "cat > /dev/null; exit 3"]).await;
    assert!(failed.status == Some(1) && failed.stderr.contains("did not take"), "{failed:?}");
    let printed = host.run_cli(["audit", "anchor"]).await.ok().json();
    assert_eq!(printed["format"], 1);
    host.run_cli(["log", "export", "--no-keys", file.to_str().unwrap()]).await.ok();
    let args = ["--data", file.to_str().unwrap(), "audit", "verify", "--anchor", kept.to_str().unwrap(), "--json"];
    let report = host.run_cli(args).await.ok().json();
    assert_eq!((&report["sound"], &report["anchor"]["trusted"]), (&true.into(), &false.into()), "{report}");
    let args = ["--data", file.to_str().unwrap(), "audit", "verify", "--since-last"];
    assert_eq!(host.run_cli(args).await.status, Some(2));
}

#[tokio::test]
async fn damage_is_told_with_its_exit_code_and_nothing_is_repaired_in_silence() {
    let model = ScriptedModel::start();
    let mut host = spoken(&model, "sqlite").await;
    let held = host.run_cli(["doctor", "--repair-indexes"]).await;
    assert_eq!(held.status, Some(4), "{}", held.stderr);
    stop(&mut host).await;
    let fine = host.run_cli(["doctor", "--repair-indexes", "--json"]).await.ok().json();
    assert_eq!((&fine["written"], &fine["verified"]["sound"]), (&false.into(), &true.into()), "{fine}");
    let forced = host.run_cli(["doctor", "--repair-indexes", "--force"]).await.ok();
    assert!(forced.stdout.contains("made again"), "{}", forced.stdout);
    host.run_cli(["audit", "verify"]).await.ok();
    let mut hit = 0;
    for entry in fs::read_dir(host.data().join("log")).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        // The types of events stand in the clear, in the header of each record.
        let places: Vec<_> = bytes.windows(12).enumerate().filter(|(_, text)| text == b"input.queued").collect();
        let places: Vec<_> = places.into_iter().map(|(at, _)| at).collect();
        hit += places.len();
        places.into_iter().for_each(|at| bytes[at] ^= 1);
        fs::write(&path, bytes).unwrap();
    }
    assert!(hit > 0, "no record was found to damage");
    let found = host.run_cli(["audit", "verify"]).await;
    assert_eq!(found.status, Some(5), "{} {}", found.stdout, found.stderr);
    let refused = host.run_cli(["doctor", "--repair-indexes"]).await;
    assert_eq!(refused.status, Some(5), "{}", refused.stderr);
    let nothing = tempfile::tempdir().unwrap();
    let none = host.run_cli(["--data", nothing.path().to_str().unwrap(), "doctor", "--repair-indexes"]).await;
    assert_eq!(none.status, Some(3), "{}", none.stderr);
}
