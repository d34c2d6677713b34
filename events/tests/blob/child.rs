//! A process of its own: its memory is measured, or it is killed.

use dispatch_events::{
    StreamId,
    blob::BlobStore,
    keys::{KeyBytes, SessionKey},
};
use std::{
    env, fs,
    io::{self, Read},
    path::Path,
    process::{Command, Stdio},
};

const FOLDER: &str = "DISPATCH_BLOB_CHILD";
const BYTES: &str = "DISPATCH_BLOB_CHILD_BYTES";

/// The child's side; without the variable it is no test at all.
#[test]
fn the_child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let bytes = env::var(BYTES).unwrap().parse().unwrap();
    let blobs = BlobStore::open(Path::new(&folder)).unwrap();
    let (stream, key) = (StreamId::fresh(), SessionKey::new(KeyBytes::new([7; 32])));
    // What a first use costs is not the blob's.
    blobs.put_from(stream, &key, io::repeat(1).take(1000)).unwrap();
    let before = peak_kib();
    let (address, length) = blobs.put_from(stream, &key, io::repeat(7).take(bytes)).unwrap();
    let put = peak_kib();
    let mut reader = blobs.reader(stream, &key, address).unwrap();
    let read = io::copy(&mut reader, &mut io::sink()).unwrap();
    assert_eq!((length, read), (bytes, bytes));
    println!("grown by {} {} KiB", put - before, peak_kib() - before);
}

/// A child that sends a blob of this many bytes through the blobs in `folder`.
pub fn command(folder: &Path, bytes: u64) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "child::the_child", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(BYTES, bytes.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// Most memory that this process has had.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
