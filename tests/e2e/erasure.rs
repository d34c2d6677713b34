//! `sessions erase`: for good, with a host and without.

use crate::support::{events, host, kinds, verified};
use far_side::{Answer, ScriptedModel};
use serde_json::json;

const SECRET: &str = "the-launch-code-is-7741";

#[tokio::test]
async fn an_erased_session_is_gone_everywhere_and_the_chains_verify() {
    let model = ScriptedModel::start();
    model.always(Answer::text("noted"));
    let mut host = host().model(&model).start().await;
    for name in ["kept", "one", "two"] {
        host.chat(name, SECRET).await.ok();
    }
    let id = host.get("/api/sessions/one").await.ok().json()["id"].as_str().unwrap().to_owned();
    let unasked = host.run_cli(["sessions", "erase", "one"]).await;
    assert_eq!(unasked.status, Some(4), "{}", unasked.stderr);
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    let erased = host.run_cli(["sessions", "erase", "one", "--yes"]).await.ok();
    assert!(erased.stdout.contains(&id), "{}", erased.stdout);
    let through = host.run_cli(["sessions", "erase", &id, "--yes"]).await;
    assert_eq!(through.status, Some(3), "{}", through.stderr);
    host.sigkill();
    host.run_cli(["sessions", "erase", "two", "--yes"]).await.ok();
    host.restart().await;
    for name in ["one", "two"] {
        for args in
            [&["sessions", "show", name][..], &["replay", name], &["sessions", "export", name], &["events", name]]
        {
            assert_eq!(host.run_cli(args.iter().copied()).await.status, Some(3), "{args:?}");
        }
    }
    let names = |listed: serde_json::Value| -> Vec<_> {
        listed["sessions"].as_array().unwrap().iter().map(|row| row["status"].clone()).collect()
    };
    assert_eq!(names(host.run_cli(["sessions", "list", "--json"]).await.ok().json()), ["idle"]);
    let all = host.run_cli(["sessions", "list", "--all", "--json"]).await.ok().json();
    assert_eq!(names(all), ["idle", "erased", "erased"]);
    let shown = host.run_cli(["sessions", "list", "--all"]).await.ok().stdout;
    assert!(shown.contains(&id), "{shown}");
    assert!(verified(host.client()).await["erased"].as_u64().unwrap() > 0);
    // The name is free.
    host.chat("one", "anew").await.ok();
    assert!(kinds(&events(host.client(), "one").await).contains(&"session.opened"));
    assert_eq!(host.run_cli(["audit", "verify", "--json"]).await.ok().json()["sound"], json!(true));
}
