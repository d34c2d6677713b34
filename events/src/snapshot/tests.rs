use super::*;
use std::{fs, path::PathBuf};

const STATE: &[u8] = b"what somebody said in confidence";

fn keyed(byte: u8) -> Arc<SessionKey> {
    Arc::new(SessionKey::new(KeyBytes::new([byte; 32])))
}

fn mark(byte: u8) -> Digest {
    Digest([byte; 32])
}

fn snapshot(version: u64) -> Snapshot {
    Snapshot { version: Version(version), hash: Digest::of(b"event"), bytes: STATE.to_vec() }
}

/// A folder with the snapshot of a stream: version 7, key 1, mark 1.
fn written() -> (tempfile::TempDir, SnapshotStore, StreamId, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("snapshots");
    let (store, stream) = (SnapshotStore::open(&at), StreamId::fresh());
    store.put(stream, || Ok(keyed(1)), mark(1), &snapshot(7)).unwrap();
    (folder, store, stream, at.join(stream.to_string()))
}

#[test]
fn what_was_put_is_got_by_another_run_and_never_lies_in_clear() {
    let (folder, store, stream, file) = written();
    let again = SnapshotStore::open(&folder.path().join("snapshots"));
    for store in [&store, &again] {
        assert_eq!(store.get(stream, &keyed(1), mark(1)), Some(snapshot(7)));
    }
    let bytes = fs::read(file).unwrap();
    assert!(!bytes.windows(4).any(|window| STATE.windows(4).any(|text| text == window)));
    assert_eq!(again.get(StreamId::fresh(), &keyed(1), mark(1)), None);
}

#[test]
fn the_newer_one_takes_the_place_of_the_older() {
    let (folder, store, stream, _) = written();
    store.put(stream, || Ok(keyed(1)), mark(2), &snapshot(9)).unwrap();
    assert_eq!(store.get(stream, &keyed(1), mark(2)), Some(snapshot(9)));
    assert_eq!(fs::read_dir(folder.path().join("snapshots")).unwrap().count(), 1);
}

#[test]
fn another_key_or_shape_gets_nothing() {
    let (_folder, store, stream, _) = written();
    assert_eq!(store.get(stream, &keyed(2), mark(1)), None);
    assert_eq!(store.get(stream, &keyed(1), mark(2)), None);
}

/// Every byte of the file counts, also those in clear: a version that was changed would continue another history.
#[test]
fn a_flipped_bit_or_a_cut_gets_nothing() {
    let (_folder, store, stream, file) = written();
    let whole = fs::read(&file).unwrap();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&file, &bytes).unwrap();
        assert_eq!(store.get(stream, &keyed(1), mark(1)), None, "a flipped bit at {place}");
        fs::write(&file, &whole[..place]).unwrap();
        assert_eq!(store.get(stream, &keyed(1), mark(1)), None, "cut at {place}");
    }
    fs::write(&file, &whole).unwrap();
    assert_eq!(store.get(stream, &keyed(1), mark(1)), Some(snapshot(7)));
}

#[test]
fn a_file_of_another_stream_gets_nothing() {
    let (_folder, store, stream, file) = written();
    let other = StreamId::fresh();
    fs::copy(&file, file.with_file_name(other.to_string())).unwrap();
    assert_eq!(store.get(other, &keyed(1), mark(1)), None);
    assert!(store.get(stream, &keyed(1), mark(1)).is_some());
}

#[test]
fn a_folder_in_the_files_place_is_no_error_of_a_session() {
    let (_folder, store, stream, file) = written();
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(store.get(stream, &keyed(1), mark(1)), None);
    assert!(store.put(stream, || Ok(keyed(1)), mark(1), &snapshot(8)).is_err());
}

#[test]
fn removing_leaves_no_file_and_may_be_repeated() {
    let (folder, store, stream, _) = written();
    let at = folder.path().join("snapshots");
    fs::write(at.join(format!("{stream}.new")), STATE).unwrap();
    for _ in 0..2 {
        store.remove(stream).unwrap();
        assert!(!store.holds(stream));
        assert_eq!(fs::read_dir(&at).unwrap().count(), 0);
    }
    fs::remove_dir(&at).unwrap();
    store.remove(stream).unwrap();
    assert_eq!(store.get(stream, &keyed(1), mark(1)), None);
    store.put(stream, || Ok(keyed(1)), mark(1), &snapshot(7)).unwrap();
    assert!(store.holds(stream), "the folder is made again");
}

#[test]
fn of_a_session_without_a_key_nothing_is_written() {
    let store = SnapshotStore::in_memory();
    let stream = StreamId::fresh();
    let refused = store.put(stream, || Err(KeyError::Destroyed(Default::default())), mark(1), &snapshot(7));
    assert!(matches!(refused, Err(SnapshotError::Key(KeyError::Destroyed(_)))));
    assert!(!store.holds(stream));
    store.put(stream, || Ok(keyed(1)), mark(1), &snapshot(7)).unwrap();
    assert_eq!(store.get(stream, &keyed(1), mark(1)), Some(snapshot(7)));
}

#[test]
#[cfg(unix)]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, _, _, file) = written();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
}
