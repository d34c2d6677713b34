//! A file system whose power can be cut and whose disk can be filled, and writers on it.
//!
//! A kill leaves the page cache alone, so it says nothing about what is on the disk. Here the log lies on an ext4 file
//! system of its own, in an image file. [`Volume::cut`] shuts that file system down without a flush: what was not synced
//! is gone, as after a power failure. It does not model a disk that lies about its own cache.
//!
//! | module | what it is |
//! |---|---|
//! | [`volume`] | the file system: mounted, cut, mounted again, filled; and why it can't be had here |
//! | [`kernel`] | the two things that need `unsafe`: the shutdown, and syncs that do nothing |
//! | [`writer`] | writers on a log, who say what was acknowledged and what was refused |
//! | [`child`] | the same in a process of its own, which dies with the power |
//! | [`ledger`] | what was acknowledged, and the check that a log holds all of it |
//!
//! The volume needs root, loop devices and `mkfs.ext4`. Where they are missing, a suite says so and passes.
//! A failed expectation of the machinery panics; what the log did wrong comes as a `Result`, because a suite may want it.
#![cfg(target_os = "linux")]

pub mod child;
pub mod kernel;
pub mod ledger;
pub mod volume;
pub mod writer;

pub use child::Child;
pub use ledger::Ledger;
pub use volume::Volume;

use std::io::Write;

/// Says a line on stderr, past the harness that keeps the words of a test that passes.
pub fn say(line: &str) {
    // Nobody is told if stderr is gone, and nothing depends on it.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Different at every call; the order of rounds is not meant to repeat.
pub fn random() -> u32 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    u32::from_le_bytes(bytes)
}
