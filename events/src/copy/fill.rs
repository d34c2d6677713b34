//! The appends of the source into the target's engine, in batches.

use super::{CopyError, Filled};
use crate::{
    Body, Log, Position, StreamId,
    appends::{Appends, Continuity},
    envelope::Header,
    store::{
        Engine, Head, LogHead,
        engine::{Batch, Frame, split_frame},
        index::{Indexes, concerns},
    },
};
use std::{collections::HashMap, path::Path};

/// A batch is written when its records have this many bytes.
const BATCH_BYTES: usize = 1024 * 1024;
/// Rows of one index in a batch that has no records.
const BATCH_ROWS: usize = 4096;

/// Writes what is missing. All of the source is read and checked, also what was written before: the indexes follow from
/// all of it.
pub(super) fn fill(
    source: &Log,
    head: LogHead,
    target: &dyn Engine,
    folder: &Path,
    mut progress: impl FnMut(Position),
) -> Result<Filled, CopyError> {
    let there = target.log_head().map_err(|error| CopyError::Differs(error.to_string()))?;
    let other = || CopyError::OtherLog { folder: folder.to_owned(), position: there.position };
    if there.position > head.position {
        return Err(other());
    }
    let store = source.store();
    let mut appends = Appends::new(&**store, Position(0), head.position);
    let mut continuity = Continuity::default();
    let mut indexes = Indexes::new(store.name_secret().clone());
    let mut batch = Pending::default();
    let mut count = 0;
    while let Some(append) = appends.next_append().map_err(CopyError::Source)? {
        let headers = continuity.take(&append).map_err(|broken| CopyError::Source(broken.into()))?;
        fold(source, &append, &headers, &mut indexes)?;
        count += 1;
        let log = continuity.log();
        if log.position < there.position {
            continue;
        }
        if log.position == there.position {
            if log.hash != there.hash {
                return Err(other());
            }
            progress(log.position);
            continue;
        }
        if append.position <= there.position {
            // The target ends in the middle of an append of the source.
            return Err(other());
        }
        batch.add(append, &headers);
        if batch.batch.bytes() >= BATCH_BYTES {
            batch.commit(target)?;
            progress(log.position);
        }
    }
    batch.commit(target)?;
    write_indexes(target, &indexes)?;
    progress(head.position);
    Ok(Filled { head, resumed_behind: there.position, appends: count, continuity, indexes })
}

/// Opens the payloads that say something about the indexes, and no others.
fn fold(source: &Log, append: &Frame, headers: &[Header], indexes: &mut Indexes) -> Result<(), CopyError> {
    if !headers.iter().any(|header| concerns(&header.kind)) {
        return Ok(());
    }
    let records = split_frame(&append.bytes, append.count, String::new).map_err(CopyError::Source)?;
    for (record, header) in records.into_iter().zip(headers).filter(|(_, header)| concerns(&header.kind)) {
        let recorded = source.open_record(record).map_err(CopyError::Source)?;
        if let Body::Unreadable(why) = &recorded.body {
            return Err(CopyError::Sealed { position: header.position, why: why.clone() });
        }
        indexes.apply(&recorded);
    }
    Ok(())
}

/// A batch that is being put together.
#[derive(Default)]
struct Pending {
    batch: Batch,
    heads: HashMap<StreamId, Head>,
}

impl Pending {
    fn add(&mut self, append: Frame, headers: &[Header]) {
        self.batch.ids.extend(headers.iter().map(|header| (header.id, header.position)));
        if let Some(last) = headers.last() {
            let head = Head { version: last.version, hash: last.hash, key: last.key };
            self.heads.insert(append.stream, head);
        }
        self.batch.frames.push(append);
    }

    fn commit(&mut self, target: &dyn Engine) -> Result<(), CopyError> {
        if self.batch.frames.is_empty() {
            return Ok(());
        }
        self.batch.heads = self.heads.drain().collect();
        Ok(target.commit(&std::mem::take(&mut self.batch))?)
    }
}

/// Names and open streams, which nothing has written before; written again they are the same rows.
fn write_indexes(target: &dyn Engine, indexes: &Indexes) -> Result<(), CopyError> {
    let names: Vec<_> = indexes.names().map(|(name, stream)| (name, Some(stream))).collect();
    for names in names.chunks(BATCH_ROWS) {
        target.commit(&Batch { names: names.to_vec(), ..Batch::default() })?;
    }
    let open: Vec<_> = indexes.open().collect();
    for open in open.chunks(BATCH_ROWS) {
        target.commit(&Batch { open: open.to_vec(), ..Batch::default() })?;
    }
    Ok(())
}
