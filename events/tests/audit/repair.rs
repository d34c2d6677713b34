//! Indexes that lost or garbled rows are made again from the records; records never are.

use crate::{
    folder::Folder,
    subject::{Writer, block_on},
};
use dispatch_events::{
    Log, Position, StreamId, SystemClock,
    catalogue::{input::Principal, session::SessionEraseRequested},
    repair::{RepairError, Repaired, Stage, repair_indexes},
    store::{EngineKind, Head, NameKey},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

#[derive(Debug, PartialEq)]
struct Rows {
    heads: Vec<(StreamId, Head)>,
    names: Vec<(NameKey, StreamId)>,
    open: Vec<StreamId>,
}

fn rows(folder: &Folder) -> Rows {
    let log = folder.log();
    let store = log.store();
    let (heads, names) = (store.streams(None, 100).unwrap(), store.names(None, 100).unwrap());
    let rows = Rows { heads, names, open: store.open_streams().unwrap() };
    assert_eq!((rows.heads.len(), rows.names.len(), rows.open.len()), (4, 3, 1));
    rows
}

fn repair(folder: &Folder, force: bool, progress: impl FnMut(Stage, Position)) -> Result<Repaired, RepairError> {
    repair_indexes(folder.data.path(), folder.engine, force, Arc::new(SystemClock), progress)
}

/// Damages of each index, by engine: a row gone, a value garbled, all gone.
fn damages(engine: EngineKind) -> Vec<String> {
    let mut damages = Vec::new();
    for index in ["ids", "heads", "names", "open"] {
        let more = match engine {
            EngineKind::Sqlite => ["the first row", "a key"].as_slice(),
            EngineKind::Sled => ["a row too many"].as_slice(),
        };
        for what in ["a row", "a value", "all"].iter().chain(more) {
            damages.push(format!("{index}: {what}"));
        }
    }
    damages
}

fn damage(folder: &Folder, damage: &str) {
    let (index, what) = damage.split_once(": ").unwrap();
    match folder.engine {
        EngineKind::Sqlite => {
            let last = format!("key = (SELECT max(key) FROM {index})");
            let sql = match what {
                "a row" => format!("DELETE FROM {index} WHERE {last}"),
                "a value" => format!("UPDATE {index} SET value = zeroblob(length(value)) WHERE {last}"),
                "all" => format!("DELETE FROM {index}"),
                "the first row" => format!("DELETE FROM {index} WHERE key = x''"),
                _ => format!("UPDATE {index} SET key = zeroblob(9) WHERE {last}"),
            };
            assert!(folder.sqlite().execute(&sql, []).unwrap() > 0, "{damage}");
        }
        EngineKind::Sled => {
            let db = folder.sled();
            let tree = db.open_tree(index).unwrap();
            let (key, value) = tree.last().unwrap().unwrap();
            match what {
                "a row" => drop(tree.remove(key).unwrap()),
                "a value" => drop(tree.insert(key, vec![0; value.len()]).unwrap()),
                "all" => tree.clear().unwrap(),
                _ => drop(tree.insert(vec![255; key.len()], value).unwrap()),
            }
            db.flush().unwrap();
        }
    }
}

#[test]
fn whatever_the_indexes_lost_is_there_again() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let before = rows(&folder);
        for what in damages(*engine) {
            damage(&folder, &what);
            let repaired =
                repair(&folder, false, |_, _| {}).unwrap_or_else(|error| panic!("{engine}, {what}: {error}"));
            assert!(repaired.written && repaired.report.is_sound(), "{engine}, {what}: {repaired:?}");
            let found = &repaired.found;
            let named = [("ids", &found.ids), ("heads", &found.heads), ("names", &found.names), ("open", &found.open)];
            for (index, difference) in named {
                assert_eq!(difference.any(), what.starts_with(index), "{engine}, {what}: {found:?}");
            }
            assert_eq!(rows(&folder), before, "{engine}, {what}");
        }
    }
}

#[test]
fn what_does_not_differ_is_not_written_unless_forced() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let before = rows(&folder);
        let mut stages = Vec::new();
        let repaired = repair(&folder, false, |stage, _| stages.push(stage)).unwrap();
        assert!(!repaired.written && !repaired.found.any() && repaired.report.is_sound(), "{repaired:?}");
        assert!(stages.iter().all(|stage| *stage == Stage::Comparing));
        let repaired = repair(&folder, true, |_, _| {}).unwrap();
        assert!(repaired.written && !repaired.found.any() && repaired.report.is_sound(), "{repaired:?}");
        assert_eq!(rows(&folder), before);
    }
}

/// Between any two of its steps: until the last one the log is not opened, and the repair can be repeated.
#[test]
fn a_repair_that_is_cut_off_is_repeated() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let before = rows(&folder);
        for step in 0.. {
            let mut left = step;
            let mut ended = Position(0);
            let cut = catch_unwind(AssertUnwindSafe(|| {
                repair(&folder, true, |stage, position| {
                    if stage == Stage::Writing {
                        ended = position;
                        assert!(left > 0, "cut off here");
                        left -= 1;
                    }
                })
            }));
            if cut.is_ok() {
                assert!(step >= 5, "{step}");
                break;
            }
            let opened = Log::open(folder.data.path(), *engine, Arc::new(SystemClock));
            assert_eq!(opened.is_ok(), ended > Position(0), "{engine}, step {step}: a half-repaired log was opened");
            drop(opened);
            let repaired = repair(&folder, false, |_, _| {}).unwrap();
            assert!(repaired.report.is_sound(), "{engine}, step {step}: {repaired:?}");
            assert_eq!(rows(&folder), before, "{engine}, step {step}");
        }
    }
}

/// Its payloads are gone with the key, so what was open there is known from the request alone; a start has to find it.
#[test]
fn a_half_erased_session_stays_open() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let log = folder.log();
        let mut writer = Writer { log: &log, tip: log.tip(folder.short).unwrap().unwrap() };
        let by = Principal { adapter: "cli".into(), subject: "somebody".into() };
        block_on(writer.write(vec![SessionEraseRequested { name: "short".into(), route: None, by }.into()]));
        log.keys().destroy(writer.tip.key).unwrap();
        let rows = |log: &Log| {
            let mut open = log.store().open_streams().unwrap();
            open.sort();
            (open, log.store().names(None, 10).unwrap())
        };
        let before = rows(&log);
        assert_eq!((before.0.len(), before.1.len()), (2, 2));
        drop(log);
        assert!(!repair(&folder, false, |_, _| {}).unwrap().written, "{engine}");
        damage(&folder, "open: all");
        damage(&folder, "names: all");
        assert!(repair(&folder, false, |_, _| {}).unwrap().report.is_sound(), "{engine}");
        assert_eq!(rows(&folder.log()), before, "{engine}");
    }
}

/// The rows that say where the last appends lie are gone, and the witness with them: what is left would look whole.
#[test]
fn an_end_that_two_indexes_know_of_is_not_given_up() {
    let folder = Folder::new(EngineKind::Sled);
    let db = folder.sled();
    db.open_tree("positions").unwrap().pop_max().unwrap();
    db.flush().unwrap();
    drop(db);
    std::fs::remove_file(folder.path().join("end")).unwrap();
    let refused = repair(&folder, false, |_, _| {}).unwrap_err();
    assert!(matches!(refused, RepairError::LostEnd { end: Position(92) }), "{refused}");
    let forced = repair(&folder, true, |_, _| {}).unwrap();
    assert!(forced.report.is_sound() && forced.report.events == 92, "{forced:?}");
}

#[test]
fn damaged_records_and_missing_keys_are_refused_and_nothing_is_changed() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        damage(&folder, "names: all");
        let slab = std::fs::read_dir(folder.data.path().join("keys"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.extension().is_some_and(|it| it == "keys"))
            .unwrap();
        std::fs::rename(&slab, slab.with_extension("away")).unwrap();
        let refused = repair(&folder, false, |_, _| {}).unwrap_err();
        assert!(matches!(&refused, RepairError::Payload { position: Position(1), .. }), "{refused}");
        assert!(refused.to_string().contains("is missing: restore the `keys` folder"), "{refused}");
        std::fs::rename(slab.with_extension("away"), &slab).unwrap();

        folder.change(folder.two, 4, |bytes| bytes[250] ^= 4);
        let refused = repair(&folder, true, |_, _| {}).unwrap_err();
        assert!(matches!(&refused, RepairError::Records { .. }), "{refused}");
        folder.change(folder.two, 4, |bytes| bytes[250] ^= 4);
        folder.remove(folder.short, 1);
        let refused = repair(&folder, true, |_, _| {}).unwrap_err();
        assert!(matches!(&refused, RepairError::Records { position: Position(6), .. }), "{refused}");
    }
    let nothing = tempfile::tempdir().unwrap();
    let refused = repair_indexes(nothing.path(), EngineKind::Sled, false, Arc::new(SystemClock), |_, _| {});
    assert!(matches!(refused, Err(RepairError::NoLog { .. })));
    assert!(!nothing.path().join("log").exists());
}

/// One half-erased stream does not hide what is wrong with the rows of the others.
#[test]
fn a_half_erased_stream_is_left_out_alone() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let log = folder.log();
        let key = log.tip(folder.short).unwrap().unwrap().key;
        log.keys().destroy(key).unwrap();
        assert!(dispatch_events::verify::verify(&log).unwrap().is_sound());
        drop(log);
        damage(&folder, "names: all");
        assert!(!dispatch_events::verify::verify(&folder.log()).unwrap().is_sound());
    }
}
