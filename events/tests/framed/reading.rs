//! Every reader of a log works on its file.

use crate::{
    subject::{Memory, Subject, block_on, draft, small},
    written::{MARKER, Written, assert_same, names, open},
};
use dispatch_events::{
    Body, Position, StreamId, Version,
    framed::{FramedError, FramedStore, export, keys_beside},
    store::{AppendError, EngineKind, EventStore, NameSecret},
    verify::verify,
};
use std::os::unix::fs::PermissionsExt;

#[test]
fn what_goes_in_comes_out() {
    for engine in EngineKind::ALL {
        let written = Written::new(*engine);
        let mut told = Vec::new();
        let exported = export(&written.log(), &written.path(), true, |at, of| told.push((at.0, of.0))).unwrap();
        let trailer = exported.trailer;
        assert_eq!((trailer.appends, trailer.records, trailer.blobs, trailer.files), (9, 14, 3, 0));
        assert_eq!(told, [2, 5, 7, 8, 10, 11, 12, 13, 14].map(|at| (at, 14)));
        let (log, file) = (written.log(), open(&written.path()).unwrap());
        assert_same(&log, &file);
        let (store, copy) = (log.store(), file.store());
        assert_eq!(copy.named("zwei").unwrap(), Some(written.two));
        assert_eq!(copy.named("two").unwrap(), None);
        assert_eq!(copy.open_streams().unwrap(), [written.two]);
        assert_eq!(copy.names(Some(names(&**copy)[0].0), 9).unwrap(), names(&**copy)[1..]);
        for stream in [written.one, written.two] {
            assert_eq!(store.head(stream).unwrap(), copy.head(stream).unwrap());
            for from in 0..9 {
                let from = Version(from);
                assert_eq!(store.read_stream(stream, from, 2).unwrap(), copy.read_stream(stream, from, 2).unwrap());
                let (back, copied) = (store.read_stream_back(stream, from, 3), copy.read_stream_back(stream, from, 3));
                assert_eq!(back.unwrap(), copied.unwrap());
            }
        }
        for event in log.read_all(Position(1), 99).unwrap() {
            assert_eq!(copy.position_of(event.id).unwrap(), Some(event.position));
        }
        let frozen = &file.read_all(Position(14), 1).unwrap()[0];
        assert_eq!(&*frozen.shared[0], "[{}]", "a shared text is in the file");
    }
}

#[test]
fn without_keys_payloads_stay_sealed_and_the_chains_verify() {
    let written = Written::new(EngineKind::Sqlite);
    let file = open(&written.export(false)).unwrap();
    let report = verify(&file).unwrap();
    assert_eq!((report.events, report.unreadable, report.is_sound()), (14, 14, true), "{report:?}");
    let first = &file.read_all(Position(1), 1).unwrap()[0];
    assert!(matches!(first.body, Body::Unreadable(_)), "{first:?}");
    assert_eq!(first.kind, "session.opened");
    assert_eq!(names(&**file.store()), []);
}

#[test]
fn neither_file_shows_clear_text_and_both_are_owner_only() {
    let written = Written::new(EngineKind::Sqlite);
    let path = written.export(true);
    // The second one stands in the blobs, and in the larger payloads.
    for entry in std::fs::read_dir(written.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let bytes = std::fs::read(entry.path()).unwrap();
        for text in [MARKER, "abcdefghijklmnopqrstuvwxyz"] {
            assert!(!bytes.windows(text.len()).any(|window| window == text.as_bytes()), "{entry:?} holds {text}");
        }
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
    assert_eq!(std::fs::read_dir(written.folder.path()).unwrap().count(), 2, "and nothing else is left");
    assert!(path.exists() && keys_beside(&path).exists());
}

#[test]
fn nothing_is_overwritten_and_nothing_is_appended() {
    let written = Written::new(EngineKind::Sqlite);
    let path = written.export(false);
    let again = export(&written.log(), &path, false, |_, _| {}).unwrap_err();
    assert!(matches!(again, FramedError::Exists(_)), "{again}");
    let file = open(&path).unwrap();
    let tip = file.new_tip(StreamId::fresh()).unwrap();
    let append = file.prepare(tip, vec![draft(small())]).unwrap();
    let refused = block_on(file.store().append(append)).unwrap_err();
    assert!(matches!(&refused, AppendError::Unavailable(why) if why.contains("only read")), "{refused}");
    assert!(file.blobs().share("new").is_err() && file.blobs().purge(written.one).is_err());
    // Keys without their file, of an export that was cut off or of a file that was moved, are in no one's way, and kept.
    let other = written.folder.path().join("b");
    std::fs::write(keys_beside(&other), "somebody's").unwrap();
    export(&written.log(), &other, true, |_, _| {}).unwrap();
    assert_eq!(std::fs::read(written.folder.path().join("b.keys.before")).unwrap(), b"somebody's");
    assert!(open(&other).unwrap().keys().name_secret(false).is_ok());
}

#[test]
fn an_empty_log_is_a_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty");
    export(&Memory::new().log(), &path, false, |_, _| {}).unwrap();
    let store = FramedStore::open(&path, NameSecret::new([0; 32])).unwrap();
    assert_eq!((store.log_head().position, store.header().engine.as_str()), (Position(0), "memory"));
    assert_eq!(store.read_all(Position(1), 10).unwrap(), Vec::<Vec<u8>>::new());
}
