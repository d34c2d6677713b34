//! The line that every number has to be read with.

use crate::{Scale, disk, host, report::Report};
use serde_json::json;
use std::{fs, path::Path};

/// Says on what this runs, and what its disk can do.
pub fn describe(report: &mut Report, scale: Scale) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory_mib = field("/proc/meminfo", "MemTotal:").parse::<u64>().map_or(0, |kib| kib / 1024);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
    let model = field("/proc/cpuinfo", "model name\t:");
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default().to_owned();
    let disk = file_system(Path::new(host::ROOT));
    report.note(&format!(
        "machine: {cores} cores ({model}), {memory_mib} MiB, Linux {kernel}, data folder on {disk}; load before: {load}"
    ));
    report.note(&format!(
        "turns: {} bytes of text in, {} bytes out; one keep-alive connection per session; the client and the model \
         share the cores with the host",
        host::said(0).len(),
        host::ANSWER.len()
    ));
    report.set(
        "machine",
        json!({"cores": cores, "cpu": model, "memory_mib": memory_mib, "kernel": kernel,
        "file_system": disk, "load_before": load, "quick": scale.quick}),
    );
    report.section("disk", "the floor");
    report.row("append of 2 KiB + fdatasync").times("", &disk::floor(scale.of(1000, 50)));
}

fn field(file: &str, name: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    line.trim_end_matches(" kB").to_owned()
}

/// Kind and device of the mount that holds the folder: the longest mount point above it.
fn file_system(folder: &Path) -> String {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let above = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (device, point, kind) = (words.next()?, words.next()?, words.next()?);
        folder.starts_with(point).then(|| (point.len(), format!("{kind} ({device})")))
    });
    above.max_by_key(|(length, _)| *length).map_or_else(|| "an unknown file system".to_owned(), |(_, text)| text)
}
