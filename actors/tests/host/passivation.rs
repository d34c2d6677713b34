use crate::support::*;
use dispatch_actors::HostSettings;
use dispatch_events::Version;
use std::{sync::Arc, time::Duration};

fn restless() -> HostSettings {
    HostSettings { idle_ms: 20, ..settings() }
}

#[test]
fn an_idle_session_costs_no_actor_also_with_a_viewer_attached() {
    block_on(async {
        let outside = outside();
        outside.script([Act::Say("one"), Act::Say("two")]);
        let (host, _) = outside.host(restless(), false).await;
        turn(&host, "s", "first").await;
        let id = host.resolve(&"s".into()).await.unwrap();
        let mut viewer = host.subscribe(id, Version(1));
        let mut versions = Vec::new();
        for _ in 0..outside.log().read_stream(id, Version(1), 1000).unwrap().len() {
            versions.push(version(viewer.next().await));
        }
        until("it is passivated", || host.health().sessions_active == 0).await;
        turn(&host, "s", "second").await;
        let all = outside.log().read_stream(id, Version(1), 1000).unwrap().len() as u64;
        while (versions.len() as u64) < all {
            versions.extend(Some(version(viewer.next().await)).filter(|version| *version > 0));
        }
        assert_eq!(versions, (1..=all).collect::<Vec<_>>(), "no gap, no duplicate");
    });
}

fn version(update: Option<Result<dispatch_actors::handle::Update, dispatch_actors::Refusal>>) -> u64 {
    match update.unwrap().unwrap() {
        dispatch_actors::handle::Update::Event(recorded) => recorded.version.0,
        _ => 0,
    }
}

#[test]
fn messages_that_meet_a_leaving_session_are_not_lost() {
    block_on(async {
        let outside = outside();
        let (host, _) = outside.host(HostSettings { idle_ms: 1, ..settings() }, false).await;
        let mut tasks = Vec::new();
        for session in 0..8 {
            let (host, outside) = (host.clone(), Arc::clone(&outside));
            tasks.push(actix_rt::spawn(async move {
                for round in 0..25u64 {
                    outside.script([Act::Say("yes")]);
                    turn(&host, &format!("s{session}"), "again").await;
                    tokio::time::sleep(Duration::from_millis(round % 5)).await;
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(outside.count("turn.completed"), 200);
        assert_eq!(outside.count("session.opened"), 8);
        assert_eq!(outside.count("input.requeued"), 0, "no turn was started twice");
    });
}
