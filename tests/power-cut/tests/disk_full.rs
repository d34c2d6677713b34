//! The disk fills, by the log itself and by somebody else: writers are told in words, nothing acknowledged is lost, reads
//! go on, and when there is room again so do appends, without a restart.
#![cfg(target_os = "linux")]

use dispatch_events::{
    Log, StreamId, SystemClock,
    log::{LogError, OpenLogError},
    store::{EngineKind, OpenError, StartError},
};
use power_cut::{
    Ledger, Volume, say,
    volume::half_written,
    writer::{self, Written, append, block_on, drafts},
};
use std::{
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

const MIB: u64 = 1024 * 1024;
const VOLUME_MIB: u64 = 200;
/// Free when the writers begin: not much above the floor that an engine may have.
const ROOM: u64 = 90 * MIB;
/// Refusals until a writer gives up: it has to be told every time.
const REFUSALS: usize = 5;

/// Long enough for what an engine does by itself now and then: sled tidies its file twice a second.
const DWELL: Duration = Duration::from_millis(1200);

#[test]
fn writers_that_fill_the_disk_are_told_and_go_on_when_there_is_room() {
    for engine in EngineKind::ALL {
        let Some(volume) = volume() else { return };
        let ballast = volume.fill("ballast", ROOM);
        let mut ledger = Ledger::default();
        let log = open(&volume, *engine).unwrap();
        let refusals = write_until_refused(&log, &mut ledger, || {});
        assert!(!ledger.is_empty(), "{engine}: nothing was acknowledged: the test is too weak");
        ledger.check(&log).unwrap_or_else(|why| panic!("{engine}, full: {why}"));
        nothing_is_mapped(&volume);
        a_refused_append_takes_no_room(&volume, &log, *engine);

        let last = volume.fill("last", 0);
        assert_eq!(volume.free() / MIB, 0, "{engine}: the disk is not full");
        keys_and_blobs_refuse(&volume, &log, *engine);
        thread::sleep(DWELL);
        assert!(log.store().refusal().is_some(), "{engine}: nobody is told that the log takes no writes");
        ledger.check(&log).unwrap_or_else(|why| panic!("{engine}, full to the last byte: {why}"));

        last.remove();
        ballast.remove();
        assert_eq!(log.store().refusal(), None, "{engine}: there is room again");
        ledger.go_on(&log).unwrap_or_else(|why| panic!("{engine}, with room again: {why}"));
        ledger.check(&log).unwrap_or_else(|why| panic!("{engine}, with room again: {why}"));
        say(&format!("{engine}: {} events acknowledged, {refusals} refusals, none lost", ledger.len()));
    }
}

#[test]
fn a_disk_that_somebody_else_fills_costs_nothing_that_was_acknowledged() {
    for engine in EngineKind::ALL {
        let Some(volume) = volume() else { return };
        let mut ledger = Ledger::default();
        let log = open(&volume, *engine).unwrap();
        let mut ballast = None;
        write_until_refused(&log, &mut ledger, || {
            thread::sleep(Duration::from_millis(300));
            ballast = Some(volume.fill("ballast", 0));
        });
        ledger.check(&log).unwrap_or_else(|why| panic!("{engine}, full: {why}"));
        drop(log);

        match open(&volume, *engine) {
            Ok(log) => ledger.check(&log).unwrap_or_else(|why| panic!("{engine}, opened on a full disk: {why}")),
            Err(error) => {
                let is_full = matches!(error, OpenLogError::Store(StartError::Open(OpenError::Full { .. })));
                assert!(is_full && error.to_string().contains("make room"), "{engine}: {error}");
            }
        }
        ballast.expect("it was written").remove();
        let log = open(&volume, *engine).unwrap_or_else(|error| panic!("{engine}, with room again: {error}"));
        ledger.check(&log).unwrap_or_else(|why| panic!("{engine}, with room again: {why}"));
        ledger.go_on(&log).unwrap();
    }
}

/// sled can't be opened on a full disk, and once it was damaged by the attempt: it must not be tried.
#[test]
fn sled_is_not_opened_on_a_full_disk() {
    let Some(volume) = volume() else { return };
    let engine: EngineKind = "sled".parse().unwrap();
    let mut ledger = Ledger::default();
    let log = open(&volume, engine).unwrap();
    ledger.go_on(&log).unwrap();
    drop(log);
    for left in [0, 63 * MIB] {
        let ballast = volume.fill("ballast", left);
        let Err(error) = open(&volume, engine) else { panic!("opened with {left} bytes free") };
        assert!(matches!(error, OpenLogError::Store(StartError::Open(OpenError::Full { .. }))), "{error}");
        assert!(error.to_string().contains("make room"), "{error}");
        ballast.remove();
        ledger.check(&open(&volume, engine).unwrap()).unwrap();
    }
}

fn volume() -> Option<Volume> {
    Volume::new(VOLUME_MIB).map_err(|why| say(&format!("skipped: no disk to fill ({why})"))).ok()
}

fn open(volume: &Volume, engine: EngineKind) -> Result<Log, OpenLogError> {
    Log::open(&volume.path().join("data"), engine, Arc::new(SystemClock))
}

/// Runs writers, and `meanwhile` beside them, until each was refused a few times; how often that was in all.
fn write_until_refused(log: &Log, ledger: &mut Ledger, meanwhile: impl FnOnce()) -> usize {
    let heard: Mutex<(Vec<Written>, Vec<String>)> = Mutex::default();
    let tell = |answer: Result<&[Written], &LogError>| {
        let mut heard = heard.lock().unwrap();
        match answer {
            Ok(written) => heard.0.extend_from_slice(written),
            Err(error) => heard.1.push(error.to_string()),
        }
        heard.1.len() < REFUSALS * writer::WRITERS
    };
    thread::scope(|scope| {
        let writers = scope.spawn(|| writer::write(log, &tell));
        meanwhile();
        writers.join().unwrap();
    });
    let (written, refusals) = heard.into_inner().unwrap();
    ledger.add(written).unwrap();
    for why in &refusals {
        assert!(is_about_the_disk(why), "a writer was refused with other words: {why}");
    }
    refusals.len()
}

/// A page of a mapped file that finds no block on a full disk ends the process by a signal, now and then.
fn nothing_is_mapped(volume: &Volume) {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let of_volume = |line: &&str| line.contains(volume.path().to_str().unwrap());
    assert_eq!(maps.lines().filter(of_volume).collect::<Vec<_>>(), [""; 0], "files of the log are mapped");
}

/// What a person reads has to name the disk, and to say that nothing was written.
fn is_about_the_disk(why: &str) -> bool {
    (why.contains("the disk is nearly full") || why.contains("No space left on device"))
        && !why.contains("may or may not")
}

/// Writers try again and again: a blob for an append that is refused would eat what is kept free.
fn a_refused_append_takes_no_room(volume: &Volume, log: &Log, engine: EngineKind) {
    let blobs = || std::fs::read_dir(volume.path().join("data/blobs")).unwrap().count();
    let before = blobs();
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    let answer = block_on(append(log, tip, drafts(1, || 1_000_000)));
    let why = answer.expect_err("it was refused a moment ago").to_string();
    assert!(is_about_the_disk(&why), "{engine}: {why}");
    assert_eq!(blobs(), before, "{engine}: a refused append left a blob");
}

fn keys_and_blobs_refuse(volume: &Volume, log: &Log, engine: EngineKind) {
    let no_key = |_| log.new_tip(StreamId::fresh()).err();
    // The pool that was minted with room lasts for a while.
    let why = (0..1000).find_map(no_key).unwrap_or_else(|| panic!("{engine}: keys without end on a full disk"));
    assert!(is_about_the_disk(&why.to_string()), "{engine}: {why}");
    let stream = log.read_all(dispatch_events::Position(1), 1).unwrap()[0].stream;
    for size in [10, 100_000, 1_000_000] {
        let tip = log.tip(stream).unwrap().unwrap();
        let why = block_on(append(log, tip, drafts(1, || size))).unwrap_err().to_string();
        assert!(is_about_the_disk(&why), "{engine}: {why}");
    }
    assert_eq!(half_written(&volume.path().join("data")), [""; 0], "{engine}");
}
