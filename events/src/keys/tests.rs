//! Taking, minting, finding and destroying keys.

use super::*;

#[test]
fn a_key_is_found_again_by_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let first = Keyring::open(folder.path()).unwrap();
    let id = first.take().unwrap();
    let key = first.get(id).unwrap();
    let again = Keyring::open(folder.path()).unwrap();
    assert_eq!(again.get(id).unwrap(), key);
    assert_ne!(again.take().unwrap(), id, "a key of another run is never handed out");
}

#[test]
fn sixty_four_sessions_cost_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let taken: std::collections::HashSet<_> = (0..SLAB_SLOTS).map(|_| keys.take().unwrap()).collect();
    assert_eq!(taken.len(), SLAB_SLOTS as usize);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_lost_slab_and_a_wiped_slot_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let id = keys.take().unwrap();
    let path = keys.slab_path(id.slab()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[slab::start(0)..slab::start(1)].fill(0);
    std::fs::write(&path, bytes).unwrap();
    assert!(matches!(Keyring::open(folder.path()).unwrap().get(id), Err(KeyError::Destroyed(_))));
    std::fs::remove_file(path).unwrap();
    assert!(matches!(Keyring::open(folder.path()).unwrap().get(id), Err(KeyError::Missing(_))));
}

#[test]
fn nobody_waits_for_the_disk_of_a_new_slab() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let id = keys.take().unwrap();
    let write = |path: &Path, bytes: &[u8]| {
        assert!(keys.state.try_lock().is_ok(), "seals go on while a slab is written");
        keys.get(id).unwrap();
        keys.take().unwrap();
        disk::write_new_synced(path, bytes)
    };
    keys.mint_below(SLAB_SLOTS as usize, write).unwrap();
    assert_eq!(keys.lock().pool.len(), 2 * SLAB_SLOTS as usize - 2);
}

#[test]
fn a_key_that_is_not_on_the_disk_is_not_handed_out() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let full = |_: &Path, _: &[u8]| Err(io::ErrorKind::StorageFull.into());
    assert!(matches!(keys.mint_below(1, full), Err(KeyError::Io(_))));
    assert!(keys.lock().pool.is_empty() && keys.lock().cache.is_empty());
    let id = keys.take().unwrap();
    Keyring::open(folder.path()).unwrap().get(id).unwrap();
}

#[test]
fn many_who_take_at_once_get_different_keys() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let taken = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..SLAB_SLOTS {
                    keys.refill().unwrap();
                    let id = keys.take().unwrap();
                    taken.lock().unwrap().push(id);
                }
            });
        }
    });
    let ids: HashSet<_> = taken.into_inner().unwrap().into_iter().collect();
    assert_eq!(ids.len(), 8 * SLAB_SLOTS as usize);
    let slabs = std::fs::read_dir(folder.path()).unwrap().count();
    assert!((8..=9).contains(&slabs), "eight slabs, and at most one ahead: {slabs}");
}

#[test]
fn a_destroyed_key_does_not_come_back_from_an_earlier_read() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let id = keys.take().unwrap();
    let path = keys.slab_path(id.slab()).unwrap();
    let before = std::fs::read(&path).unwrap();
    keys.destroy(id).unwrap();
    assert!(matches!(Keyring::open(folder.path()).unwrap().get(id), Err(KeyError::Destroyed(_))));
    std::fs::write(&path, before).unwrap();
    assert!(matches!(keys.get(id), Err(KeyError::Destroyed(_))));
}

/// The list is read before it is added to: without a lock the second of two would overwrite the first.
#[test]
fn keys_that_are_destroyed_at_once_are_all_on_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let ids: Vec<_> = (0..64).map(|_| keys.take().unwrap()).collect();
    std::thread::scope(|scope| {
        for some in ids.chunks(4) {
            let keys = &keys;
            scope.spawn(move || some.iter().for_each(|id| keys.destroy(*id).unwrap()));
        }
    });
    let listed: HashSet<_> = erased::read(&folder.path().join(erased::FILE)).unwrap().into_iter().collect();
    assert_eq!(listed, ids.into_iter().collect());
}

/// The power went while the slot was overwritten; or the slab is not there, and a backup has it.
#[test]
fn a_key_on_the_list_is_destroyed_whatever_its_slot_says() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::open(folder.path()).unwrap();
    let (torn, missing) = (keys.take().unwrap(), keys.take().unwrap());
    let path = keys.slab_path(torn.slab()).unwrap();
    let mut slab = std::fs::read(&path).unwrap();
    keys.destroy(torn).unwrap();
    slab[slab::start(torn.slot())..][..7].fill(0);
    std::fs::write(&path, &slab).unwrap();
    let again = Keyring::open(folder.path()).unwrap();
    assert!(matches!(again.get(torn), Err(KeyError::Destroyed(_))));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(again.destroy(missing), Err(KeyError::Missing(_))));
    std::fs::write(&path, &slab).unwrap();
    assert!(matches!(Keyring::open(folder.path()).unwrap().get(missing), Err(KeyError::Destroyed(_))));
}
