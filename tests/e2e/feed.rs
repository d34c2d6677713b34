//! Events as they happen: nothing is missed, nothing comes twice, also for a viewer who comes back.

use crate::support::{events, host, idle, kinds};
use far_side::{Answer, HostClient, HostProcess, ScriptedModel};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

/// Reads so many log events of a stream, and gives their ids.
async fn ids(client: &HostClient, path: &str, last: Option<u64>, count: usize) -> Vec<u64> {
    let mut request = client.request("GET".parse().unwrap(), path);
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last);
    }
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let (mut text, mut ids) = (String::new(), Vec::new());
    while ids.len() < count {
        let next = tokio::time::timeout(Duration::from_secs(10), response.chunk()).await;
        let bytes = next.unwrap_or_else(|_| panic!("only {ids:?} of {count} came")).unwrap().unwrap();
        text.push_str(std::str::from_utf8(&bytes).unwrap());
        while let Some(end) = text.find("\n\n") {
            let block: String = text.drain(..end + 2).collect();
            let id = block.lines().find_map(|line| line.strip_prefix("id: ").or(line.strip_prefix("id:")));
            let data = block.lines().find_map(|line| line.strip_prefix("data: "));
            if let (Some(id), Some(data)) = (id, data) {
                let event: Value = serde_json::from_str(data).unwrap();
                let number = if path.contains("sessions") { &event["version"] } else { &event["position"] };
                assert_eq!(number.as_u64(), id.parse().ok());
                ids.push(id.parse().unwrap());
            }
        }
    }
    ids.truncate(count);
    ids
}

#[tokio::test]
async fn a_viewer_who_comes_back_misses_nothing_and_sees_nothing_twice() {
    let model = ScriptedModel::start();
    model.always(Answer::chunks(["an", "swered"]).pause_between(Duration::from_millis(20)));
    let mut host = host().model(&model).start().await;
    host.chat("s", "before").await.ok();
    let (client, path) = (host.client().clone(), "/api/sessions/s/events");
    // One viewer stays, another hangs up after a few events each time, while turns go on.
    let talk = async {
        for turn in 0..6 {
            client.chat("s", &format!("turn {turn}")).await.ok();
        }
    };
    let total = 8 * 7;
    let stays = ids(&client, path, None, total);
    let comes_back = async {
        let mut seen: Vec<u64> = Vec::new();
        let mut step = 1;
        while seen.len() < total {
            let want = step.min(total - seen.len());
            seen.extend(ids(&client, path, seen.last().copied(), want).await);
            step = step % 9 + 2;
        }
        seen
    };
    let ((), stayed, came_back) = tokio::join!(talk, stays, comes_back);
    let whole: Vec<u64> = (1..=total as u64).collect();
    assert_eq!(stayed, whole);
    assert_eq!(came_back, whole);
    // And over a kill.
    host.sigkill();
    host.restart().await;
    let rest = ids(host.client(), path, Some(20), total - 20).await;
    assert_eq!(rest, whole[20..]);
    let from = ids(host.client(), &format!("{path}?from=31"), None, 5).await;
    assert_eq!(from, [31, 32, 33, 34, 35]);
    let log = ids(host.client(), "/api/events", Some(2), 10).await;
    assert_eq!(log, (3..=12).collect::<Vec<u64>>());
}

#[tokio::test]
async fn live_text_has_no_id_and_says_its_turn() {
    let model = ScriptedModel::start();
    model.push(Answer::chunks(["a", "b", "c"]).pause_between(Duration::from_millis(40)));
    let host = host().model(&model).start().await;
    host.client().post("/api/sessions", &serde_json::json!({"name": "s"})).await.ok();
    let mut viewer = host.client().follow("/api/sessions/s/events").await;
    host.chat("s", "hello").await.ok();
    let (mut text, mut turn) = (String::new(), None);
    loop {
        let event = viewer.next_event().await.unwrap().unwrap();
        let data: Value = serde_json::from_str(&event.data).unwrap();
        if event.name.as_deref() == Some("delta") {
            assert_eq!(event.id, None);
            text.push_str(data["text"].as_str().unwrap());
            turn = Some(data["turn"].clone());
        } else {
            assert_eq!(event.id, Some(data["version"].to_string()));
            if data["type"] == "input.settled" {
                break;
            }
        }
    }
    assert_eq!(text, "abc");
    let log = events(host.client(), "s").await;
    let completed = log.iter().find(|event| event["type"] == "turn.completed").unwrap();
    assert_eq!(turn.as_ref(), Some(&completed["turn"]));
}

/// `dispatch events … --follow` as a child whose lines are read as they come.
struct Follower {
    _child: tokio::process::Child,
    lines: tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
}

impl Follower {
    fn start(host: &HostProcess, args: &[&str]) -> Self {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_dispatch"));
        command.arg("events").args(args).args(["--follow", "--json", "--data"]).arg(host.data());
        command.env_clear().current_dir(host.work()).stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { _child: child, lines }
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(15), self.lines.next_line()).await;
        serde_json::from_str(&line.expect("an event in time").unwrap().expect("the follower goes on")).unwrap()
    }
}

#[tokio::test]
async fn the_command_line_follows_what_comes() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let host = host().model(&model).start().await;
    host.chat("s", "one").await.ok();
    idle(host.client(), "s").await;
    let before = events(host.client(), "s").await.len();
    let mut all = Follower::start(&host, &["s"]);
    let mut turns = Follower::start(&host, &["--type", "turn.*"]);
    for version in 1..=before {
        assert_eq!(all.next().await["version"], version);
    }
    assert_eq!(turns.next().await["type"], "turn.started");
    assert_eq!(turns.next().await["type"], "turn.completed");
    host.chat("s", "two").await.ok();
    let after = events(host.client(), "s").await;
    for version in before + 1..=after.len() {
        let event = all.next().await;
        assert_eq!((&event["version"], &event["id"]), (&version.into(), &after[version - 1]["id"]));
    }
    assert_eq!(turns.next().await["type"], "turn.started");
    assert_eq!(turns.next().await["type"], "turn.completed");
}

#[tokio::test]
async fn the_command_line_lists_what_there_is() {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    host.chat("s", "one").await.ok();
    let log = events(host.client(), "s").await;
    for running in [true, false] {
        if !running {
            host.sigkill();
        }
        let shown = host.run_cli(["events", "s", "--type", "input.*"]).await.ok().stdout;
        assert_eq!(shown.lines().count(), kinds(&log).iter().filter(|kind| kind.starts_with("input.")).count());
        let from = host.run_cli(["events", "s", "--from", "5"]).await.ok().stdout;
        assert_eq!(from.lines().count(), log.len() - 4, "{from}");
        // One document, with the events that HTTP gives.
        let json = host.run_cli(["events", "s", "--json"]).await.ok().json();
        assert_eq!(json["events"].as_array(), Some(&log));
        let none = host.run_cli(["events", "s", "--from", "9999", "--json"]).await.ok().json();
        assert_eq!(none, serde_json::json!({"events": []}));
    }
}
