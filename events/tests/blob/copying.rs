//! Sealed files from one folder to another, as a backup and a restore carry them.

use super::{Session, sample};
use dispatch_events::blob::{BlobError, BlobStore, CHUNK, Space};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read,
};

fn copy_all(from: &BlobStore, to: &BlobStore) -> u64 {
    let mut copied = 0;
    for space in from.spaces().unwrap().map(Result::unwrap) {
        for address in from.addresses(space).unwrap().map(Result::unwrap) {
            let sealed = from.read_sealed(space, address).unwrap();
            let length = sealed.length();
            assert_eq!(to.write_sealed(space, address, sealed).unwrap(), length);
            copied += 1;
        }
    }
    copied
}

#[test]
fn sealed_files_go_through_a_backup() {
    let session = Session::new();
    let large = sample(3 * CHUNK + 5);
    let mut wanted = BTreeMap::new();
    for bytes in [&b""[..], b"small", &large] {
        wanted.insert(session.put(bytes), bytes);
    }
    let shared = session.blobs.share("[{}]").unwrap();
    fs::write(session.folder.path().join("notes.txt"), "not ours").unwrap();
    fs::write(session.space().join("notes.txt"), "not ours").unwrap();

    let (backup, restored) = (BlobStore::in_memory(), Session::new());
    assert_eq!(copy_all(&session.blobs, &backup), 4);
    assert_eq!(copy_all(&backup, &restored.blobs), 4);
    for (address, bytes) in &wanted {
        assert!(restored.blobs.get(session.stream, &session.key, *address).unwrap() == *bytes);
    }
    assert_eq!(&*restored.blobs.shared(shared).unwrap(), "[{}]");
    let addresses: BTreeSet<_> =
        restored.blobs.addresses(Space::Session(session.stream)).unwrap().map(Result::unwrap).collect();
    assert!(addresses.iter().eq(wanted.keys()));
    assert_eq!(restored.blobs.addresses(Space::Session(restored.stream)).unwrap().count(), 0);
}

#[test]
fn a_copy_that_was_cut_off_is_not_kept() {
    let session = Session::new();
    let address = session.put(&sample(2 * CHUNK));
    let space = Space::Session(session.stream);
    let mut file = Vec::new();
    session.blobs.read_sealed(space, address).unwrap().read_to_end(&mut file).unwrap();
    let longer = [file.as_slice(), b"x"].concat();
    let target = Session::new();
    for cut in [&file[..0], &file[..40], &file[..64], &file[..file.len() - 1], &longer] {
        let refused = target.blobs.write_sealed(space, address, cut).unwrap_err();
        assert!(matches!(refused, BlobError::Damaged(named) if named == address), "{refused}");
    }
    assert_eq!(target.blobs.addresses(space).unwrap().count(), 0);
    assert_eq!(target.half_written(), 0);
    assert!(matches!(target.blobs.read_sealed(space, address), Err(BlobError::Missing(_))));
}
