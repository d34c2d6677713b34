//! What a turn pays for the log: sealing an event, a durable append alone and in company, reading a session.
//!
//! `cargo bench -p dispatch-events`. The appends need a disk that syncs; a folder in memory measures nothing. Beside the
//! engines stands a bare file: as many bytes in one write, one `fdatasync`, nothing sealed, hashed or indexed.

#![expect(clippy::unwrap_used, reason = "a bench stops where something is wrong")]

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use dispatch_events::{
    AdmissionId, CorrelationId, Digest, Draft, Event, EventId, Log, Part, PrincipalId, StreamId, SystemClock, Version,
    catalogue::input::{InputQueued, Intent, Principal},
    envelope::HEADER_LEN,
    log::Tip,
    store::{EngineKind, Store, memory::MemoryEngine},
};
use futures_util::future::join_all;
use std::{fs::File, hint::black_box, io::Write, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};

/// An event of about a kibibyte, as most are.
fn draft() -> Draft {
    let event: Event = InputQueued {
        admission: AdmissionId::fresh(),
        principal: Principal { adapter: "http".into(), subject: "somebody".into() },
        request: "0192abcd-0000-7000-8000-000000000001".into(),
        digest: Digest::of(b"what was asked"),
        intent: Intent::Queue,
        seq: 42,
        parts: vec![Part::Text("a sentence of some length; ".repeat(32))],
        message: None,
        demoted: None,
        again: None,
    }
    .into();
    let (correlation, causation) = (CorrelationId::fresh(), EventId::default());
    Draft { event, correlation, causation, principal: PrincipalId::default() }
}

/// Not in the system's folder for temporary files, which may lie in memory.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn open(engine: EngineKind) -> (tempfile::TempDir, Log, Runtime) {
    let folder = folder();
    let log = Log::open(folder.path(), engine, Arc::new(SystemClock)).unwrap();
    (folder, log, Builder::new_current_thread().build().unwrap())
}

fn seal(criterion: &mut Criterion) {
    let (_folder, log, _) = open(EngineKind::default());
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    criterion.bench_function("encode and seal", |bencher| {
        bencher.iter_batched(
            || vec![draft()],
            |drafts| black_box(log.prepare(tip, drafts).unwrap()),
            criterion::BatchSize::SmallInput,
        );
    });
}

fn append(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("durable append");
    for writers in [1_u64, 16, 256] {
        group.throughput(Throughput::Elements(writers));
        bare(&mut group, writers);
        for engine in EngineKind::ALL {
            let (_folder, log, runtime) = open(*engine);
            let mut tips: Vec<Tip> = (0..writers).map(|_| log.new_tip(StreamId::fresh()).unwrap()).collect();
            group.bench_function(BenchmarkId::new(engine.name(), format!("{writers} writers")), |bencher| {
                bencher.iter(|| {
                    let appends = tips.iter().map(|tip| log.append(*tip, vec![draft()]));
                    for appended in runtime.block_on(join_all(appends)) {
                        appended.unwrap();
                    }
                    tips.iter_mut().for_each(|tip| tip.version = tip.version.next());
                });
            });
        }
    }
}

/// What the disk itself takes: the records of all writers in one write and one sync.
fn bare(group: &mut BenchmarkGroup<WallTime>, writers: u64) {
    let folder = folder();
    let mut file = File::create(folder.path().join("bare")).unwrap();
    let log = Log::in_memory(
        Arc::new(Store::start(MemoryEngine::default(), dispatch_events::store::NameSecret::new([7; 32])).unwrap()),
        Arc::new(SystemClock),
    );
    let event = log.prepare(log.new_tip(StreamId::fresh()).unwrap(), vec![draft()]).unwrap();
    let record = HEADER_LEN + event.events[0].payload.len();
    let records = vec![b'x'; record * writers as usize];
    group.bench_function(BenchmarkId::new("a bare file", format!("{writers} writers")), |bencher| {
        bencher.iter(|| {
            file.write_all(&records).unwrap();
            file.sync_data().unwrap();
        });
    });
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(1000));
    for engine in EngineKind::ALL {
        let (_folder, log, runtime) = open(*engine);
        let mut tip = log.new_tip(StreamId::fresh()).unwrap();
        for _ in 0..250 {
            let appended = runtime.block_on(log.append(tip, (0..4).map(|_| draft()).collect())).unwrap();
            tip.version = appended.events[3].version;
        }
        group.bench_function(BenchmarkId::new(engine.name(), "a stream of 1,000 events"), |bencher| {
            bencher.iter(|| {
                let events = log.read_stream(tip.stream, Version(1), 1000).unwrap();
                assert_eq!(events.len(), 1000);
                events
            });
        });
        group.bench_function(BenchmarkId::new(engine.name(), "its records, still sealed"), |bencher| {
            bencher.iter(|| log.store().read_stream(tip.stream, Version(1), 1000).unwrap());
        });
    }
}

criterion_group! {
    name = log;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).sample_size(20);
    targets = seal, append, read
}
criterion_main!(log);
