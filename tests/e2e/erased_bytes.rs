//! An erased session: no byte of it is left in the data folder, also when the host is killed in the middle of it.

use crate::support::{host, idle, verified};
use dispatch_events::store::EngineKind;
use far_side::{Answer, HostProcess, HostReply, ScriptedModel};
use reqwest::Method;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// What stands in everything that the session says, hears and is called.
const MARKER: &str = "zirbelkiefer-90417";

/// Files under `folder` that hold the marker, free space of every engine's file included.
fn holders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = fs::read(&path)
                && bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes())
            {
                found.push(path);
            }
        }
    }
    found
}

async fn erase(host: &HostProcess, session: &str) -> HostReply {
    let client = host.client();
    client.send(client.request(Method::DELETE, &format!("/api/sessions/{session}"))).await
}

/// A session with the marker in its name, in what was said, answered, looked up and recorded as a blob.
async fn marked(host: &HostProcess, number: usize) -> String {
    let name = format!("{MARKER}-{number}");
    host.chat(&name, &format!("remember {MARKER}")).await.ok();
    host.chat(&name, &format!("{MARKER} {}", "and a long story ".repeat(6_000))).await.ok();
    host.chat(&name, "again").await.ok();
    idle(host.client(), &name).await;
    name
}

fn model() -> ScriptedModel {
    let model = ScriptedModel::start();
    model.always(Answer::text(format!("what you said was {MARKER}")));
    model
}

#[tokio::test]
async fn no_byte_of_an_erased_session_is_left_in_the_data_folder() {
    for engine in EngineKind::ALL {
        let model = model();
        let mut host = host().env("DISPATCH_LOG__ENGINE", engine.name()).model(&model).start().await;
        let name = marked(&host, 0).await;
        host.chat("stays", "hello").await.ok();
        let named = format!("{MARKER}-renamed");
        let rename = host.client().request(Method::PATCH, &format!("/api/sessions/{name}"));
        host.client().send(rename.json(&serde_json::json!({ "name": named }))).await.ok();
        erase(&host, &named).await.ok();
        assert_eq!(erase(&host, &named).await.status, 404, "{engine}");
        assert_eq!(host.get(&format!("/api/sessions/{named}/view/transcript")).await.status, 404, "{engine}");
        assert_eq!(host.chat("stays", "still here?").await.ok().status, 200, "{engine}");
        verified(host.client()).await;
        // Also while it still runs, and in what it left when it was killed.
        assert_eq!(holders(host.data()), Vec::<PathBuf>::new(), "{engine}: while it runs");
        host.sigkill();
        assert_eq!(holders(host.data()), Vec::<PathBuf>::new(), "{engine}: after a kill");
        host.restart().await;
        verified(host.client()).await;
        assert_eq!(holders(host.data()), Vec::<PathBuf>::new(), "{engine}: after a restart");
    }
}

/// Killed at a random moment of the erasure: as it was, or gone; never in between once the next start has settled.
#[tokio::test]
async fn an_erasure_that_is_killed_is_finished_or_never_began() {
    for engine in EngineKind::ALL {
        let model = model();
        let mut host = host().env("DISPATCH_LOG__ENGINE", engine.name()).model(&model).start().await;
        let mut left = Vec::new();
        for round in 0..4_u64 {
            let name = marked(&host, usize::try_from(round).unwrap()).await;
            let client = host.client();
            let request = client.request(Method::DELETE, &format!("/api/sessions/{name}"));
            let wait = tokio::time::sleep(Duration::from_micros(round * 1_500));
            tokio::select! {
                reply = client.try_send(request) => drop(reply),
                () = wait => {}
            }
            host.sigkill();
            host.restart().await;
            left.push(name);
        }
        for name in left {
            // What had not begun is still whole, and can be erased now.
            let reply = erase(&host, &name).await;
            assert!([200, 204, 404].contains(&reply.status), "{engine} {name}: {} {}", reply.status, reply.body);
        }
        settled(&host).await;
        verified(host.client()).await;
        assert_eq!(holders(host.data()), Vec::<PathBuf>::new(), "{engine}");
    }
}

/// Waits until no erasure is half done.
async fn settled(host: &HostProcess) {
    for _ in 0..200 {
        let events = host.run_cli(["events", "--json", "--type", "session.era*"]).await.ok();
        let count = |kind: &str| events.stdout.matches(kind).count();
        if count("\"session.erased\"") == 4 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("an erasure is not finished after ten seconds");
}
