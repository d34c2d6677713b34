//! All of an open log into a file, while the log goes on: up to the head that it had when the writing began.

use super::{FramedError, frame::Trailer, keys_beside, writer::FramedWriter};
use crate::{
    Log, Position, StreamId,
    appends::Appends,
    backup::{Along, Stage},
    blob::{BlobError, Space},
    envelope::Flags,
    keys::archive,
};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// What the file counts.
    pub trailer: Trailer,
    /// Whether the keys were written beside it.
    pub keys: bool,
    /// Blobs that could not be read or are no whole files. As much of each as could be read is in the file; what names
    /// them can't be read.
    pub damaged_blobs: u64,
}

/// Writes the log and its blobs to `path`, and with `keys` the key folder to `path.keys`. `progress` is told the position that
/// was reached, and the last one. Blocks for as long as reading all of the log takes.
///
/// # Errors
/// [`FramedError`]; there is no file at `path` then.
pub fn export(
    log: &Log,
    path: &Path,
    keys: bool,
    mut progress: impl FnMut(Position, Position),
) -> Result<Exported, FramedError> {
    write(log, path, keys, &[], &mut |stage, done, of| {
        if stage == Stage::Log {
            progress(Position(done), Position(of));
        }
    })
}

/// As [`export`], with files that are given along.
pub(crate) fn write(
    log: &Log,
    path: &Path,
    keys: bool,
    along: &[Along],
    progress: &mut impl FnMut(Stage, u64, u64),
) -> Result<Exported, FramedError> {
    let beside = keys_beside(path);
    let store = log.store();
    let head = store.log_head();
    let mut writer = FramedWriter::create(path, store.engine(), log.clock().now(), head)?;
    let mut with_blobs = BTreeSet::new();
    let mut appends = Appends::new(&**store, Position(0), head.position);
    while let Some(append) = appends.next_append()? {
        let headers = writer.append(&append)?;
        if headers.iter().any(|header| header.flags.has(Flags::BLOB)) {
            with_blobs.insert(append.stream);
        }
        progress(Stage::Log, append.position.0 + u64::from(append.count) - 1, head.position.0);
    }
    let damaged_blobs = blobs(log, &mut writer, with_blobs, progress)?;
    for (written, given) in along.iter().enumerate() {
        let file = File::open(&given.path).map_err(|error| FramedError::io(&given.path, error))?;
        writer.file(&given.name, file)?;
        progress(Stage::Files, written as u64 + 1, along.len() as u64);
    }
    // Before the file has its name, and behind its records: every key that they name is in the folder by now.
    if keys {
        vacate(path, &beside)?;
        archive::write_beside(log.keys(), &beside)?;
    }
    let finished = writer.finish();
    if keys && finished.is_err() && path.symlink_metadata().is_err() {
        // Keys of no file would only lie about. That they can't be removed is no better reason than the first.
        fs::remove_file(&beside).ok();
    }
    Ok(Exported { trailer: finished?, keys, damaged_blobs })
}

/// Moves keys aside whose file is not there. Most likely an export was cut off between the two; but they may be all that
/// opens a file that was moved, so they are kept as `FILE.keys.before`.
fn vacate(path: &Path, beside: &Path) -> Result<(), FramedError> {
    if path.symlink_metadata().is_ok() {
        return Err(FramedError::Exists(path.to_owned()));
    }
    let mut before = beside.as_os_str().to_owned();
    before.push(".before");
    match fs::rename(beside, before) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FramedError::io(beside, error)),
        _ => Ok(()),
    }
}

/// The blobs of these sessions, and what all sessions share. A blob lies in its place before the event that names it
/// is durable, so each that the records name is among them; there may be one more whose event comes later. Returns how many
/// are damaged: those are no reason to have no file of all the others.
fn blobs(
    log: &Log,
    writer: &mut FramedWriter,
    streams: BTreeSet<StreamId>,
    progress: &mut impl FnMut(Stage, u64, u64),
) -> Result<u64, FramedError> {
    let mut damaged = 0;
    let mut blobs = Vec::new();
    for space in std::iter::once(Space::Shared).chain(streams.into_iter().map(Space::Session)) {
        let start = blobs.len();
        for address in log.blobs().addresses(space)? {
            blobs.push((space, address?));
        }
        blobs[start..].sort_unstable_by_key(|(_, address)| *address);
    }
    for (written, (space, address)) in blobs.iter().enumerate() {
        match log.blobs().read_sealed(*space, *address) {
            Ok(sealed) => {
                let mut sealed = Readable { sealed, failed: false };
                writer.blob(*space, *address, &mut sealed)?;
                let whole = !sealed.failed && log.blobs().looks_whole(*space, *address).unwrap_or(false);
                damaged += u64::from(!whole);
            }
            // Its session was erased a moment ago.
            Err(BlobError::Missing(_)) => {}
            Err(_) => damaged += 1,
        }
        progress(Stage::Blobs, written as u64 + 1, blobs.len() as u64);
    }
    Ok(damaged)
}

/// As much of a blob as can be read.
struct Readable<R> {
    sealed: R,
    failed: bool,
}

impl<R: Read> Read for Readable<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.sealed.read(out) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.failed = true;
                Ok(0)
            }
            read => read,
        }
    }
}
