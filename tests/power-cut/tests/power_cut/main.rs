//! Power cuts, for real: a child appends on a file system that is shut down without a flush under its hands. What it
//! acknowledged is in the log that is opened after the recovery, byte for byte and once.
//!
//! `DISPATCH_POWER_CUTS` sets the number of cuts for each engine; the default is small. Every second one meets a log with
//! tens of thousands of older events, which is where sled as documented can't be opened any more; the others a new one.
#![cfg(target_os = "linux")]

mod round;

use dispatch_events::store::EngineKind;
use power_cut::{child::Loses, say};
use round::{Bench, Moment};

/// Cuts until a log without its syncs has lost something: a sync by somebody else shortly before a cut can save it.
const TRIES: u32 = 8;

/// The child's side; without its variables it is no test at all.
#[test]
fn the_child() {
    power_cut::child::run();
}

#[test]
fn what_is_acknowledged_survives_a_power_cut() {
    let cuts: Option<u32> = std::env::var("DISPATCH_POWER_CUTS").ok().map(|cuts| cuts.parse().unwrap());
    for engine in EngineKind::ALL {
        let mut bench = Bench::new(*engine);
        for round in 0..cuts.unwrap_or(2) {
            let moment = match (cuts, round % 8) {
                (None, _) => Moment::Writing { least_ms: 300, most_ms: 600 },
                (Some(_), 6..8) => Moment::Opening,
                (Some(_), _) => Moment::Writing { least_ms: 500, most_ms: 2000 },
            };
            match bench.round(round % 2 == 1, moment, Loses::Nothing) {
                Ok(true) => {}
                Ok(false) => return,
                Err(why) => panic!("{engine}, cut {round} ({moment:?}): {why}"),
            }
        }
        say(&format!("{engine}: {bench}, none lost"));
        let writing = cuts.map_or(2, |cuts| cuts - cuts / 4);
        assert!(bench.fruitful * 2 >= writing, "{engine}: {bench}: the test is too weak");
    }
}

/// The suite can fail: without its syncs every engine loses what it acknowledged, or can't be opened any more.
#[test]
fn without_its_syncs_no_engine_passes() {
    for engine in EngineKind::ALL {
        // Which call an engine syncs with is its own affair; that sled's own `flush` is none is known (see its module).
        let only_data = (engine.name() == "sled").then_some(Loses::Fdatasync);
        for loses in only_data.into_iter().chain([Loses::Fsync, Loses::Both]) {
            let mut bench = Bench::new(*engine);
            let mut words = None;
            for round in 0..TRIES {
                match bench.round(round % 2 == 1, Moment::Writing { least_ms: 300, most_ms: 600 }, loses) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(why) => words = Some(why),
                }
                if words.is_some() {
                    break;
                }
            }
            let why = words.unwrap_or_else(|| panic!("{engine} without {loses:?} passed: the suite is too weak"));
            say(&format!("{engine} without {loses:?}, as it has to be: {}", why.chars().take(200).collect::<String>()));
        }
    }
}
