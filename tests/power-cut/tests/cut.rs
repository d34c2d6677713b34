//! The cut itself. A binary of its own, because syncs that do nothing are a matter of a whole process.
#![cfg(target_os = "linux")]

use power_cut::{Volume, kernel, say};
use std::fs::{self, File};

/// The cut itself: what was synced is there, what was not is gone.
#[test]
fn a_cut_keeps_what_was_synced_and_nothing_else() {
    let mut volume = match Volume::new(64) {
        Ok(volume) => volume,
        Err(why) => return say(&format!("skipped: no file system to cut the power of ({why})")),
    };
    let write = |name: &str| {
        let path = volume.path().join(name);
        fs::write(&path, "text").unwrap();
        File::open(path).unwrap()
    };
    let (synced, lost, never) = (write("synced"), write("lost"), write("never"));
    synced.sync_all().unwrap();
    File::open(volume.path()).unwrap().sync_all().unwrap();
    let late = write("late");
    kernel::lose(true, true);
    let answers = (lost.sync_all(), late.sync_data());
    kernel::lose(false, false);
    answers.0.and(answers.1).unwrap();
    volume.cut();
    drop((synced, lost, never, late));
    volume.remount();
    let read = |name: &str| fs::read_to_string(volume.path().join(name)).unwrap_or_default();
    assert_eq!(["synced", "lost", "never", "late"].map(read), ["text", "", "", ""]);
}

/// Whoever builds this on a machine without loop devices reads why nothing was tested.
#[test]
fn a_volume_that_cannot_be_had_says_why() {
    let Err(why) = Volume::new(0) else { panic!("an empty image holds no file system") };
    assert!(why.contains("mkfs.ext4"), "{why}");
}
