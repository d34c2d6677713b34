//! The process that is killed: eight writers, payloads of 10 bytes to 2 MB, one line for each acknowledgement.

use dispatch_events::{
    CorrelationId, Digest, Draft, Event, EventId, Log, PrincipalId, StreamId, SystemClock, TurnId,
    catalogue::memory::MemoryRecalled, store::EngineKind,
};
use std::{
    io::Write,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Names the folder to write in.
pub const FOLDER: &str = "DISPATCH_CRASH_FOLDER";
/// Names the engine to write with.
pub const ENGINE: &str = "DISPATCH_CRASH_ENGINE";

/// A child whose parent is gone ends by itself.
const LONGEST: Duration = Duration::from_secs(20);

pub fn write(folder: &Path) {
    // The harness has begun a line.
    say("");
    let engine: EngineKind = std::env::var(ENGINE).unwrap().parse().unwrap();
    let log = Log::open(folder, engine, Arc::new(SystemClock)).unwrap();
    say("ready");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(append(&log));
            });
        }
    });
}

async fn append(log: &Log) {
    let start = Instant::now();
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    while start.elapsed() < LONGEST {
        let drafts = (0..1 + random() % 4).map(|_| draft(text(size()))).collect();
        let appended = log.append(tip, drafts).await.unwrap();
        let mut lines = String::new();
        for event in &appended.events {
            let Some(Event::MemoryRecalled(recalled)) = event.event() else { unreachable!("nothing else is written") };
            let digest = Digest::of(recalled.block.as_bytes());
            lines += &format!("ack {} {} {}\n", event.position, event.id, digest.hex());
            tip.version = event.version;
        }
        say(lines.trim_end());
        if random().is_multiple_of(16) {
            tip = log.new_tip(StreamId::fresh()).unwrap();
        }
    }
}

/// One write, so that a line is never mixed with another writer's.
fn say(lines: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{lines}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

fn draft(block: String) -> Draft {
    Draft {
        event: MemoryRecalled { turn: TurnId::fresh(), backend: "test".into(), block, took_ms: 0 }.into(),
        correlation: CorrelationId::fresh(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
    }
}

/// Most are small, some fill many rows, few are blobs.
fn size() -> usize {
    let (low, high) = match random() % 32 {
        0 => (64 * 1024, 2_000_000),
        1..4 => (4_000, 64 * 1024),
        _ => (10, 4_000),
    };
    low + random() as usize % (high - low)
}

fn text(length: usize) -> String {
    let mut seed = random();
    let letter = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (seed >> 24) as u8 % 26)
    };
    (0..length).map(letter).collect()
}

/// Different at every call; the order of rounds is not meant to repeat.
pub fn random() -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}
