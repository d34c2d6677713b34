//! Turns per second against a model that answers at once, the host's CPU per turn, and bytes on the disk.

use crate::{
    Scale, disk,
    host::{Rig, said},
    process,
    report::Report,
    sample::Sample,
    wire::{Connection, Target},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// After so many turns a client goes on with a new session: what is measured is the rate of ordinary conversations, and
/// the client that talks to the model straight sends no history at all.
const TURNS_PER_SESSION: usize = 50;

/// What the clients of one cell saw.
#[derive(Default)]
struct Load {
    turns: Sample,
    errors: usize,
}

/// 1, 8, 32 and 128 clients, each with a session of its own.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("rate", "turns per second, closed loop, each client on its own session");
    let cells: &[usize] = if scale.quick { &[1, 32] } else { &[1, 8, 32, 128] };
    let length = scale.of(Duration::from_secs(6), Duration::from_millis(700));
    for clients in cells {
        let rig = Rig::start().await;
        let floor = disk::floor(scale.of(300, 30));
        // Not measured: connections, first pages of the store, and the allocator's growth.
        load(&rig.target(), "warm", *clients, length / 4).await;
        let (cpu, written) = (process::cpu(rig.pid()), process::written(rig.pid()));
        let (occupied, begun) = (process::occupied(rig.host.data()), Instant::now());
        let load = load(&rig.target(), "load", *clients, length).await;
        let elapsed = begun.elapsed().as_secs_f64();
        let turns = load.turns.len() as f64;
        let cpu = (process::cpu(rig.pid()) - cpu).as_secs_f64() * 1000.0;
        let occupied = process::occupied(rig.host.data()).saturating_sub(occupied) as f64 / turns;
        let written = (process::written(rig.pid()) - written) as f64 / turns;
        let plain = if *clients == 1 { "client" } else { "clients" };
        report
            .row(&format!("{clients} {plain}"))
            .number("turns_per_s", turns / elapsed, 0, "turns/s")
            .number("errors", load.errors as f64, 0, "errors")
            .number("p50_ms", load.turns.percentile_ms(50), 2, "ms p50")
            .number("p99_ms", load.turns.percentile_ms(99), 2, "ms p99")
            .number("cpu_ms_per_turn", cpu / turns, 3, "ms CPU/turn")
            .number("cpu_cores", cpu / 1000.0 / elapsed, 2, "cores busy")
            .number("disk_bytes_per_turn", occupied, 0, "B disk/turn")
            .number("written_bytes_per_turn", written, 0, "B written/turn")
            .number("fdatasync_p50_ms", floor.percentile_ms(50), 2, "ms sync p50");
        straight(report, &rig, *clients, length / 4).await;
        assert_eq!(load.errors, 0, "every turn has its answer");
    }
}

/// The same clients without the host: what the harness itself can do.
async fn straight(report: &mut Report, rig: &Rig, clients: usize, length: Duration) {
    let begun = Instant::now();
    let load = load(&rig.straight(), "straight", clients, length).await;
    report
        .row("  the same straight to the model")
        .number("turns_per_s", load.turns.len() as f64 / begun.elapsed().as_secs_f64(), 0, "turns/s")
        .number("errors", load.errors as f64, 0, "errors")
        .number("p50_ms", load.turns.percentile_ms(50), 2, "ms p50")
        .number("p99_ms", load.turns.percentile_ms(99), 2, "ms p99");
}

async fn load(target: &Arc<Target>, name: &str, clients: usize, length: Duration) -> Load {
    let mut tasks = JoinSet::new();
    let until = Instant::now() + length;
    for client in 0..clients {
        let connection = Connection::open(target.clone()).await;
        tasks.spawn(converse(connection, format!("{name}-{client}"), until));
    }
    tasks.join_all().await.into_iter().fold(Load::default(), |mut all, one| {
        all.turns.append(one.turns);
        all.errors += one.errors;
        all
    })
}

async fn converse(mut connection: Connection, name: String, until: Instant) -> Load {
    let mut load = Load::default();
    for number in 0.. {
        if Instant::now() >= until {
            break;
        }
        let session = format!("{name}-{}", number / TURNS_PER_SESSION);
        let reply = connection.chat(&session, &said(number), false).await;
        if reply.answered() {
            load.turns.push(reply.whole);
        } else {
            load.errors += 1;
        }
    }
    load
}
