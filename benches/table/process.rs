//! What the kernel says of the host's process and folder.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path, time::Duration};

/// Length of the kernel's tick in `/proc/PID/stat`: USER_HZ is 100 on every architecture that Rust's Linux knows.
const TICK: Duration = Duration::from_millis(10);

/// CPU that all threads of the process have used, in user and kernel mode.
pub fn cpu(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The name, in brackets, may hold spaces: count from behind it. utime and stime are fields 14 and 15.
    let behind = &stat[stat.rfind(')').unwrap() + 2..];
    let ticks: u32 = behind.split(' ').skip(11).take(2).map(|field| field.parse::<u32>().unwrap()).sum();
    TICK * ticks
}

/// Resident memory in MiB.
pub fn resident_mib(pid: u32) -> f64 {
    status_mib(pid, "VmRSS:")
}

/// The most resident memory that the process ever had, in MiB.
pub fn peak_mib(pid: u32) -> f64 {
    status_mib(pid, "VmHWM:")
}

fn status_mib(pid: u32, field: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

/// Bytes that the process has caused to be written to the disk.
pub fn written(pid: u32) -> u64 {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).unwrap().parse().unwrap()
}

/// Bytes that a folder takes on the disk.
pub fn occupied(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    // A file may go between the listing and the look at it.
    let sizes = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        Some(if metadata.is_dir() { occupied(&entry.path()) } else { metadata.blocks() * 512 })
    });
    sizes.sum()
}
