//! Every reader of a log works on its file.

use crate::{
    subject::everything,
    written::{MARKER, Written, open},
};
use dispatch_events::{
    Body, Position, Version,
    framed::{FramedError, FramedStore, export},
    store::{AppendError, EventStore, NameSecret},
    verify::verify,
};

#[tokio::test]
async fn what_goes_in_comes_out() {
    let written = Written::new().await;
    let mut told = Vec::new();
    let exported = export(&written.log(), &written.path(), true, |at, of| told.push((at.0, of.0))).unwrap();
    assert_eq!((exported.trailer.appends, exported.trailer.records), (7, 12));
    assert_eq!(told, [2, 5, 7, 8, 10, 11, 12].map(|at| (at, 12)));
    let (log, file) = (written.log(), open(&written.path()).unwrap());
    let (store, copy) = (log.store(), file.store());
    assert_eq!(everything(&**store), everything(&**copy));
    assert_eq!(store.log_head(), copy.log_head());
    assert_eq!(store.names(None, 10).unwrap(), copy.names(None, 10).unwrap());
    assert_eq!(copy.named("zwei").unwrap(), Some(written.two));
    assert_eq!(copy.named("two").unwrap(), None);
    assert_eq!(copy.open_streams().unwrap(), [written.two]);
    for stream in [written.one, written.two] {
        assert_eq!(store.head(stream).unwrap(), copy.head(stream).unwrap());
        for from in 0..9 {
            let from = Version(from);
            assert_eq!(store.read_stream(stream, from, 2).unwrap(), copy.read_stream(stream, from, 2).unwrap());
            let (back, copied) = (store.read_stream_back(stream, from, 3), copy.read_stream_back(stream, from, 3));
            assert_eq!(back.unwrap(), copied.unwrap());
        }
    }
    for position in (0..14).map(Position) {
        assert_eq!(store.log_hash(position).unwrap(), copy.log_hash(position).unwrap(), "{position}");
    }
    for event in log.read_all(Position(1), 99).unwrap() {
        assert_eq!(copy.position_of(event.id).unwrap(), Some(event.position));
    }
    assert_eq!(verify(&file).unwrap(), verify(&log).unwrap());
    assert!(verify(&file).unwrap().is_sound());
}

#[tokio::test]
async fn without_keys_payloads_stay_sealed_and_the_chains_verify() {
    let written = Written::new().await;
    let file = open(&written.export(false)).unwrap();
    let report = verify(&file).unwrap();
    assert_eq!((report.events, report.unreadable, report.is_sound()), (12, 12, true), "{report:?}");
    let first = &file.read_all(Position(1), 1).unwrap()[0];
    assert!(matches!(first.body, Body::Unreadable(_)), "{first:?}");
    assert_eq!(first.kind, "session.opened");
    assert_eq!(file.store().names(None, 10).unwrap(), []);
}

#[tokio::test]
async fn a_destroyed_key_is_erased_in_the_file_too() {
    let written = Written::new().await;
    let log = written.log();
    log.keys().destroy(log.tip(written.two).unwrap().unwrap().key).unwrap();
    drop(log);
    let file = open(&written.export(true)).unwrap();
    let report = verify(&file).unwrap();
    assert_eq!((report.erased, report.unreadable, report.is_sound()), (5, 0, true), "{report:?}");
}

#[tokio::test]
async fn neither_file_shows_clear_text_and_both_are_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let written = Written::new().await;
    let path = written.export(true);
    for entry in std::fs::read_dir(written.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let bytes = std::fs::read(entry.path()).unwrap();
        let found = bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes());
        assert!(!found, "{entry:?} holds the text of a session");
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
    let beside = dispatch_events::framed::keys_beside(&path);
    assert_eq!(std::fs::read_dir(written.folder.path()).unwrap().count(), 2, "and nothing else is left");
    assert!(beside.exists());
}

#[tokio::test]
async fn nothing_is_overwritten_and_nothing_is_appended() {
    let written = Written::new().await;
    let path = written.export(false);
    let again = export(&written.log(), &path, false, |_, _| {}).unwrap_err();
    assert!(matches!(again, FramedError::Exists(_)), "{again}");
    let file = open(&path).unwrap();
    let tip = file.new_tip(dispatch_events::StreamId::fresh()).unwrap();
    let append = file.prepare(tip, vec![crate::subject::draft(crate::subject::small())]).unwrap();
    let refused = file.store().append(append).await.unwrap_err();
    assert!(matches!(&refused, AppendError::Unavailable(why) if why.contains("only read")), "{refused}");
}

#[tokio::test]
async fn an_empty_log_is_a_file_too() {
    use crate::subject::{Memory, Subject};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    export(&Memory::new().log(), &path, false, |_, _| {}).unwrap();
    let store = FramedStore::open(&path, NameSecret::new([7; 32])).unwrap();
    assert_eq!((store.log_head().position, store.header().engine.as_str()), (Position(0), "memory"));
    assert_eq!(store.read_all(Position(1), 10).unwrap(), Vec::<Vec<u8>>::new());
}
