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
use std::{collections::BTreeSet, fs::File, path::Path};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// What the file counts.
    pub trailer: Trailer,
    /// Whether the keys were written beside it.
    pub keys: bool,
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
    if keys && beside.symlink_metadata().is_ok() {
        return Err(FramedError::Exists(beside));
    }
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
    blobs(log, &mut writer, with_blobs, progress)?;
    for (written, given) in along.iter().enumerate() {
        let file = File::open(&given.path).map_err(|error| FramedError::io(&given.path, error))?;
        writer.file(&given.name, file)?;
        progress(Stage::Files, written as u64 + 1, along.len() as u64);
    }
    // Before the file has its name, and behind its records: every key that they name is in the folder by now.
    if keys {
        archive::write_beside(log.keys(), &beside)?;
    }
    Ok(Exported { trailer: writer.finish()?, keys })
}

/// The blobs of these sessions, and what all sessions share. A blob lies in its place before the event that names it
/// is durable, so each that the records name is among them; there may be one more whose event comes later.
fn blobs(
    log: &Log,
    writer: &mut FramedWriter,
    streams: BTreeSet<StreamId>,
    progress: &mut impl FnMut(Stage, u64, u64),
) -> Result<(), FramedError> {
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
            Ok(sealed) => writer.blob(*space, *address, sealed)?,
            // Its session was erased a moment ago.
            Err(BlobError::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
        progress(Stage::Blobs, written as u64 + 1, blobs.len() as u64);
    }
    Ok(())
}
