//! The check of a whole log: every record's checksum, both chains, positions, heads and the other indexes.
//!
//! It needs no key for the chains, which run over sealed bytes; with the keys it also says how many payloads can't be
//! read. It streams in pages and may run while the log is written: it checks up to the end that it found at its start.

mod chain;

use self::chain::Chains;
use crate::{
    Body, Digest, Event, Log, Position, StreamId,
    store::{EventStore, LogHead, ReadError, index::Indexes},
};
use std::collections::HashSet;

/// Most problems that are listed; the rest is counted.
pub const PROBLEMS_LISTED: usize = 1000;

const PAGE: usize = 512;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that were read.
    pub events: u64,
    /// Streams that they belong to.
    pub streams: u64,
    /// Position up to which the log was checked.
    pub position: Position,
    /// The log's own chain there, recomputed.
    pub log_hash: Digest,
    /// What is wrong, in the order of the log, at most [`PROBLEMS_LISTED`].
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub more_problems: u64,
    /// Payloads that can't be opened or decoded: a missing key or blob, or a type that was written wrongly.
    pub unreadable: u64,
    /// Payloads whose key was destroyed on purpose.
    pub erased: u64,
    /// Payloads of a type or version that this build does not know.
    pub unknown: u64,
}

impl Report {
    /// Whether the log is what was written. Unreadable payloads are a matter of keys and blobs, not of the log.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, position: Position, stream: Option<StreamId>, what: impl Into<String>) {
        if self.problems.len() < PROBLEMS_LISTED {
            self.problems.push(Problem { position, stream, what: what.into() });
        } else {
            self.more_problems += 1;
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where in the log.
    pub position: Position,
    /// Which stream, where that is known.
    pub stream: Option<StreamId>,
    /// What, in words.
    pub what: String,
}

/// Checks the whole log. Blocks for as long as reading all of it takes.
///
/// # Errors
/// [`ReadError::Io`] when the engine can't read at all; damage is in the report.
pub fn verify(log: &Log) -> Result<Report, ReadError> {
    verify_with(log, |_| {})
}

/// As [`verify`], telling `progress` the position that was reached after each page.
///
/// # Errors
/// As [`verify`].
pub fn verify_with(log: &Log, mut progress: impl FnMut(Position)) -> Result<Report, ReadError> {
    let store = log.store();
    let end = store.log_head();
    let mut report = Report { position: end.position, ..Report::default() };
    let mut chains = Chains::default();
    let mut folded = Folded { indexes: Indexes::new(store.name_secret().clone()), half_erased: HashSet::new() };
    let mut next = Position(1);
    while next <= end.position {
        let records = page(&**store, next, &mut report)?;
        if records.is_empty() {
            chains.skip(next);
            next = next.next();
        }
        for record in records {
            // Written since the check began.
            if next > end.position {
                break;
            }
            if chains.check(&**store, next, &record, &mut report)? {
                payload(log, &record, &mut report, &mut folded)?;
            }
            next = next.next();
        }
        progress(Position(next.0 - 1));
    }
    report.log_hash = chains.log_hash();
    chains.check_ends(&**store, end, &mut report)?;
    report.streams = chains.streams();
    check_indexes(&folded, &**store, end, &mut report)?;
    Ok(report)
}

/// The records from `next` on; none if the one at `next` can't be read, which is in the report then.
fn page(store: &dyn EventStore, next: Position, report: &mut Report) -> Result<Vec<Vec<u8>>, ReadError> {
    // One damaged record spoils a page, so it is read again alone.
    let read = store.read_all(next, PAGE).or_else(|_| store.read_all(next, 1));
    match read {
        Err(ReadError::Damaged { place, why }) => {
            report.add(next, None, format!("can't be read: damaged at {place}: {why}"));
            Ok(Vec::new())
        }
        Ok(records) if records.is_empty() => {
            report.add(next, None, "the record is missing");
            Ok(records)
        }
        other => other,
    }
}

/// Opens the payload and counts what can't be read.
fn payload(log: &Log, record: &[u8], report: &mut Report, folded: &mut Folded) -> Result<(), ReadError> {
    let recorded = log.open_record(record)?;
    match recorded.body {
        Body::Known(Event::SessionErased(_)) => drop(folded.half_erased.remove(&recorded.stream)),
        Body::Known(_) => {}
        Body::Unknown { .. } => report.unknown += 1,
        Body::Erased => {
            report.erased += 1;
            folded.half_erased.insert(recorded.stream);
        }
        Body::Unreadable(_) => report.unreadable += 1,
    }
    folded.indexes.apply(&recorded);
    Ok(())
}

/// What the payloads say.
struct Folded {
    indexes: Indexes,
    /// Streams whose key is gone and whose erasure is not finished: nobody can say what was open there.
    half_erased: HashSet<StreamId>,
}

/// Compares the indexes with the store's. Only where every payload was read or erased and nothing was written meanwhile:
/// otherwise a difference says nothing.
fn check_indexes(folded: &Folded, store: &dyn EventStore, end: LogHead, report: &mut Report) -> Result<(), ReadError> {
    let all_read = report.unreadable + report.unknown == 0 && folded.half_erased.is_empty() && report.is_sound();
    let names = store.names(None, usize::MAX)?;
    let mut open = store.open_streams()?;
    if !all_read || store.log_head() != end {
        return Ok(());
    }
    if !folded.indexes.names().eq(names) {
        report.add(end.position, None, "the index of names does not fit the events");
    }
    open.sort();
    if !folded.indexes.open().map(|(stream, _)| stream).eq(open) {
        report.add(end.position, None, "the index of open streams does not fit the events");
    }
    Ok(())
}
