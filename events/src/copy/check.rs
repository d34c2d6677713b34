//! The target, opened anew, against what the source holds: records, both chains, every head and every index row.

use super::{Copied, CopyError, Filled};
use crate::{
    Position,
    appends::{Appends, Continuity},
    store::{EventStore, ReadError},
};

/// Rows of an index that are read at once.
const PAGE: usize = 1024;

pub(super) fn check(
    source: &Filled,
    target: &dyn EventStore,
    progress: impl FnMut(Position),
) -> Result<Copied, CopyError> {
    let head = target.log_head();
    if head != source.head {
        return Err(differs(format!(
            "its log ends at position {}, the source's at {}",
            head.position, source.head.position
        )));
    }
    let (read, appends) = records(target, head.position, progress)?;
    if (read.log(), appends) != (source.head, source.appends) {
        return Err(differs("it does not hold the same appends".to_owned()));
    }
    let streams = heads(source, &read, target)?;
    Ok(Copied {
        head,
        resumed_behind: source.resumed_behind,
        events: head.position.0,
        appends,
        streams,
        names: names(source, target)?,
        unread_names: source.names.unread,
        open: open(source, target)?,
    })
}

/// Reads every record again. Equal chains are equal records: a hash runs over all of a record but its position, which is
/// compared.
fn records(
    target: &dyn EventStore,
    end: Position,
    mut progress: impl FnMut(Position),
) -> Result<(Continuity, u64), CopyError> {
    let mut appends = Appends::new(target, Position(0), end);
    let mut continuity = Continuity::default();
    let mut count = 0;
    while let Some(append) = appends.next_append().map_err(unreadable)? {
        let headers = continuity.take(&append).map_err(|broken| differs(broken.to_string()))?;
        for header in headers {
            if target.position_of(header.id).map_err(unreadable)? != Some(header.position) {
                return Err(differs(format!("its index of event ids does not know position {}", header.position)));
            }
        }
        count += 1;
        progress(continuity.log().position);
    }
    Ok((continuity, count))
}

/// Every stream's head, as its records give it and as the index says it.
fn heads(source: &Filled, read: &Continuity, target: &dyn EventStore) -> Result<u64, CopyError> {
    let mut count = 0;
    for (stream, last) in source.continuity.ends() {
        let same = read.end(stream) == Some(last) && target.head(stream).map_err(unreadable)? == Some(last.head);
        if !same {
            return Err(differs(format!("stream {stream} does not end at version {}", last.head.version)));
        }
        count += 1;
    }
    let mut rows = 0;
    let mut after = None;
    loop {
        let page = target.streams(after, PAGE).map_err(unreadable)?;
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        rows += page.len() as u64;
    }
    if rows == count { Ok(count) } else { Err(differs(format!("it has {rows} streams, the source {count}"))) }
}

fn names(source: &Filled, target: &dyn EventStore) -> Result<u64, CopyError> {
    let mut expected = source.indexes.names();
    let mut count = 0;
    let mut after = None;
    loop {
        let page = target.names(after, PAGE).map_err(unreadable)?;
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        count += page.len() as u64;
        if page.into_iter().any(|row| expected.next() != Some(row)) {
            return Err(differs("its index of names has other rows".to_owned()));
        }
    }
    if expected.next().is_none() { Ok(count) } else { Err(differs("its index of names lacks rows".to_owned())) }
}

fn open(source: &Filled, target: &dyn EventStore) -> Result<u64, CopyError> {
    let mut rows = target.open_streams().map_err(unreadable)?;
    rows.sort_unstable();
    if source.indexes.open().map(|(stream, _)| stream).eq(rows.iter().copied()) {
        Ok(rows.len() as u64)
    } else {
        Err(differs("its index of open streams has other rows".to_owned()))
    }
}

fn differs(why: String) -> CopyError {
    CopyError::Differs(why)
}

fn unreadable(error: ReadError) -> CopyError {
    CopyError::Differs(error.to_string())
}
