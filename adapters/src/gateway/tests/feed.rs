//! The log, in pages and as it grows.

use super::{
    client::Client,
    rig::{Act, BEARER, HOST, Rig},
};
use serde_json::Value;

struct Viewer {
    client: Client,
    pending: String,
}

struct Seen {
    name: String,
    id: Option<u64>,
    data: Value,
}

impl Viewer {
    async fn open(rig: &Rig, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut client = rig.client().await;
        client.send(&format!("GET {path}"), &[&[HOST, BEARER], headers].concat(), b"").await;
        assert_eq!(client.head().await.status, 200);
        Self { client, pending: String::new() }
    }

    async fn next(&mut self) -> Seen {
        let event = self.client.event(&mut self.pending).await.expect("an event");
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
        Seen {
            name: field("event: ").unwrap().to_owned(),
            id: field("id: ").map(|id| id.parse().unwrap()),
            data: serde_json::from_str(field("data: ").unwrap()).unwrap(),
        }
    }

    async fn until(&mut self, kind: &str) -> Vec<Seen> {
        let mut seen = Vec::new();
        loop {
            seen.push(self.next().await);
            if seen.last().unwrap().data["type"] == kind {
                return seen;
            }
        }
    }
}

#[actix_rt::test]
async fn a_session_is_followed_live_and_resumed_without_a_gap() {
    let rig = Rig::start().await;
    rig.chat("demo", "one").await;
    let mut viewer = Viewer::open(&rig, "/api/sessions/demo/events?from=1", &[]).await;
    let before = viewer.until("input.settled").await;
    assert!(before.iter().zip(1..).all(|(seen, version)| seen.id == Some(version) && seen.data["version"] == version));
    rig.script.then(&[Act::Say("liv"), Act::Wait, Act::Say("e")]);
    let (_, live) = tokio::join!(rig.chat("demo", "two"), async {
        let mut seen = Vec::new();
        while seen.last().is_none_or(|last: &Seen| last.name != "delta") {
            seen.push(viewer.next().await);
        }
        rig.script.go.add_permits(1);
        seen.extend(viewer.until("input.settled").await);
        seen
    });
    let text: String =
        live.iter().filter(|seen| seen.name == "delta").map(|seen| seen.data["text"].as_str().unwrap()).collect();
    assert_eq!(text, "live");
    assert!(live.iter().all(|seen| (seen.name == "delta") == seen.id.is_none()), "live text can't be resumed from");
    let last = before.last().unwrap().id.unwrap();
    let mut again =
        Viewer::open(&rig, "/api/sessions/demo/events?from=1", &[("last-event-id", &last.to_string())]).await;
    assert_eq!(again.next().await.id, Some(last + 1), "the header wins over the address");
}

#[actix_rt::test]
async fn the_whole_log_can_be_narrowed_to_types() {
    let rig = Rig::start().await;
    let mut viewer = Viewer::open(&rig, "/api/events?type=session.*", &[]).await;
    rig.chat("one", "x").await;
    rig.chat("two", "x").await;
    for name in ["one", "two"] {
        let seen = viewer.next().await;
        assert_eq!((&seen.data["type"], &seen.data["payload"]["name"]), (&"session.opened".into(), &name.into()));
        assert_eq!(seen.data["position"], seen.id.unwrap());
    }
    assert_eq!(rig.get("/api/events?type=%5B").await.refusal(), (400, "invalid_params".into()));
}

#[actix_rt::test]
async fn a_program_reads_pages() {
    let rig = Rig::start().await;
    rig.chat("demo", "one").await;
    let all = rig.get("/api/sessions/demo/events?limit=1000").await.json();
    assert_eq!(all["next"], Value::Null);
    let (mut from, mut read) = (1, Vec::new());
    loop {
        let page = rig.get(&format!("/api/sessions/demo/events?from={from}&limit=3")).await.json();
        read.extend(page["events"].as_array().unwrap().clone());
        match page["next"].as_u64() {
            Some(next) => from = next,
            None => break,
        }
    }
    assert_eq!(read, *all["events"].as_array().unwrap());
    let line = "GET /api/events?type=input.*";
    let json = rig.raw(line, &[HOST, BEARER, ("accept", "application/json")], b"").await.json();
    let kinds: Vec<_> =
        json["events"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["input.queued", "input.started", "input.settled"]);
    let lines = rig.get("/api/sessions/demo/export").await;
    let lines: Vec<Value> = lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let transcript = rig.get("/api/sessions/demo/view/transcript").await.json();
    assert_eq!(lines, *transcript["messages"].as_array().unwrap());
    assert!(!lines.is_empty() && lines.iter().all(|line| line.get("payload").is_none()), "{lines:?}");
}

#[actix_rt::test]
async fn who_attaches_gets_the_moment_and_then_everything_behind_it() {
    let rig = Rig::start().await;
    rig.chat("demo", "one").await;
    rig.script.then(&[Act::Say("half "), Act::Wait, Act::Say("done")]);
    let mut early = Viewer::open(&rig, "/api/sessions/demo/events?from=1", &[]).await;
    let (_, (snapshot, behind)) = tokio::join!(rig.chat("demo", "two"), async {
        while early.next().await.name != "delta" {}
        let mut viewer = Viewer::open(&rig, "/api/sessions/demo/attach", &[]).await;
        let snapshot = viewer.next().await;
        rig.script.go.add_permits(1);
        (snapshot, viewer.until("input.settled").await)
    });
    assert_eq!(snapshot.name, "snapshot");
    let version = snapshot.data["version"].as_u64().unwrap();
    assert_eq!(snapshot.id, Some(version));
    assert_eq!(snapshot.data["session"]["status"], "running");
    assert_eq!(snapshot.data["queue"]["pending"][0]["text"], "two");
    let said: Vec<_> =
        snapshot.data["transcript"]["messages"].as_array().unwrap().iter().map(|row| &row["content"]).collect();
    assert_eq!(said, ["one", "ok", "two"]);
    let events: Vec<_> = behind.iter().filter_map(|seen| seen.id).collect();
    assert!(events.iter().copied().eq(version + 1..=version + events.len() as u64), "{events:?} behind {version}");
    assert_eq!(rig.get("/api/sessions/nobody/attach").await.refusal(), (404, "not_found".into()));
}
