//! From the plan to the disk.

use super::*;

#[test]
fn a_plan_alone_changes_nothing() {
    let fixture = with(Some("a"));
    fixture.plan(vec![add("b"), remove("a")]).unwrap();
    assert_eq!(fixture.on_disk(), "a");
    assert_eq!(fs::read_dir(fixture.folder.path()).unwrap().count(), 1, "no lock, no copy");
}

#[test]
fn a_second_write_does_nothing_and_a_stranger_is_never_overwritten() {
    let fixture = with(Some("a"));
    let planned = fixture.plan(vec![add("b")]).unwrap();
    fixture.files.write(&planned).unwrap();
    fixture.files.write(&planned).unwrap();
    assert_eq!(fixture.on_disk(), "a\n§\nb");
    fs::write(fixture.folder.path().join("MEMORY.md"), "by hand").unwrap();
    assert!(fixture.files.write(&planned).unwrap_err().contains("somebody else"));
    assert_eq!(fixture.on_disk(), "by hand");
}

#[test]
fn two_plans_on_the_same_file_can_not_both_win() {
    let fixture = with(Some("a"));
    let (first, second) = (fixture.plan(vec![add("b")]).unwrap(), fixture.plan(vec![replace("a", "c")]).unwrap());
    fixture.files.write(&first).unwrap();
    assert!(fixture.files.write(&second).is_err());
    assert_eq!(fixture.on_disk(), "a\n§\nb");
}

#[test]
fn the_folder_is_made_private_and_the_digest_follows_the_bytes() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("memories").join("main");
    let clock = Arc::new(FixedClock::default());
    let files = DiskMemory::new(&folder, MemoryLimits { memory: 100, user: 100 }, clock);
    assert_eq!(files.digest(MemoryTarget::User).unwrap(), of(""));
    let edit = MemoryEdit { target: MemoryTarget::User, operations: vec![add("x")] };
    files.write(&files.plan(&edit).unwrap()).unwrap();
    assert_eq!(files.digest(MemoryTarget::User).unwrap(), of("x"));
    #[cfg(unix)]
    for (path, mode) in [(folder.clone(), 0o700), (folder.join("USER.md"), 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn a_held_lock_is_waited_for() {
    let fixture = with(Some("a"));
    let held = guard::hold(&fixture.folder.path().join("MEMORY.md")).unwrap();
    let release = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        drop(held);
    });
    fixture.edit(vec![add("b")]).unwrap();
    release.unwrap().join().unwrap();
    assert_eq!(fixture.on_disk(), "a\n§\nb");
}

#[test]
fn a_file_of_no_sane_size_is_an_error() {
    let fixture = with(None);
    let huge = fs::File::create(fixture.folder.path().join("MEMORY.md")).unwrap();
    huge.set_len(FILE_BYTES + 1).unwrap();
    assert!(fixture.files.snapshot().unwrap_err().contains("1048577 bytes"));
    let folder = with(None);
    fs::create_dir(folder.folder.path().join("USER.md")).unwrap();
    assert!(folder.files.entries(MemoryTarget::User).unwrap_err().contains("no regular file"));
}
