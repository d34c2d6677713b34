//! Resident memory of a session, while it has an actor and after it was given up.
//!
//! Resident memory is what the allocator holds, not what is in use: pages that it keeps for later count. So the figure
//! after passivation is an upper bound, and a second round of as many sessions shows what is used again.

use crate::{
    Scale,
    host::{Rig, said},
    process,
    report::Report,
};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Connections that open the sessions.
const CLIENTS: usize = 16;
/// Longest wait until no session has an actor: the host gives one up after a minute without work.
const PASSIVATION: Duration = Duration::from_secs(120);

/// Opens many sessions with one turn each, waits until none has an actor, and does it once more.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("memory", "resident memory of sessions with one turn each");
    let sessions = scale.of(2000, 100);
    let rig = Rig::start().await;
    open(&rig, "warm", 32).await;
    let before = process::resident_mib(rig.pid());
    open(&rig, "first", sessions).await;
    let opened = process::resident_mib(rig.pid());
    row(report, &format!("{sessions} active sessions"), before, opened, sessions);
    if scale.quick {
        return; // a minute of waiting
    }
    passivated(&rig).await;
    let rested = process::resident_mib(rig.pid());
    row(report, &format!("the same {sessions}, passivated"), before, rested, sessions);
    open(&rig, "second", sessions).await;
    let again = process::resident_mib(rig.pid());
    row(report, &format!("{sessions} more, active beside them"), rested, again, sessions);
    passivated(&rig).await;
    let end = process::resident_mib(rig.pid());
    row(report, &format!("these {sessions} passivated too"), rested, end, sessions);
}

fn row(report: &mut Report, label: &str, before: f64, now: f64, sessions: usize) {
    let each = (now - before) * 1024.0 / sessions as f64;
    report.row(label).number("before_mib", before, 1, "MiB before").number("resident_mib", now, 1, "MiB now").number(
        "kib_per_session",
        each,
        1,
        "KiB/session",
    );
}

async fn open(rig: &Rig, name: &str, sessions: usize) {
    let mut tasks = JoinSet::new();
    for client in 0..CLIENTS {
        let mut connection = rig.connect().await;
        let name = name.to_owned();
        tasks.spawn(async move {
            for number in (client..sessions).step_by(CLIENTS) {
                let reply = connection.chat(&format!("{name}-{number}"), &said(number), false).await;
                assert!(reply.answered(), "{}", String::from_utf8_lossy(&reply.bytes));
            }
        });
    }
    tasks.join_all().await;
}

async fn passivated(rig: &Rig) {
    let until = Instant::now() + PASSIVATION;
    loop {
        let doctor = rig.host.get("/api/doctor").await.ok().json();
        if doctor["sessions_active"] == 0 {
            break;
        }
        assert!(Instant::now() < until, "sessions are still active: {}", doctor["sessions_active"]);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    // The actors are gone; what they owned is given back in their last moments.
    tokio::time::sleep(Duration::from_secs(1)).await;
}
