//! Room behind the end of sled's file that nobody else can take.
//!
//! sled tidies its file in the background: it moves pages out of half-empty segments, also when nothing is appended. On a
//! disk that somebody else filled to the last byte that write fails, and sled answers every later call with the failure,
//! reads included, until it is opened again, which it can't be on a full disk. So blocks behind the end of the file are
//! allocated ahead while there is room. They also carry a commit that began when the disk was not full yet.

use std::{
    fs::File,
    io,
    sync::{Mutex, PoisonError},
};

/// Bytes that are allocated behind the end: many segments of 512 KiB.
pub const RESERVE: u64 = 16 * 1024 * 1024;

/// What is allocated.
#[derive(Default)]
pub struct Reserve(Mutex<Allocated>);

#[derive(Default)]
struct Allocated {
    /// Length of the file when it was last looked at. A shorter one was truncated, which gives the reserve back.
    length: u64,
    /// Where the allocated blocks end.
    end: u64,
}

impl Reserve {
    /// Allocates blocks behind the end of `file`, if less than half of [`RESERVE`] is left of those that were.
    ///
    /// # Errors
    /// What the file system says; one that can't do it is no error.
    pub fn keep(&self, file: &File) -> io::Result<()> {
        let length = file.metadata()?.len();
        let mut allocated = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if length < allocated.length || length + RESERVE / 2 > allocated.end {
            allocate(file, length)?;
            allocated.end = length + RESERVE;
        }
        allocated.length = length;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn allocate(file: &File, length: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, length, RESERVE) {
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn allocate(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn blocks_are_kept_behind_the_end_and_the_length_is_the_files_own() {
        use std::os::unix::fs::MetadataExt;
        let file = tempfile::tempfile().unwrap();
        let reserve = Reserve::default();
        let allocated = || file.metadata().unwrap().blocks() * 512;
        for length in [0, 1024, RESERVE, 1024] {
            file.set_len(length).unwrap();
            reserve.keep(&file).unwrap();
            assert_eq!(file.metadata().unwrap().len(), length);
            // A file system that can't allocate ahead has nothing to show.
            assert!(allocated() == 0 || allocated() >= RESERVE / 2, "{} blocks at {length}", allocated());
        }
    }
}
