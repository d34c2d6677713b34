//! What the folder takes, and what sled takes alone.

use super::{fill::DONE, ms};
use crate::{cpu::timed, report::Report};
use dispatch_events::store::EngineKind;
use std::path::Path;

/// sled's page cache, as the engine sets it.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// Bytes on the disk of each event.
pub fn bytes(report: &mut Report, data: &Path) {
    let done = std::fs::read_to_string(data.join(DONE)).unwrap();
    // As it was filled: every run appends to it.
    let mut numbers = done.split(' ').map(|number| number.parse::<f64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (count, clear, log) = (next(), next(), next());
    report
        .row(&format!("{count} events on the disk"))
        .number("mib", log / 1024.0 / 1024.0, 0, "MiB")
        .number("bytes_per_event", log / count, 0, "bytes/event")
        .number("payload_bytes", clear / count, 0, "bytes of payload")
        .number("times_payload", log / clear, 2, "x payload");
}

/// How long sled itself takes to open, which no host on it can be quicker than.
pub fn sled_alone(report: &mut Report, engine: EngineKind, data: &Path) {
    if engine != EngineKind::Sled {
        return;
    }
    let config = sled::Config::new().path(data.join("log")).cache_capacity(CACHE_BYTES);
    let (db, times) = timed(|| config.open().unwrap());
    drop(db);
    report.row("sled alone opened").number("wall_ms", ms(times.wall), 1, "ms").number(
        "cpu_ms",
        ms(times.cpu),
        1,
        "ms CPU",
    );
}
