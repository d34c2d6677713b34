//! What it costs to become what the log says: the fold alone, a session read from the log and folded, the same from a
//! snapshot.
//!
//! `cargo bench -p dispatch-projections`. Plain turns of thirteen events each. Wall time and the process's CPU time, each
//! the median of many: on a machine that does other work the second is the one to compare. Pages of the file come from
//! the operating system's cache; *opened anew* adds what the engine reads again when its own cache is empty.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench stops where something is wrong, and prints")]

#[path = "fold/plain_turn.rs"]
mod plain_turn;

use dispatch_events::{
    CorrelationId, Draft, EventId, Log, PrincipalId, Recorded, StreamId, SystemClock, Version, snapshot::Snapshot,
    store::EngineKind,
};
use dispatch_projections::{SessionState, snapshot::shape};
use plain_turn::{TURN_EVENTS, Texts, plain_turn};
use rustix::time::{ClockId, clock_gettime};
use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const TEXTS: Texts = Texts { question: 330, recalled: 0, answer: 330 };
/// How long one figure is measured.
const LENGTH: Duration = Duration::from_millis(1500);

fn main() {
    println!("{:<34}{:>12}{:>12}{:>14}{:>16}", "", "wall ms", "CPU ms", "CPU ns/event", "events/CPU s");
    for wanted in [200, 10_000] {
        for engine in EngineKind::ALL {
            of_engine(*engine, wanted);
        }
    }
}

fn of_engine(engine: EngineKind, wanted: usize) {
    let (folder, log, stream) = session(engine, wanted);
    let events = read(&log, stream);
    let count = events.len();
    println!("\na session of {count} events, {engine}");
    let state = folded(&events);
    if engine == EngineKind::default() {
        row("fold alone", count, || folded(black_box(&events)));
        row("to bytes", count, || state.to_bytes().unwrap());
    }
    row("read", count, || read(&log, stream));
    row("read, still sealed", count, || log.store().read_stream(stream, Version(1), count).unwrap());
    row("read and fold", count, || replayed(&log, stream));
    let bytes = state.to_bytes().unwrap();
    println!("  {:<32}{:>12}", "bytes of its snapshot", bytes.len());
    let snapshot = Snapshot { version: state.version, hash: state.hash, bytes };
    log.keep_snapshot(state.tip(), shape(), &snapshot).unwrap();
    row("from its snapshot", count, || restored(&log, stream));
    drop(log);
    let anew = (0..10).map(|_| {
        let log = Log::open(folder.path(), engine, Arc::new(SystemClock)).unwrap();
        timed(|| replayed(&log, stream))
    });
    let sample = anew.collect();
    line("opened anew: read and fold", count, sample);
}

/// A log with one session of about so many events.
fn session(engine: EngineKind, events: usize) -> (TempDir, Log, StreamId) {
    // Not in the system's folder for temporary files, which may lie in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let log = Log::open(folder.path(), engine, Arc::new(SystemClock)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    for number in 0..events.div_ceil(TURN_EVENTS) {
        let correlation = CorrelationId::fresh();
        let draft =
            |event| Draft { event, correlation, causation: EventId::default(), principal: PrincipalId::default() };
        for append in plain_turn(number, TEXTS) {
            let appended = runtime.block_on(log.append(tip, append.into_iter().map(draft).collect())).unwrap();
            tip.version = appended.events.last().unwrap().version;
        }
    }
    (folder, log, tip.stream)
}

fn read(log: &Log, stream: StreamId) -> Vec<Recorded> {
    let mut events = Vec::new();
    loop {
        let page = log.read_stream(stream, Version(events.len() as u64 + 1), 500).unwrap();
        if page.is_empty() {
            return events;
        }
        events.extend(page);
    }
}

fn folded(events: &[Recorded]) -> SessionState {
    let mut state = SessionState::empty(events[0].stream);
    events.iter().for_each(|event| state.apply(event).unwrap());
    state
}

fn replayed(log: &Log, stream: StreamId) -> SessionState {
    let mut state = SessionState::empty(stream);
    loop {
        let page = log.read_stream(stream, state.version.next(), 500).unwrap();
        if page.is_empty() {
            return state;
        }
        page.iter().for_each(|event| state.apply(event).unwrap());
    }
}

fn restored(log: &Log, stream: StreamId) -> SessionState {
    let snapshot = log.snapshot(stream, shape()).unwrap();
    SessionState::from_bytes(&snapshot.bytes, |text| log.blobs().shared(text.address)).unwrap()
}

/// CPU time of all threads of this process.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Wall and CPU time of one run, without the time that dropping its result takes.
fn timed<T>(run: impl FnOnce() -> T) -> (Duration, Duration) {
    let (begun, used) = (Instant::now(), cpu());
    let result = black_box(run());
    let times = (begun.elapsed(), cpu() - used);
    drop(result);
    times
}

fn row<T>(label: &str, events: usize, mut run: impl FnMut() -> T) {
    drop(run());
    let begun = Instant::now();
    let mut sample = Vec::new();
    while sample.len() < 10 || begun.elapsed() < LENGTH {
        sample.push(timed(&mut run));
    }
    line(label, events, sample);
}

fn line(label: &str, events: usize, sample: Vec<(Duration, Duration)>) {
    let (mut wall, mut cpu): (Vec<_>, Vec<_>) = sample.into_iter().unzip();
    wall.sort_unstable();
    cpu.sort_unstable();
    let (wall, cpu) = (wall[wall.len() / 2].as_secs_f64(), cpu[cpu.len() / 2].as_secs_f64());
    let each = cpu / events as f64;
    println!("  {label:<32}{:>12.3}{:>12.3}{:>14.0}{:>16.0}", wall * 1e3, cpu * 1e3, each * 1e9, 1.0 / each);
}
