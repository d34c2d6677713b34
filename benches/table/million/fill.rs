//! Writing the history, through the log as a host writes it: each turn four appends, many sessions at once.

use super::open;
use crate::{
    cpu::Since,
    plain_turn::{TURN_EVENTS, Texts, plain_turn},
    process,
    report::Report,
};
use dispatch_events::{
    CorrelationId, Draft, Event, EventId, Log, PrincipalId, StreamId, catalogue::session::SessionOpened, log::Tip,
    store::EngineKind,
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::task::JoinSet;

/// Written when the folder is whole: how many events, the bytes of their payloads in clear, and those on the disk.
pub const DONE: &str = "filled";
/// Name of the long session.
pub const LONG: &str = "long";
/// Events of the long session.
pub const LONG_EVENTS: usize = 10_000;
/// Events of each other session.
pub const SESSION_EVENTS: usize = 200;
/// Sessions that are written at once.
const WRITERS: usize = 256;
/// Bytes of the texts of a turn: with what else an event holds, a payload is about a kibibyte on average.
const TEXTS: Texts = Texts { question: 3_000, recalled: 0, answer: 8_500 };
const RECALLED: usize = 2_500;

/// Name of session `number`.
pub fn name(number: usize) -> String {
    format!("session-{number}")
}

/// Fills a new folder.
pub async fn fill(report: &mut Report, engine: EngineKind, data: &Path, events: usize) {
    let log = open(data, engine);
    let since = Since::now();
    let sessions = events.saturating_sub(LONG_EVENTS).div_ceil(SESSION_EVENTS);
    let (next, clear) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let (log, next, clear) = (log.clone(), next.clone(), clear.clone());
        writers.spawn(async move {
            loop {
                // The long one first: it takes longest.
                match next.fetch_add(1, Ordering::Relaxed) {
                    0 => session(&log, LONG.to_owned(), LONG_EVENTS, &clear).await,
                    number if number <= sessions => session(&log, name(number), SESSION_EVENTS, &clear).await,
                    _ => return,
                }
            }
        });
    }
    writers.join_all().await;
    let times = since.times();
    let count = log.store().log_head().position.0 as usize;
    let clear = clear.load(Ordering::Relaxed);
    report
        .row("filled by 256 writers")
        .number("events_per_s", times.rate(count), 0, "events/s")
        .number("cpu_us_per_event", times.cpu_us(count), 1, "us CPU/event")
        .number("payload_bytes", clear as f64 / count as f64, 0, "bytes of payload");
    drop(log);
    let disk = process::occupied(&data.join("log"));
    std::fs::write(data.join(DONE), format!("{count} {clear} {disk}")).unwrap();
}

/// One session: how it was opened, as many turns as fit, and as many recalls as are needed for its number of events.
async fn session(log: &Log, name: String, events: usize, clear: &AtomicUsize) {
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    let opened =
        SessionOpened { name, route: None, source: "http".into(), agent: "main".into(), parent: None, system: None };
    append(log, &mut tip, vec![opened.into()], clear).await;
    let (turns, recalls) = ((events - 1) / TURN_EVENTS, (events - 1) % TURN_EVENTS);
    for number in 0..turns {
        let recalled = if number < recalls { RECALLED } else { 0 };
        for events in plain_turn(number, Texts { recalled, ..TEXTS }) {
            append(log, &mut tip, events, clear).await;
        }
    }
}

async fn append(log: &Log, tip: &mut Tip, events: Vec<Event>, clear: &AtomicUsize) {
    let correlation = CorrelationId::fresh();
    let draft = |event| Draft { event, correlation, causation: EventId::default(), principal: PrincipalId::default() };
    let append = log.prepare(*tip, events.into_iter().map(draft).collect()).unwrap();
    // Nonce and tag of a sealed payload are 40 bytes.
    clear.fetch_add(append.events.iter().map(|event| event.payload.len() - 40).sum(), Ordering::Relaxed);
    let appended = log.store().append(append).await.unwrap();
    tip.version = appended.events.last().unwrap().version;
}
