//! The appends of the source into the target's engine, in batches.

use super::{CopyError, Filled, Names};
use crate::{
    Body, Log, Position, StreamId,
    appends::{Appends, Continuity},
    envelope::Header,
    store::{
        Engine, Head, LogHead, ReadError,
        engine::{Batch, Frame, split_frame},
        index::{self, Indexes, concerns},
    },
};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

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
    let mut names = Names::default();
    let mut batch = Pending::default();
    let mut count = 0;
    while let Some(append) = appends.next_append().map_err(CopyError::Source)? {
        let headers = continuity.take(&append).map_err(|broken| CopyError::Source(broken.into()))?;
        fold(source, &append, &headers, &mut indexes, &mut names)?;
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
    Ok(Filled { head, resumed_behind: there.position, appends: count, continuity, indexes, names })
}

/// Opens the payloads that say something about the indexes, and no others. A name that can't be read is counted: for want
/// of one key or blob a log is not given up.
fn fold(
    source: &Log,
    append: &Frame,
    headers: &[Header],
    indexes: &mut Indexes,
    names: &mut Names,
) -> Result<(), CopyError> {
    if !headers.iter().any(|header| concerns(&header.kind)) {
        return Ok(());
    }
    let records = split_frame(&append.bytes, append.count, String::new).map_err(CopyError::Source)?;
    for (record, header) in records.into_iter().zip(headers).filter(|(_, header)| concerns(&header.kind)) {
        let recorded = source.open_record(record).map_err(CopyError::Source)?;
        match &recorded.body {
            Body::Unreadable(why) if index::names(&header.kind) => {
                names.unread += 1;
                names.first_unread.get_or_insert_with(|| (header.position, why.clone()));
            }
            Body::Known(_) if index::names(&header.kind) => names.read += 1,
            _ => {}
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

/// Names and open streams. An earlier call may have written them, of a source that has gone on since: rows that do not
/// follow any more go.
fn write_indexes(target: &dyn Engine, indexes: &Indexes) -> Result<(), CopyError> {
    let mut names = Vec::new();
    let mut after = None;
    loop {
        let page = target.names(after, BATCH_ROWS).map_err(unreadable)?;
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        names.extend(page.iter().filter(|(name, _)| indexes.named(*name).is_none()).map(|(name, _)| (*name, None)));
    }
    names.extend(indexes.names().map(|(name, stream)| (name, Some(stream))));
    for names in names.chunks(BATCH_ROWS) {
        target.commit(&Batch { names: names.to_vec(), ..Batch::default() })?;
    }
    let counts: BTreeMap<_, _> = indexes.open().collect();
    let stale = target.open_streams().map_err(unreadable)?.into_iter().map(|(stream, _)| stream);
    let mut open: Vec<_> = stale.filter(|stream| !counts.contains_key(stream)).map(|stream| (stream, 0)).collect();
    open.extend(counts);
    for open in open.chunks(BATCH_ROWS) {
        target.commit(&Batch { open: open.to_vec(), ..Batch::default() })?;
    }
    Ok(())
}

fn unreadable(error: ReadError) -> CopyError {
    CopyError::Differs(error.to_string())
}
