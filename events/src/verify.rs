//! The check of a log: every record's checksum, both chains, positions, heads and the other indexes.
//!
//! It needs no key for the chains, which run over sealed bytes; with the keys it also says how many payloads can't be
//! read. It streams in pages and may run while the log is written: it checks up to the end that it found at its start.
//! It keeps a little for each stream and nothing for each event.
//!
//! | file | what it is |
//! |---|---|
//! | `problem` | one thing that is wrong, and of which kind |
//! | `verdict` | what became of a stream |
//! | `chain` | both chains, record by record |
//! | `trace` | how far a stream has come |
//! | `ends` | the streams as the index of heads has them: what is missing at their ends, and whole |
//! | `folded` | the indexes of names and of open streams |
//! | `checkpoint` | how far an earlier check came, so that the next one goes on from there |
//!
//! Whoever can write all of the log can make it agree with itself. Only an [`anchor`](crate::anchor), kept elsewhere,
//! shows that.

mod chain;
mod checkpoint;
mod ends;
mod folded;
mod problem;
mod trace;
mod verdict;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use problem::{PROBLEMS_LISTED, Problem, ProblemKind, Problems};
pub use verdict::{STREAMS_LISTED, StreamVerdict, Verdict, Verdicts};

use self::{chain::Chains, folded::Folded};
use crate::{
    Digest, Log, Position,
    store::{EventStore, ReadError},
};

/// Sizes of the pages that are tried: one damaged record spoils a page, so what is around it is read again in smaller
/// ones, and the record alone.
const PAGES: [usize; 3] = [512, 32, 1];

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Position behind which the check began; zero for all of the log.
    pub since: Position,
    /// Records that were read.
    pub events: u64,
    /// Streams that they belong to.
    pub streams: u64,
    /// Position up to which the log was checked.
    pub position: Position,
    /// The log's own chain there, recomputed.
    pub log_hash: Digest,
    /// What is wrong.
    #[serde(flatten)]
    pub problems: Problems,
    /// Payloads that can't be opened or decoded: a missing key or blob, or a type that was written wrongly.
    pub unreadable: u64,
    /// Payloads whose key was destroyed on purpose.
    pub erased: u64,
    /// Payloads of a type or version that this build does not know.
    pub unknown: u64,
    /// How many streams have which verdict, those without any record included.
    pub verdicts: Verdicts,
    /// The streams that are not plainly intact, the worst first, at most [`STREAMS_LISTED`].
    pub not_intact: Vec<StreamVerdict>,
    /// Such streams beyond those that are listed.
    pub more_not_intact: u64,
}

impl Report {
    /// Whether the log is what was written. Unreadable payloads are a matter of keys and blobs, not of the log.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// The whole log in one word: the worst of its problems, then payloads that can't be read. A log in which sessions
    /// were erased on purpose is intact.
    pub fn verdict(&self) -> Verdict {
        let unread = if self.unreadable > 0 { Verdict::Unreadable } else { Verdict::Intact };
        self.problems.worst().unwrap_or(unread)
    }

    /// Where the next check may go on; `None` if this one found something wrong.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.is_sound().then_some(Checkpoint { position: self.position, log_hash: self.log_hash })
    }
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
pub fn verify_with(log: &Log, progress: impl FnMut(Position)) -> Result<Report, ReadError> {
    check(log, Checkpoint::default(), progress)
}

/// Checks what came after a checkpoint: its records, the link of each stream to what it had before, and that the log's
/// chain at the checkpoint is still the one that was checked. What lies before it is taken as it was found then: a record
/// that was changed there since, with the row that keeps the log's chain left alone, shows only in a full check. So do
/// streams that had no new event, and the indexes of names and of open streams.
///
/// # Errors
/// As [`verify`].
pub fn verify_since(log: &Log, checkpoint: Checkpoint) -> Result<Report, ReadError> {
    verify_since_with(log, checkpoint, |_| {})
}

/// As [`verify_since`], telling `progress` the position that was reached after each page.
///
/// # Errors
/// As [`verify`].
pub fn verify_since_with(
    log: &Log,
    checkpoint: Checkpoint,
    progress: impl FnMut(Position),
) -> Result<Report, ReadError> {
    let mut report = Report { since: checkpoint.position, ..Report::default() };
    checkpoint.check(&**log.store(), &mut report.problems)?;
    if report.is_sound() {
        return check(log, checkpoint, progress);
    }
    (report.position, report.log_hash) = (checkpoint.position, checkpoint.log_hash);
    Ok(report)
}

fn check(log: &Log, from: Checkpoint, mut progress: impl FnMut(Position)) -> Result<Report, ReadError> {
    let store = log.store();
    let end = store.log_head();
    let mut report = Report { since: from.position, position: end.position, ..Report::default() };
    let mut chains = Chains::new(from);
    let mut folded = Folded::new(store.name_secret().clone());
    let mut next = from.position.next();
    while next <= end.position {
        let records = page(&**store, next, &mut report.problems)?;
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
                let recorded = log.open_record(&record)?;
                chains.payload(&recorded, &mut report);
                folded.apply(&recorded);
            }
            next = next.next();
        }
        progress(Position(next.0 - 1));
    }
    report.log_hash = chains.log_hash();
    report.streams = chains.streams();
    chains.check_ends(&**store, end, &mut report)?;
    if from.position == Position(0) {
        folded.check(&**store, end, &mut report)?;
    }
    Ok(report)
}

/// The records from `next` on; none if the one at `next` can't be read, which is among the problems then.
fn page(store: &dyn EventStore, next: Position, problems: &mut Problems) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut read = Ok(Vec::new());
    for records in PAGES {
        read = store.read_all(next, records);
        if read.is_ok() {
            break;
        }
    }
    let (kind, what) = match read {
        Err(ReadError::Missing { place, why }) => (ProblemKind::Missing, format!("missing at {place}: {why}")),
        Err(ReadError::Damaged { place, why }) => {
            (ProblemKind::Unreadable, format!("can't be read: damaged at {place}: {why}"))
        }
        Ok(records) if records.is_empty() => (ProblemKind::Missing, "the record is missing".to_owned()),
        other => return other,
    };
    problems.add(kind, next, None, what);
    Ok(Vec::new())
}
