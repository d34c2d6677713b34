//! The built binary on the history.

use super::{
    fill::{LONG, name},
    ms,
};
use crate::{
    host::BINARY,
    process,
    report::Report,
    sample::Sample,
    start::{Ending, Started, start as started},
};
use dispatch_events::store::EngineKind;
use far_side::HostProcess;
use std::{path::Path, time::Instant};

/// Starts of which the median is taken.
const STARTS: usize = 5;
/// Sessions of 200 events that are asked for, each for the first time.
const SESSIONS: usize = 50;
/// What chooses the engine.
const ENGINE: &str = "DISPATCH_LOG__ENGINE";

/// From spawn to ready, and the memory then.
pub fn start(report: &mut Report, engine: EngineKind, label: &str, data: &Path) {
    let once = || started(data, &[(ENGINE, engine.name())], Ending::Stopped);
    let mut starts: Vec<Started> = (0..STARTS).map(|_| once()).collect();
    starts.sort_by_key(|start| start.ready);
    let middle = &starts[STARTS / 2];
    report
        .row(label)
        .number("ready_ms", ms(middle.ready), 0, "ms to ready")
        .number("cpu_ms", ms(middle.cpu), 0, "ms CPU")
        .number("resident_mib", middle.resident_mib, 1, "MiB resident")
        .number("peak_mib", middle.peak_mib, 1, "MiB peak");
}

/// Sessions that come back when somebody asks for them, over HTTP.
pub async fn rehydrate(report: &mut Report, engine: EngineKind, data: &Path) {
    let host = HostProcess::setup(BINARY).data_in(data).env(ENGINE, engine.name()).start().await;
    let pid = host.pid().unwrap();
    // One, so that the connection stands.
    host.get("/api/sessions/session-1").await.ok();
    let (mut sample, used) = (Sample::default(), process::cpu(pid));
    for number in 2..2 + SESSIONS {
        let begun = Instant::now();
        host.get(&format!("/api/sessions/{}", name(number))).await.ok();
        sample.push(begun.elapsed());
    }
    let each = ms(process::cpu(pid) - used) / SESSIONS as f64;
    report.row("GET a session of 200 events").times("", &sample).number("cpu_ms", each, 1, "ms CPU");
    let (begun, used) = (Instant::now(), process::cpu(pid));
    host.get(&format!("/api/sessions/{LONG}")).await.ok();
    report
        .row("GET the session of 10,000 events")
        .number("wall_ms", ms(begun.elapsed()), 1, "ms")
        .number("cpu_ms", ms(process::cpu(pid) - used), 0, "ms CPU")
        .number("resident_mib", process::resident_mib(pid), 1, "MiB resident")
        .number("peak_mib", process::peak_mib(pid), 1, "MiB peak");
}
