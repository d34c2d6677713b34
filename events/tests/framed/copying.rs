//! A log moves between engines and comes back the same; what was not finished is no log.

use crate::{
    damaging::Damaging,
    subject::{Writer, block_on, sized},
    written::{Written, assert_same, open},
};
use dispatch_events::{
    Position,
    copy::{CopyError, MARKER, Step, copy},
    framed::FramedError,
    store::{EngineKind, OpenError, ReadError, StartError},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

fn pairs() -> impl Iterator<Item = (EngineKind, EngineKind)> {
    EngineKind::ALL.iter().flat_map(|from| EngineKind::ALL.iter().map(|to| (*from, *to)))
}

/// A log of about 3 MiB: more than one batch.
fn long(engine: EngineKind) -> Written {
    let written = Written::new(engine);
    let log = written.log();
    let mut writer = Writer::new(&log);
    block_on(async {
        for _ in 0..60 {
            writer.write(vec![sized(50_000)]).await;
        }
    });
    drop(log);
    written
}

#[test]
fn there_and_back_is_the_same_log() {
    for (from, to) in pairs() {
        let written = Written::new(from);
        let (there, back) = (written.folder.path().join("there"), written.folder.path().join("back"));
        let source = written.log();
        let copied = copy(&source, &there, to, |_, _, _| {}).unwrap();
        assert_eq!((copied.events, copied.appends, copied.streams, copied.names, copied.open), (14, 9, 2, 2, 1));
        assert_eq!((copied.head, copied.resumed_behind), (source.store().log_head(), Position(0)));
        let target = written.log_in(&there, to);
        assert_same(&source, &target);
        copy(&target, &back, from, |_, _, _| {}).unwrap();
        assert_same(&source, &written.log_in(&back, from));
        assert!(!there.join(MARKER).exists() && !back.join(MARKER).exists());
    }
}

/// The next turn works: the copy takes appends, and refuses what the source would.
#[test]
fn a_copy_takes_appends() {
    let written = Written::new(EngineKind::Sled);
    let there = written.folder.path().join("there");
    copy(&written.log(), &there, EngineKind::Sqlite, |_, _, _| {}).unwrap();
    let log = written.log_in(&there, EngineKind::Sqlite);
    let tip = log.tip(written.two).unwrap().unwrap();
    let appended = block_on(Writer { log: &log, tip }.write(vec![sized(10)]));
    assert_eq!(appended.first, Position(15));
    let taken = block_on(Writer::new(&log).append(vec![crate::subject::opened("zwei")]));
    assert!(taken.is_err(), "the name is another's");
}

#[test]
fn a_file_is_a_source_with_its_keys_and_is_none_without() {
    let written = Written::new(EngineKind::Sled);
    let path = written.export(true);
    let target = written.folder.path().join("target");
    copy(&open(&path).unwrap(), &target, EngineKind::Sqlite, |_, _, _| {}).unwrap();
    assert_same(&written.log(), &written.log_in(&target, EngineKind::Sqlite));

    std::fs::remove_file(dispatch_events::framed::keys_beside(&path)).unwrap();
    let refused = copy(&open(&path).unwrap(), &written.folder.path().join("no"), EngineKind::Sqlite, |_, _, _| {});
    assert!(matches!(refused, Err(CopyError::Sealed { position: Position(1), .. })), "{refused:?}");
}

fn start(folder: &Path, engine: EngineKind) -> Result<(), StartError> {
    engine.start(folder, dispatch_events::store::NameSecret::new([7; 32])).map(drop)
}

#[test]
fn a_copy_that_was_cut_off_is_no_log_and_goes_on() {
    for (from, to) in pairs() {
        let written = long(from);
        let source = written.log();
        for stop_at in [0, 3, 40] {
            let target = written.folder.path().join(format!("{stop_at}"));
            let mut told = 0;
            let cut = catch_unwind(AssertUnwindSafe(|| {
                copy(&source, &target, to, |_, _, _| {
                    assert!(told < stop_at, "the cut");
                    told += 1;
                })
            }));
            assert!(cut.is_err());
            let refused = start(&target, to).unwrap_err();
            assert!(matches!(refused, StartError::Open(OpenError::Unfinished { .. })), "{refused}");
            let mut first = None;
            let copied = copy(&source, &target, to, |step, at, _| {
                first.get_or_insert((step, at));
            })
            .unwrap();
            // The cut came behind the commit that it would have been told of.
            assert!(copied.resumed_behind > Position(0), "{copied:?}");
            assert_eq!(first, Some((Step::Writing, copied.resumed_behind)));
            assert_same(&source, &written.log_in(&target, to));
        }
    }
}

#[test]
fn a_damaged_source_is_named_and_nothing_behind_it_is_copied() {
    for bad in [1, 8, 14] {
        let written = Written::new(EngineKind::Sqlite);
        let target = written.folder.path().join("target");
        let source = written.log().with_store(|store| Arc::new(Damaging(store, Position(bad))));
        let refused = copy(&source, &target, EngineKind::Sled, |_, _, _| {}).unwrap_err();
        let CopyError::Source(ReadError::Damaged { place, .. }) = &refused else { panic!("{refused}") };
        assert_eq!(*place, format!("position {bad}"), "{refused}");
        assert!(start(&target, EngineKind::Sled).is_err(), "what is there is no log");
        // The disk was mended.
        drop(source);
        copy(&written.log(), &target, EngineKind::Sled, |_, _, _| {}).unwrap();
        // A file of it is never written either.
        let source = written.log().with_store(|store| Arc::new(Damaging(store, Position(bad))));
        let refused = dispatch_events::framed::export(&source, &written.path(), false, |_, _| {}).unwrap_err();
        assert!(matches!(refused, FramedError::Read(ReadError::Damaged { .. })) && !written.path().exists());
    }
}

#[test]
fn a_target_that_holds_something_else_is_refused() {
    let (written, other) = (Written::new(EngineKind::Sqlite), long(EngineKind::Sqlite));
    let (source, target) = (written.log(), written.folder.path().join("target"));
    std::fs::create_dir(&target).unwrap();
    std::fs::write(target.join("notes.txt"), "mine").unwrap();
    let refused = copy(&source, &target, EngineKind::Sled, |_, _, _| {}).unwrap_err();
    assert!(matches!(refused, CopyError::Holds { .. }), "{refused}");
    std::fs::remove_file(target.join("notes.txt")).unwrap();

    let cut =
        || catch_unwind(AssertUnwindSafe(|| copy(&other.log(), &target, EngineKind::Sled, |_, _, _| panic!("cut"))));
    assert!(cut().is_err());
    let refused = copy(&source, &target, EngineKind::Sled, |_, _, _| {}).unwrap_err();
    assert!(matches!(refused, CopyError::OtherLog { .. }), "{refused}");
    // As long, and with the same ends of appends: only the chain tells the two apart.
    let refused = copy(&long(EngineKind::Sqlite).log(), &target, EngineKind::Sled, |_, _, _| {}).unwrap_err();
    assert!(matches!(refused, CopyError::OtherLog { .. }), "{refused}");
    let refused = copy(&other.log(), &target, EngineKind::Sqlite, |_, _, _| {}).unwrap_err();
    assert!(matches!(refused, CopyError::Open(OpenError::OtherEngine { .. })), "{refused}");
    copy(&other.log(), &target, EngineKind::Sled, |_, _, _| {}).unwrap();
    // A log that is complete is nobody's target, not even of its own source.
    let refused = copy(&other.log(), &target, EngineKind::Sled, |_, _, _| {}).unwrap_err();
    assert!(matches!(refused, CopyError::Holds { .. }), "{refused}");
}
