//! A session that rests leaves a snapshot and comes back from it; without one it comes back all the same.

use crate::support::*;
use dispatch_actors::{HostHandle, HostSettings, SessionRef};
use dispatch_events::{Digest, Log, Version, snapshot::Snapshot, store::faulty::FaultyStore};
use dispatch_projections::{SessionState, snapshot::shape, view::ViewName};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Turns with two tool calls each, until the session has more than this many events.
const EVENTS: u64 = 300;

fn quick() -> HostSettings {
    HostSettings { idle_ms: 20, ..settings() }
}

/// What a session shows of itself, and the next request that it sends.
#[derive(Debug, PartialEq)]
struct Seen {
    views: Vec<String>,
    request: String,
}

/// A session of many events, and the snapshot that its passivation left.
async fn rested(outside: &Arc<Outside>) -> (HostHandle, Arc<FaultyStore>, PathBuf) {
    let (host, store) = outside.host(quick(), true).await;
    *outside.recall.lock().unwrap() = Some(("likes tea".into(), std::time::Duration::ZERO));
    let session = SessionRef::from("s");
    let mut version = 0;
    while version <= EVENTS {
        outside.script([Act::Call(vec![("look", "{}"), ("look", "{\"n\":1}")]), Act::Say("an answer")]);
        turn(&host, "s", "what do you see?").await;
        version = host.state(&session, None).await.unwrap().version.0;
    }
    until("it rests", || host.health().sessions_active == 0).await;
    let id = host.resolve(&session).await.unwrap();
    let file = outside.snapshots().join(id.to_string());
    until("its snapshot is there", || file.exists()).await;
    (host, store, file)
}

async fn views(host: &HostHandle) -> Vec<String> {
    let session = SessionRef::from("s");
    let mut all = Vec::new();
    for view in ViewName::EVERY {
        all.push(host.view(&session, view, None).await.unwrap().to_string());
    }
    all.push(serde_json::to_string(&host.summary(&session).await.unwrap()).unwrap());
    all.push(serde_json::to_string(&host.list(None, 10, Default::default()).await.unwrap()).unwrap());
    all
}

/// Has one more turn, which must extend what was sent before it.
async fn see(outside: &Outside, host: &HostHandle) -> Seen {
    let views = views(host).await;
    let before = outside.bodies.lock().unwrap().last().cloned().unwrap();
    outside.script([Act::Say("as before")]);
    turn(host, "s", "and now?").await;
    let request = outside.bodies.lock().unwrap().last().cloned().unwrap();
    let (conversation, parameters) = before.rsplit_once('\n').unwrap();
    assert!(request.starts_with(conversation), "the next request extends the one before it, byte for byte");
    assert!(request.ends_with(parameters) && request.len() > before.len());
    Seen { views, request }
}

/// The records that a host reads of the session to fold it once.
async fn records_to_fold(host: &HostHandle, store: &FaultyStore) -> u64 {
    let before = store.records_read();
    host.state(&SessionRef::from("s"), None).await.unwrap();
    store.records_read() - before
}

#[test]
fn a_session_comes_back_from_its_snapshot_as_it_was() {
    block_on(async {
        let outside = outside();
        let (host, store, file) = rested(&outside).await;
        let events = host.state(&"s".into(), None).await.unwrap().version.0;
        let with = records_to_fold(&host, &store).await;
        assert!(with < events / 2, "{with} of {events} records were read beside the snapshot");

        // The same session of the same log, folded from the snapshot and from the first event.
        let shown = views(&host).await;
        let kept = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(records_to_fold(&host, &store).await, events, "without it every record is read");
        assert_eq!(views(&host).await, shown);

        fs::write(&file, &kept).unwrap();
        let before = store.records_read();
        let seen = see(&outside, &host).await;
        assert_eq!(seen.views, shown);
        assert!(seen.request.contains("likes tea"));
        let actor = host.state(&"s".into(), None).await.unwrap();
        assert!(store.records_read() > before && actor.version.0 > events);
        assert_eq!(outside.count("input.requeued"), 0);
        assert_eq!(outside.unannounced.lock().unwrap().len(), 0);
    });
}

/// A sound file that says something else than the log.
fn put(log: &Log, file: &Path, mark: Digest, hash: Digest) {
    let id = file.file_name().unwrap().to_str().unwrap().parse().unwrap();
    let mut state = SessionState::empty(id);
    for recorded in log.read_stream(id, Version(1), 250).unwrap() {
        state.apply(&recorded).unwrap();
    }
    (state.name, state.hash) = ("forged".into(), hash);
    let snapshot = Snapshot { version: state.version, hash, bytes: state.to_bytes().unwrap() };
    log.keep_snapshot(state.tip(), mark, &snapshot).unwrap();
}

/// A damaged file, one of another history or shape, and none at all: the events are read, and nothing else is different.
#[test]
fn what_is_wrong_with_a_snapshot_costs_time_alone() {
    type Harm = fn(&Log, &Path);
    let harms: [(&str, Harm); 6] = [
        ("a flipped bit", |_, file| {
            let mut bytes = fs::read(file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(file, bytes).unwrap();
        }),
        ("torn", |_, file| fs::write(file, &fs::read(file).unwrap()[..200]).unwrap()),
        ("empty", |_, file| fs::write(file, []).unwrap()),
        ("erased", |_, file| fs::remove_dir_all(file.parent().unwrap()).unwrap()),
        ("of another history", |log, file| put(log, file, shape(), Digest::of(b"another event"))),
        ("of another shape", |log, file| put(log, file, Digest::of(b"another build"), Digest::default())),
    ];
    for (name, harm) in harms {
        block_on(async {
            let outside = outside();
            let (host, store, file) = rested(&outside).await;
            let (id, shown) = (host.resolve(&"s".into()).await.unwrap(), views(&host).await);
            harm(&outside.log(), &file);
            let events = host.state(&"s".into(), None).await.unwrap().version.0;
            // Of another history the page behind it was read before that showed.
            assert!(records_to_fold(&host, &store).await >= events, "{name}: every record is read");
            assert_eq!(see(&outside, &host).await.views, shown, "{name}");
            until("it rests again", || host.health().sessions_active == 0).await;
            let usable = || outside.log().snapshot(id, shape()).is_some_and(|it| it.version.0 > EVENTS);
            until("a usable one is written again", usable).await;
        });
    }
}
