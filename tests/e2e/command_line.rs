//! The command line as a person uses it: through the running host, and alone.

use crate::support::{events, host, idle, kinds, said, until, verified};
use far_side::{Answer, HostProcess, ScriptedModel};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// `dispatch ARGS` on the data folder of a host, with its environment's key.
fn child(host: &HostProcess, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dispatch"));
    command.args(args).arg("--data").arg(host.data()).env_clear().env("SCRIPTED_MODEL_KEY", "k");
    command.current_dir(host.work()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true).spawn().unwrap()
}

async fn ended(child: Child) -> (Option<i32>, String, String) {
    let output = tokio::time::timeout(Duration::from_secs(20), child.wait_with_output()).await.unwrap().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn chat_speaks_through_the_host_and_without_one() {
    let model = ScriptedModel::start();
    model.strict(true);
    model.always(Answer::chunks(["ans", "wered"]));
    let mut host = host().model(&model).start().await;
    let through = host.run_cli(["chat", "s", "-m", "one"]).await.ok();
    assert_eq!(through.stdout.trim_end(), "answered");
    host.sigkill();
    // The file `host.json` of the killed host is still there, and nobody answers at its address.
    let alone = host.run_cli(["chat", "s", "-m", "two"]).await.ok();
    assert_eq!(alone.stdout.trim_end(), "answered");
    let submitted = host.run_cli(["submit", "s", "three", "--wait", "--json"]).await.ok().json();
    assert_eq!(submitted["answer"], "answered");
    host.restart().await;
    host.chat("s", "four").await.ok();
    assert_eq!(said(&host.view("s", "transcript").await, "user"), ["one", "two", "three", "four"]);
    let requests = model.requests();
    for pair in requests.windows(2) {
        crate::support::assert_extends(&pair[0], &pair[1]);
    }
    verified(host.client()).await;
}

#[tokio::test]
async fn a_failed_turn_is_told_with_its_cause() {
    let model = ScriptedModel::start();
    model.always(Answer::html(404));
    let host = host().model(&model).start().await;
    for args in [&["chat", "s", "-m", "hello"][..], &["submit", "s", "hello", "--wait"]] {
        let output = host.run_cli(args.iter().copied()).await;
        assert_eq!(output.status, Some(1), "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains("base_url"), "{args:?}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{args:?}");
    }
}

#[tokio::test]
async fn ctrl_c_in_chat_stops_the_turn_and_leaves_the_session_usable() {
    let model = ScriptedModel::start();
    model.push(Answer::chunks(["begun", "never"]).stall_after(1, Duration::from_secs(60)));
    model.always(Answer::text("good"));
    let host = host().model(&model).start().await;
    let chat = child(&host, &["chat", "s", "-m", "hello"]);
    model.wait_for(1).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    let pid = chat.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let (code, stdout, stderr) = ended(chat).await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stdout.contains("begun") && stderr.contains("stopped"), "{stdout} {stderr}");
    idle(host.client(), "s").await;
    assert!(kinds(&events(host.client(), "s").await).contains(&"turn.interrupted"));
    assert_eq!(host.chat("s", "again").await.ok().text(), "good");
}

#[tokio::test]
async fn a_chat_that_is_killed_alone_loses_nothing() {
    let model = ScriptedModel::start();
    model.push(Answer::text("never").stall_before_headers(Duration::from_secs(60)));
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    host.sigterm();
    host.ended(Duration::from_secs(15)).await;
    let mut chat = child(&host, &["chat", "s", "-m", "hello"]);
    model.wait_for(1).await;
    chat.kill().await.unwrap();
    // The next host carries on with it.
    host.restart().await;
    until("the turn is carried to its end", async || {
        said(&host.view("s", "transcript").await, "assistant") == ["answered"]
    })
    .await;
    assert_eq!(said(&host.view("s", "transcript").await, "user"), ["hello"]);
    verified(host.client()).await;
}
