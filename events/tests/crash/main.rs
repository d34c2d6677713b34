//! Kill -9, for real: a child process appends, acknowledges on its stdout and is killed at a random moment. What it
//! acknowledged is in the log, byte for byte and once; the same folder goes on to the next round.
//!
//! `DISPATCH_KILLS` sets the number of rounds for each engine (10). A kill leaves the page cache alone, so this proves
//! that what is half-written is handled, not that the disk has it.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod child;

use dispatch_events::{
    Body, Digest, EventId, Log, Position, SystemClock, catalogue::memory::MemoryRecalled, store::EngineKind,
    verify::verify,
};
use std::{
    collections::{BTreeMap, HashSet},
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// What the child said of one event: its id and the digest of its text.
type Acknowledged = BTreeMap<u64, (EventId, Digest)>;

#[test]
fn what_is_acknowledged_survives_a_kill() {
    let rounds: u32 = std::env::var("DISPATCH_KILLS").map_or(10, |rounds| rounds.parse().unwrap());
    for engine in EngineKind::ALL {
        println!("{}", kill(*engine, rounds));
    }
}

/// Kills children of one engine, and says what came of it.
fn kill(engine: EngineKind, rounds: u32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Acknowledged::new();
    let (mut fruitful, mut slowest) = (0, Duration::ZERO);
    for round in 0..rounds {
        let before = acknowledged.len();
        let delay = Duration::from_millis(30 + u64::from(child::random() % 371));
        // Every fourth child is killed on its way up.
        one_round(engine, folder.path(), delay, round % 4 == 3, &mut acknowledged);
        fruitful += u32::from(acknowledged.len() > before);
        let start = Instant::now();
        let log = Log::open(folder.path(), engine, Arc::new(SystemClock))
            .unwrap_or_else(|error| panic!("{engine}, round {round}: does not open after a kill: {error}"));
        slowest = slowest.max(start.elapsed());
        check(&log, &acknowledged, &format!("{engine}, round {round}"));
    }
    assert!(
        fruitful * 2 >= rounds,
        "{engine}: only {fruitful} of {rounds} children acknowledged anything: the test is too weak"
    );
    let events = acknowledged.len();
    format!("{engine}: {rounds} kills, {events} events acknowledged, none lost, slowest open {slowest:?}")
}

/// The child's side; without the variable it is no test at all.
#[test]
fn the_child() {
    if let Some(folder) = std::env::var_os(child::FOLDER) {
        child::write(Path::new(&folder));
    }
}

fn one_round(engine: EngineKind, folder: &Path, delay: Duration, early: bool, acknowledged: &mut Acknowledged) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_child", "--nocapture", "--test-threads=1"])
        .env(child::FOLDER, folder)
        .env(child::ENGINE, engine.name())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    if !early {
        let mut line = String::new();
        while line.trim() != "ready" {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the child ended early: {}", complaint(&mut child));
        }
    }
    let lines = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut text = String::new();
            output.read_to_string(&mut text).unwrap();
            text
        });
        thread::sleep(delay);
        assert!(child.try_wait().unwrap().is_none(), "the child ended by itself: {}", complaint(&mut child));
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap()
    });
    // The last line may be cut off: nobody was told what it would have said.
    for line in lines.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        if let Some(rest) = line.trim_end().strip_prefix("ack ") {
            let mut words = rest.split(' ');
            let position = words.next().unwrap().parse().unwrap();
            let id = words.next().unwrap().parse().unwrap();
            let digest = Digest(*blake3::Hash::from_hex(words.next().unwrap()).unwrap().as_bytes());
            assert!(acknowledged.insert(position, (id, digest)).is_none(), "position {position} was given twice");
        }
    }
}

fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

fn check(log: &Log, acknowledged: &Acknowledged, round: &str) {
    let report = verify(log).unwrap();
    assert!(report.is_sound(), "{round}: {report:?}");
    assert_eq!((report.unreadable, report.unknown, report.erased), (0, 0, 0), "{round}");
    let mut ids = HashSet::new();
    let mut left = acknowledged.clone();
    let mut next = Position(1);
    loop {
        let page = log.read_all(next, 200).unwrap();
        if page.is_empty() {
            break;
        }
        for recorded in page {
            assert_eq!(recorded.position, next);
            next = next.next();
            assert!(ids.insert(recorded.id), "{round}: event {} is there twice", recorded.id);
            let Some((id, digest)) = left.remove(&recorded.position.0) else { continue };
            let Body::Known(dispatch_events::Event::MemoryRecalled(MemoryRecalled { block, .. })) = &recorded.body
            else {
                panic!("{round}: position {} holds {:?}", recorded.position, recorded.body)
            };
            assert_eq!((recorded.id, Digest::of(block.as_bytes())), (id, digest), "{round}");
        }
    }
    assert!(
        left.is_empty(),
        "{round}: {} acknowledged events are lost, {:?} first",
        left.len(),
        left.first_key_value()
    );
    assert_eq!(report.position.next(), next);
}
