//! The floor: what one durable append costs on the disk that holds the data folder.
//!
//! On a busy machine an fdatasync takes 0.2 ms in one second and 4 ms in the next, because the thread that waits for the
//! disk has to get a core again. So where one client works alone, each turn is followed by one append of the floor: both
//! samples saw the same weather.

use crate::sample::Sample;
use std::{fs::File, io::Write, time::Instant};

/// Bytes of one append, about what a commit of the log writes.
const BYTES: usize = 2048;

/// A file that is appended to, and how long that took.
pub struct Floor {
    file: File,
    /// What was measured.
    pub sample: Sample,
}

impl Floor {
    /// An empty file.
    pub fn new() -> Self {
        Self { file: tempfile::tempfile_in(crate::host::ROOT).unwrap(), sample: Sample::default() }
    }

    /// One append with fdatasync.
    pub fn append(&mut self) {
        let begun = Instant::now();
        self.file.write_all(&[7; BYTES]).unwrap();
        self.file.sync_data().unwrap();
        self.sample.push(begun.elapsed());
    }
}

/// So many in a row.
pub fn floor(times: usize) -> Sample {
    let mut floor = Floor::new();
    (0..times).for_each(|_| floor.append());
    floor.sample
}
