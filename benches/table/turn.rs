//! The host's own time in a plain turn: the client's time without the model's.

use crate::{
    Scale,
    disk::Floor,
    host::{Rig, said},
    report::Report,
    sample::Sample,
    wire::Connection,
};
use std::{ops::RangeInclusive, time::Duration};

/// Durable points between the input and its answer.
const SYNCS: u32 = 3;

/// Turns 1 of many sessions, then windows around the 100th and the 1000th turn of a few.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("turn", "the host's own time (client minus model), plain turn, not streaming");
    let rig = Rig::start().await;
    let mut connection = rig.connect().await;
    for number in 0..scale.of(50, 5) {
        own(&rig, &mut connection, &format!("warm-{number}"), number).await;
    }

    let mut floor = Floor::new();
    let mut first = Sample::default();
    for number in 0..scale.of(200, 10) {
        first.push(own(&rig, &mut connection, &format!("fresh-{number}"), number).await);
        floor.append();
    }
    report.row("turn 1 (each of a new session)").own(&first, &floor.sample, SYNCS);

    let windows: &[RangeInclusive<usize>] =
        if scale.quick { &[2..=5, 96..=105] } else { &[2..=5, 76..=125, 976..=1025] };
    let mut samples: Vec<(Sample, Floor)> = windows.iter().map(|_| (Sample::default(), Floor::new())).collect();
    for session in 0..scale.of(4, 1) {
        let name = format!("long-{session}");
        for number in 1..=*windows.last().unwrap().end() {
            let length = own(&rig, &mut connection, &name, number).await;
            if let Some(window) = windows.iter().position(|window| window.contains(&number)) {
                samples[window].0.push(length);
                samples[window].1.append();
            }
        }
    }
    for (window, (sample, floor)) in windows.iter().zip(&samples) {
        report.row(&format!("turns {} to {} of a session", window.start(), window.end())).own(
            sample,
            &floor.sample,
            SYNCS,
        );
    }
}

/// One turn, and the host's part of its time.
async fn own(rig: &Rig, connection: &mut Connection, session: &str, number: usize) -> Duration {
    let reply = connection.chat(session, &said(number), false).await;
    assert!(reply.answered(), "turn {number} of {session}: {}", String::from_utf8_lossy(&reply.bytes));
    let request = rig.model.requests().last().unwrap().clone();
    reply.whole.saturating_sub(request.finished().await.busy)
}
