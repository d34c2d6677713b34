//! A blob of 100 MB needs a chunk of memory; a writer that is killed leaves nothing that stays.

#![cfg(target_os = "linux")]

use super::{Session, child};
use dispatch_events::blob::BlobStore;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

const LARGE: u64 = 100 * 1024 * 1024;
/// Two chunks, a piece of the source, and what the allocator makes of them.
const ROOM_KIB: u64 = 4 * 1024;

#[test]
fn a_large_blob_needs_little_memory() {
    let session = Session::new();
    let child = child::command(session.folder.path(), LARGE).output().unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    assert!(child.status.success(), "{said}");
    let (_, grown) = said.split_once("grown by ").unwrap();
    let mut grown = grown.split(' ').map_while(|word| word.parse::<u64>().ok());
    let (put, both) = (grown.next().unwrap(), grown.next().unwrap());
    println!("peak memory grew by {put} KiB to store 100 MiB, and by {both} KiB until it was read");
    assert!(both < ROOM_KIB, "peak memory grew by {both} KiB");
}

#[test]
fn what_a_killed_writer_left_goes_away() {
    let session = Session::new();
    let tmp = session.folder.path().join("tmp");
    let written =
        || fs::read_dir(&tmp).unwrap().map(|left| left.unwrap().metadata().map_or(0, |file| file.len())).sum::<u64>();
    let mut child = child::command(session.folder.path(), 2 << 30).spawn().unwrap();
    let start = Instant::now();
    while written() < 8 << 20 {
        assert!(start.elapsed() < Duration::from_secs(60), "the child wrote {} bytes", written());
        assert!(child.try_wait().unwrap().is_none(), "the child ended by itself");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(session.half_written(), 1);
    let blobs = BlobStore::open(session.folder.path()).unwrap();
    blobs.sweep().unwrap();
    assert_eq!(session.half_written(), 0);
    for space in blobs.spaces().unwrap().map(Result::unwrap) {
        assert_eq!(blobs.addresses(space).unwrap().count(), 1, "the small blob alone has a name");
    }
}
