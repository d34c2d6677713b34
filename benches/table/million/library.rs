//! The library on the history: no HTTP, no actors.

use super::{
    fill::{LONG, LONG_EVENTS, name},
    ms,
};
use crate::{
    cpu::{Times, timed},
    log::{shown, writers},
    report::Report,
};
use dispatch_events::{Log, Position, StreamId, Version};
use dispatch_projections::SessionState;
use std::{sync::Arc, time::Duration};

/// Sessions of 200 events that are read, each for the first time.
const SESSIONS: usize = 100;
/// Records of one page.
const PAGE: usize = 500;
/// Events that are opened of the whole log.
const OPENED: usize = 200_000;
/// How long writers append.
const LENGTH: Duration = Duration::from_secs(3);

/// From the stream's id to the state.
pub fn rehydrate(report: &mut Report, log: &Log) {
    let mut times = Times::default();
    // Others than those that the host was asked for, and spread.
    let streams: Vec<_> = (0..SESSIONS).filter_map(|number| log.store().named(&name(100 + number)).unwrap()).collect();
    for stream in &streams {
        times.add(timed(|| replayed(log, *stream)).1);
    }
    let each = |length: Duration| ms(length) / streams.len() as f64;
    report.row("a session of 200 events rehydrated").number("wall_ms", each(times.wall), 2, "ms").number(
        "cpu_ms",
        each(times.cpu),
        2,
        "ms CPU",
    );
    let long = log.store().named(LONG).unwrap().unwrap();
    for label in ["the session of 10,000 events rehydrated", "  the same once more"] {
        let (_, times) = timed(|| replayed(log, long));
        report.row(label).number("wall_ms", ms(times.wall), 1, "ms").number("cpu_ms", ms(times.cpu), 1, "ms CPU");
    }
}

fn replayed(log: &Log, stream: StreamId) -> SessionState {
    let mut state = SessionState::empty(stream);
    loop {
        let page = log.read_stream(stream, state.version.next(), PAGE).unwrap();
        if page.is_empty() {
            return state;
        }
        page.iter().for_each(|event| state.apply(event).unwrap());
    }
}

/// The whole log and one stream, sealed and opened.
pub fn read(report: &mut Report, log: &Log) {
    let mut rate = |label: &str, (count, times): (usize, Times)| {
        report.row(label).number("events_per_s", times.rate(count), 0, "events/s").number(
            "cpu_us_per_event",
            times.cpu_us(count),
            2,
            "us CPU/event",
        );
    };
    let all = log.store().log_head().position.0 as usize;
    let sealed = |from| log.store().read_all(from, PAGE).unwrap().len();
    rate("reading all, still sealed", timed(|| pages(all, |from| sealed(Position(from)))));
    let opened = |from| log.read_all(from, PAGE).unwrap().len();
    rate("reading all, opened", timed(|| pages(OPENED.min(all), |from| opened(Position(from)))));
    let long = log.store().named(LONG).unwrap().unwrap();
    let sealed = |from| log.store().read_stream(long, from, PAGE).unwrap().len();
    rate("reading one stream, still sealed", timed(|| pages(LONG_EVENTS, |from| sealed(Version(from)))));
    let opened = |from| log.read_stream(long, from, PAGE).unwrap().len();
    rate("reading one stream, opened", timed(|| pages(LONG_EVENTS, |from| opened(Version(from)))));
}

fn pages(wanted: usize, page: impl Fn(u64) -> usize) -> usize {
    let mut count = 0;
    while count < wanted {
        let more = page(count as u64 + 1);
        assert!(more > 0, "the log ends at {count}");
        count += more;
    }
    count
}

/// Durable appends behind the history, by one and by many.
pub async fn append(report: &mut Report, log: &Arc<Log>) {
    for count in [1, 256] {
        let (events, times) = writers(log, count, LENGTH, || vec![shown(900)]).await;
        report
            .row(&format!("appending, {count} writers"))
            .number("events_per_s", times.rate(events), 0, "events/s")
            .number("cpu_us_per_event", times.cpu_us(events), 1, "us CPU/event");
    }
}
