use super::*;
use crate::{Digest, store::engine::Frame};
use std::{
    fs,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

fn batch(position: u64, length: usize) -> Batch {
    let (stream, version, position) = (StreamId::fresh(), Version(1), Position(position));
    let frame = Frame { stream, version, position, count: 1, bytes: vec![7; length], log_hash: Digest::of(b"any") };
    let head = Head { version, hash: Digest::default(), key: Default::default() };
    Batch {
        frames: vec![frame],
        ids: vec![(EventId::fresh(), position)],
        heads: vec![(stream, head)],
        ..Batch::default()
    }
}

fn pages(engine: &SqliteEngine, most: &str) {
    engine.writer().query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(())).unwrap();
}

/// What found no room did not land: no row of it, and the next batch takes its place.
#[test]
fn no_room_is_a_refusal_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = SqliteEngine::open(folder.path()).unwrap();
    engine.commit(&batch(1, 1000)).unwrap();
    let end = engine.log_head().unwrap();
    pages(&engine, "1");
    let refused = batch(2, 1_000_000);
    match engine.commit(&refused) {
        Err(EngineError::Refused(why)) => assert!(why.contains("full"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(engine.log_head().unwrap(), end);
    assert_eq!(engine.position_of(refused.ids[0].0).unwrap(), None);
    assert_eq!(engine.head(refused.heads[0].0).unwrap(), None);
    pages(&engine, "4294967294");
    engine.commit(&batch(2, 1_000_000)).unwrap();
    assert_eq!(engine.log_head().unwrap().position, Position(2));
}

/// Reads that never leave a moment without one must not let the write-ahead log grow for ever.
#[test]
fn the_write_ahead_log_is_cut_back_while_others_read() {
    let folder = tempfile::tempdir().unwrap();
    let engine = SqliteEngine { wal_most: 500_000, ..SqliteEngine::open(folder.path()).unwrap() };
    let wal = folder.path().join(schema::WAL);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    engine.log_head().unwrap();
                }
            });
        }
        for position in 1..=5 {
            engine.commit(&batch(position, 1_000_000)).unwrap();
            assert_eq!(fs::metadata(&wal).unwrap().len(), 0, "after {position} commits");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

/// A connection outside the pool that reads keeps it from being cut back: that is noticed, and not tried again at every commit.
#[test]
fn a_write_ahead_log_that_can_not_be_cut_back_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let engine = SqliteEngine { wal_most: 500_000, ..SqliteEngine::open(folder.path()).unwrap() };
    let wal = || fs::metadata(folder.path().join(schema::WAL)).unwrap().len();
    let outside = Connection::open(folder.path().join(schema::FILE)).unwrap();
    outside.execute_batch("BEGIN; SELECT * FROM log_end").unwrap();
    let begun = Instant::now();
    engine.commit(&batch(1, 1_000_000)).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "it waited as long as a commit waits for a lock");
    let stuck = engine.wal_stuck.load(Ordering::Relaxed);
    assert!(stuck > 500_000 && stuck == wal(), "{stuck}");
    outside.execute_batch("COMMIT").unwrap();
    engine.commit(&batch(2, 1_000)).unwrap();
    assert!(wal() > stuck, "tried again at once");
    engine.commit(&batch(3, 1_000_000)).unwrap();
    assert_eq!((wal(), engine.wal_stuck.load(Ordering::Relaxed)), (0, 0));
}
