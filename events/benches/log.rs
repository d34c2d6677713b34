//! What a turn pays for the log: sealing an event, a durable append alone and in company, reading a session.
//!
//! `cargo bench -p dispatch-events`. The appends need a disk that syncs; a folder in memory measures nothing.

#![expect(clippy::unwrap_used, reason = "a bench stops where something is wrong")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dispatch_events::{
    AdmissionId, CorrelationId, Digest, Draft, Event, EventId, Log, Part, PrincipalId, StreamId, SystemClock, Version,
    catalogue::input::{InputQueued, Intent, Principal},
    log::Tip,
};
use futures_util::future::join_all;
use std::{hint::black_box, sync::Arc, time::Duration};
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
    }
    .into();
    let (correlation, causation) = (CorrelationId::fresh(), EventId::default());
    Draft { event, correlation, causation, principal: PrincipalId::default() }
}

fn open() -> (tempfile::TempDir, Log, Runtime) {
    // Not in the system's folder for temporary files, which may lie in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let log = Log::open(folder.path(), dispatch_events::store::EngineKind::Sled, Arc::new(SystemClock)).unwrap();
    (folder, log, Builder::new_current_thread().build().unwrap())
}

fn seal(criterion: &mut Criterion) {
    let (_folder, log, _) = open();
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
    let mut group = criterion.benchmark_group("durable append on sled");
    for writers in [1_u64, 16, 128] {
        let (_folder, log, runtime) = open();
        let mut tips: Vec<Tip> = (0..writers).map(|_| log.new_tip(StreamId::fresh()).unwrap()).collect();
        group.throughput(Throughput::Elements(writers));
        group.bench_function(BenchmarkId::from_parameter(format!("{writers} writers")), |bencher| {
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

fn read(criterion: &mut Criterion) {
    let (_folder, log, runtime) = open();
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    for _ in 0..250 {
        let appended = runtime.block_on(log.append(tip, (0..4).map(|_| draft()).collect())).unwrap();
        tip.version = appended.events[3].version;
    }
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("a stream of 1,000 events", |bencher| {
        bencher.iter(|| {
            let events = log.read_stream(tip.stream, Version(1), 1000).unwrap();
            assert_eq!(events.len(), 1000);
            events
        });
    });
    group.bench_function("its records, still sealed", |bencher| {
        bencher.iter(|| log.store().read_stream(tip.stream, Version(1), 1000).unwrap());
    });
}

criterion_group! {
    name = log;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).sample_size(20);
    targets = seal, append, read
}
criterion_main!(log);
