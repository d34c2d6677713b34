//! A run: some lives of a host, each ended by a crash, and a last one in which all comes to rest.

use crate::{
    commands::{Clients, verdict},
    oracle,
    world::World,
};
use actix_rt::System;
use dispatch_actors::{HostHandle, SessionRef, handle::Besides};
use dispatch_events::StreamId;
use dispatch_projections::view::SummaryView;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// Simulated minutes in which everything must come to rest.
const MINUTES: u32 = 600;

/// Runs a seed, and gives what happened: the names of all events, in order.
pub fn run(seed: u64) -> Vec<String> {
    let (world, clients) = (World::new(seed), Clients::default());
    let lives = 1 + world.choose(|random| random.below(4));
    for _ in 0..lives {
        alive(async {
            let host = world.host(seed).await;
            for _ in 0..4 + world.choose(|random| random.below(40)) {
                clients.step(&world, &host).await;
            }
        });
    }
    world.calm.store(true, Ordering::SeqCst);
    alive(async {
        let host = world.host(seed).await;
        let sessions = rest(&world, &host).await;
        let receipts = clients.receipts.lock().unwrap().clone();
        oracle::check(&world, &host, &sessions, &receipts).await;
    });
    world.events().into_iter().map(|recorded| recorded.kind).collect()
}

/// One life: when the future is done the runtime goes with every actor in it, as in a crash.
fn alive(life: impl Future<Output = ()>) {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    System::with_tokio_rt(runtime).block_on(life);
}

/// Waits until nothing moves any more; what pauses is settled by a word.
async fn rest(world: &Arc<World>, host: &HostHandle) -> Vec<StreamId> {
    for _ in 0..MINUTES {
        let sessions = host.list(None, 1_000, Besides { erased: true, archived: true }).await.unwrap();
        let mut moving = false;
        for id in sessions.iter().map(|row: &SummaryView| row.id) {
            let session = SessionRef::Id(id);
            let state = host.state(&session, None).await.unwrap();
            if state.admissions.unknown().is_some() {
                drop(host.reconcile(&session, world.choose(verdict)).await);
            }
            moving |= state.admissions.pending().next().is_some() || state.obligations.open().next().is_some();
        }
        if !moving {
            return sessions.iter().map(|row| row.id).collect();
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    panic!(
        "it does not come to rest: {:#?}",
        world.events().iter().map(|event| (event.stream, &event.kind)).collect::<Vec<_>>()
    );
}
