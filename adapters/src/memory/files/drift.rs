//! Files that a person shaped in a way that a rewrite would lose: they are copied and left alone.

use super::entries::Entries;
use dispatch_actors::ports::memory::MemoryOperation;
use dispatch_events::{Timestamp, disk};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Why a rewrite is refused; `None` if it may go on. An edit that only adds is not guarded, but for bytes that are no
/// text: there even an addition would lose something.
pub(super) fn reason(entries: Option<&Entries>, operations: &[MemoryOperation], limit: usize) -> Option<&'static str> {
    let Some(entries) = entries else { return Some("it is not UTF-8 text") };
    if operations.iter().all(|operation| matches!(operation, MemoryOperation::Add { .. })) {
        return None;
    }
    if !entries.round_trips() {
        return Some("its entries, written again, would not be the same file");
    }
    let too_long = entries.list().iter().any(|entry| entry.chars().count() > limit);
    too_long.then_some("one entry alone is longer than the whole file may be")
}

/// Saves a copy beside the file as `NAME.bak.<epoch seconds>` and says where. The same bytes are saved once.
pub(super) fn save_copy(path: &Path, bytes: &[u8], now: Timestamp) -> Result<PathBuf, String> {
    if let Some(there) = same_copy(path, bytes) {
        return Ok(there);
    }
    let mut second = now.0.div_euclid(1_000_000);
    loop {
        let copy = beside(path, &format!(".bak.{second}"));
        match disk::write_new_synced(&copy, bytes) {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => second += 1,
            Err(error) => return Err(format!("{} can't be written: {error}; nothing was changed", copy.display())),
        }
    }
}

/// A path in the same folder whose name has something behind it.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn same_copy(path: &Path, bytes: &[u8]) -> Option<PathBuf> {
    let prefix = beside(path, ".bak.").file_name()?.to_string_lossy().into_owned();
    let found = fs::read_dir(path.parent()?).ok()?.flatten().map(|entry| entry.path());
    let mut copies =
        found.filter(|copy| copy.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)));
    copies.find(|copy| {
        fs::metadata(copy).is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64)
            && fs::read(copy).is_ok_and(|there| there == bytes)
    })
}
