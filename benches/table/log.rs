//! The log alone: what encoding, sealing and hashing cost an event, and durable appends beside a bare file.
//!
//! The bare file gets the same bytes with nothing sealed, hashed or indexed: once from as many writers that wait for the
//! disk, which is the limit that an engine is held against, and once in one write for as many records as there are
//! writers, with nobody waiting. They take turns with the engine, a second each, so that all see the same weather.

mod bare;

use crate::{
    Scale,
    cpu::{Since, Times, timed},
    host::ROOT,
    report::Report,
};
use dispatch_events::{
    AdmissionId, CorrelationId, Digest, Draft, Event, EventId, Log, Part, Position, PrincipalId, Recorded, StreamId,
    SystemClock, TurnId, Version,
    catalogue::{
        input::{InputQueued, Intent, Principal},
        model::ModelStreamed,
    },
    envelope::{self, HEADER_LEN, WRITER_LEN},
    seal,
    store::{CommitObserver, EngineKind, NameSecret, Store, memory::MemoryEngine},
};
use std::{
    fs::File,
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// Events of one figure of cost.
const COSTED: usize = 2000;

/// An event whose text has so many bytes; about 130 stand beside it.
pub fn draft(text: usize) -> Draft {
    let event: Event = InputQueued {
        admission: AdmissionId::fresh(),
        principal: Principal { adapter: "http".into(), subject: "somebody".into() },
        request: "0192abcd-0000-7000-8000-000000000001".into(),
        digest: Digest::of(b"what was asked"),
        intent: Intent::Queue,
        seq: 42,
        parts: vec![Part::Text("x".repeat(text))],
        message: None,
        demoted: None,
        again: None,
    }
    .into();
    let (correlation, causation) = (CorrelationId::fresh(), EventId::default());
    Draft { event, correlation, causation, principal: PrincipalId::default() }
}

/// An event that opens nothing: what is appended to a log that is used again must not wake a session there.
pub fn shown(text: usize) -> Draft {
    let event = ModelStreamed { turn: TurnId::fresh(), attempt: 1, text: "x".repeat(text) };
    Draft { event: event.into(), ..draft(0) }
}

/// Both tables.
pub async fn measure(report: &mut Report, scale: Scale) {
    report.section("log", "CPU of an event on its way into the log, and durable appends beside a bare file");
    for size in [100, 1024, 16 * 1024] {
        cost(report, size);
    }
    for writers in [1, 16, 256] {
        for engine in EngineKind::ALL {
            appends(report, *engine, writers, scale).await;
        }
    }
}

fn cost(report: &mut Report, size: usize) {
    let store = Store::start(MemoryEngine::default(), NameSecret::new([7; 32])).unwrap();
    let log = Log::in_memory(Arc::new(store), Arc::new(SystemClock));
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    let key = log.keys().get(tip.key).unwrap();
    let event = draft(size - 80).event;
    let payload = event.encode().unwrap();
    let (writer, sealed) = ([7; WRITER_LEN], seal::seal(&key.sealing, &[7; WRITER_LEN], &payload).unwrap());
    let each = |run: &dyn Fn()| timed(|| (0..COSTED).for_each(|_| run())).1.cpu_us(COSTED) * 1e3;
    let encode = each(&|| drop(black_box(event.encode().unwrap())));
    let sealing = each(&|| drop(black_box(seal::seal(&key.sealing, &writer, &payload).unwrap())));
    let hash = each(&|| {
        let mut record = Vec::new();
        let hash = envelope::write_record(&mut record, &writer, &sealed, Digest::default(), Position(1));
        black_box((envelope::log_chained(Digest::default(), Position(1), hash), record));
    });
    let opening = each(&|| drop(black_box(seal::open(&key.sealing, &writer, &sealed).unwrap())));
    let sum = encode + sealing + hash;
    report
        .row(&format!("an event of {} bytes", payload.len()))
        .number("encode_ns", encode, 0, "ns encode")
        .number("seal_ns", sealing, 0, "ns seal")
        .number("hash_ns", hash, 0, "ns hash, CRC")
        .number("seal_share", sealing / sum * 100.0, 0, "% is sealing")
        .number("open_ns", opening, 0, "ns to open");
}

/// Counts group commits.
#[derive(Default)]
struct Commits(AtomicUsize);

impl CommitObserver for Commits {
    fn committed(&self, _: &[Arc<Recorded>]) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

async fn appends(report: &mut Report, engine: EngineKind, count: usize, scale: Scale) {
    let length = scale.of(Duration::from_secs(1), Duration::from_millis(200));
    let folder = tempfile::tempdir_in(ROOT).unwrap();
    let log = Arc::new(Log::open(folder.path(), engine, Arc::new(SystemClock)).unwrap());
    let commits = Arc::new(Commits::default());
    log.store().observe(commits.clone());
    let answered = bare::Answered::new(&folder.path().join("answered"));
    let mut file = File::create(folder.path().join("alone")).unwrap();
    let record = HEADER_LEN
        + log.prepare(log.new_tip(StreamId::fresh()).unwrap(), vec![draft(900)]).unwrap().events[0].payload.len();
    let (mut appended, mut ours) = (0, Times::default());
    let (mut written, mut bare) = (0, Times::default());
    let (mut alone, mut disk) = (0, Times::default());
    for _ in 0..scale.of(3, 1) {
        let (records, times) = answered.run(count, record, length).await;
        written += records;
        bare.add(times);
        let (records, times) = bare::alone(&mut file, record, count, length);
        alone += records;
        disk.add(times);
        let (events, times) = writers(&log, count, length, || vec![draft(900)]).await;
        appended += events;
        ours.add(times);
    }
    report
        .row(&format!("{count} writers, {engine}"))
        .number("events_per_s", ours.rate(appended), 0, "events/s")
        .number("bare_per_s", bare.rate(written), 0, "bare records/s")
        .number("ratio", ours.rate(appended) / bare.rate(written), 3, "of the bare file")
        .number("disk_per_s", disk.rate(alone), 0, "records/s with nobody waiting")
        .number("cpu_us_per_event", ours.cpu_us(appended), 1, "us CPU/event")
        .number("events_per_commit", appended as f64 / commits.0.load(Ordering::Relaxed) as f64, 1, "events/commit")
        .number("cpu_share", ours.cpu.as_secs_f64() / ours.wall.as_secs_f64(), 2, "cores busy");
    answered.close();
}

/// So many writers, each with a stream of its own, append one after the other for a while. How many events landed.
pub async fn writers(
    log: &Arc<Log>,
    count: usize,
    length: Duration,
    drafts: impl Fn() -> Vec<Draft> + Send + Copy + 'static,
) -> (usize, Times) {
    let mut tasks = JoinSet::new();
    let tips: Vec<_> = (0..count).map(|_| log.new_tip(StreamId::fresh()).unwrap()).collect();
    let since = Since::now();
    let until = Instant::now() + length;
    for mut tip in tips {
        let log = log.clone();
        tasks.spawn(async move {
            while Instant::now() < until {
                let appended = log.append(tip, drafts()).await.unwrap();
                tip.version = appended.events.last().map_or(Version(0), |last| last.version);
            }
            tip.version.0 as usize
        });
    }
    let events = tasks.join_all().await.into_iter().sum();
    (events, since.times())
}
