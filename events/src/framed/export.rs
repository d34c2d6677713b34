//! All of an open log into a file, while the log goes on: up to the head that it had when the writing began.

use super::{FramedError, frame::Trailer, keys_beside, writer::FramedWriter};
use crate::{Log, Position, appends::Appends, keys::archive};
use std::path::Path;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// What the file counts.
    pub trailer: Trailer,
    /// Whether the keys were written beside it.
    pub keys: bool,
}

/// Writes the log to `path`, and with `keys` the key folder to `path.keys`. `progress` is told the position that was
/// reached, and the last one. Blocks for as long as reading all of the log takes.
///
/// # Errors
/// [`FramedError`]; there is no file at `path` then.
pub fn export(
    log: &Log,
    path: &Path,
    keys: bool,
    mut progress: impl FnMut(Position, Position),
) -> Result<Exported, FramedError> {
    let store = log.store();
    let head = store.log_head();
    let mut writer = FramedWriter::create(path, store.engine(), log.clock().now(), head)?;
    let mut appends = Appends::new(&**store, Position(0), head.position);
    while let Some(append) = appends.next_append()? {
        let last = Position(append.position.0 + u64::from(append.count) - 1);
        writer.append(&append)?;
        progress(last, head.position);
    }
    // Before the file has its name, and behind its records: every key that they name is in the folder by now.
    if keys {
        archive::write_beside(log.keys(), &keys_beside(path))?;
    }
    Ok(Exported { trailer: writer.finish()?, keys })
}
