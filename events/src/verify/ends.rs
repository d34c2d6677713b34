//! The streams as the index of heads has them: what is missing at the end of a stream, and which stream is missing.

use super::{ProblemKind, Report, STREAMS_LISTED, StreamVerdict, Verdict, chain::Chains, trace::Trace};
use crate::{
    Position, StreamId, Version,
    envelope::Header,
    store::{EventStore, Head, LogHead, ReadError},
};
use std::collections::HashSet;

const PAGE: usize = 512;

/// What follows the last record that was seen of a stream.
enum Next {
    /// A record that was written behind the end of this check.
    Later,
    /// A record that lies within this check, but could not be read in its place: it is named already.
    Skipped,
    /// There is a record, or a part of one, but it can't be read.
    Damaged,
    /// Nothing.
    Gone,
}

impl Chains {
    /// The end of the log and of every stream, and the verdicts.
    pub fn check_ends(mut self, store: &dyn EventStore, end: LogHead, report: &mut Report) -> Result<(), ReadError> {
        if self.log_hash() != end.hash && !self.lost {
            let what = "the end of the log's own chain is not the one that the log says";
            report.problems.add(ProblemKind::Edited, end.position, None, what);
        }
        let mut missing = Vec::new();
        match self.heads(store, end, &mut missing, report) {
            Err(error) if error.is_damage() => {
                let what = format!("the index of heads can't be read: {error}");
                report.problems.add(ProblemKind::Index, end.position, None, what);
            }
            checked => checked?,
        }
        let of_traces = self.traces.iter().map(|(stream, trace)| trace.verdict(*stream));
        judge(of_traces.chain(missing), report);
        Ok(())
    }

    /// Goes through the index of heads. A stream that it does not know is a problem of the index.
    fn heads(
        &mut self,
        store: &dyn EventStore,
        end: LogHead,
        missing: &mut Vec<StreamVerdict>,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        let mut unseen: HashSet<StreamId> = self.traces.keys().copied().collect();
        let mut after = None;
        loop {
            let page = store.streams(after, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            after = Some(*last);
            for (stream, head) in page {
                unseen.remove(&stream);
                match self.traces.get(&stream).copied() {
                    Some(trace) => self.end(store, stream, head, &trace, end, report)?,
                    // Its records lie before the checkpoint.
                    None if self.since() > Position(0) => {}
                    None => missing.extend(self.no_record(store, stream, end, report)?),
                }
            }
        }
        let mut unseen: Vec<_> = unseen.into_iter().map(|stream| (self.traces[&stream].position, stream)).collect();
        unseen.sort();
        for (position, stream) in unseen {
            let what = "the index of heads does not know its stream";
            self.problem(ProblemKind::Index, position, stream, what, report);
        }
        Ok(())
    }

    /// A head, and the last record that was seen of its stream.
    fn end(
        &mut self,
        store: &dyn EventStore,
        stream: StreamId,
        head: Head,
        last: &Trace,
        end: LogHead,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        let (kind, what) = if head.version < last.version {
            (ProblemKind::Index, format!("the head is at version {}, the log at {}", head.version, last.version))
        } else if head.version == last.version {
            if head.hash == last.hash {
                return Ok(());
            }
            (ProblemKind::Edited, format!("the head names another event as version {}", head.version))
        } else {
            match next(store, stream, last.version.next(), end)? {
                Next::Later => return Ok(()),
                Next::Skipped | Next::Damaged if self.skipped > last.position || self.named.contains(&stream) => {
                    // Named already, where the record could not be read.
                    let skipped = self.skipped;
                    self.traces.entry(stream).and_modify(|trace| trace.marked(Verdict::Unreadable, skipped));
                    return Ok(());
                }
                Next::Skipped | Next::Damaged | Next::Gone => {
                    let what = format!("the head is at version {}, the log at {}", head.version, last.version);
                    (ProblemKind::MissingTail, what)
                }
            }
        };
        self.problem(kind, last.position, stream, what, report);
        Ok(())
    }

    /// A head, and no record was seen: the stream is missing, or new, or its records are those that can't be read.
    fn no_record(
        &self,
        store: &dyn EventStore,
        stream: StreamId,
        end: LogHead,
        report: &mut Report,
    ) -> Result<Option<StreamVerdict>, ReadError> {
        let next = next(store, stream, Version(1), end)?;
        let named = self.skipped > Position(0) || self.named.contains(&stream);
        let (verdict, position) = match next {
            Next::Later => return Ok(None),
            Next::Skipped | Next::Damaged if named => (Verdict::Unreadable, self.skipped),
            Next::Skipped | Next::Damaged | Next::Gone => {
                let what = "the index of heads knows the stream, but none of its events is there";
                report.problems.add(ProblemKind::MissingStream, end.position, Some(stream), what);
                (Verdict::MissingStream, end.position)
            }
        };
        Ok(Some(StreamVerdict { stream, verdict, version: Version(0), position }))
    }
}

/// What lies at `version` of a stream.
fn next(store: &dyn EventStore, stream: StreamId, version: Version, end: LogHead) -> Result<Next, ReadError> {
    let read = match store.read_stream(stream, version, 1) {
        Err(ReadError::Missing { .. }) => return Ok(Next::Gone),
        Err(error) if error.is_damage() => return Ok(Next::Damaged),
        read => read?,
    };
    Ok(match read.first().map(|record| Header::place(record)) {
        None => Next::Gone,
        Some(Some(place)) if place.position > end.position => Next::Later,
        Some(_) => Next::Skipped,
    })
}

/// Counts the verdicts and lists the streams that are not intact, the worst first.
fn judge(verdicts: impl Iterator<Item = StreamVerdict>, report: &mut Report) {
    let mut listed = Vec::new();
    for verdict in verdicts {
        report.verdicts.count(verdict.verdict);
        if verdict.verdict != Verdict::Intact {
            listed.push(verdict);
        }
    }
    listed.sort_by_key(|it| (std::cmp::Reverse(it.verdict), it.position, it.stream));
    report.more_not_intact = listed.len().saturating_sub(STREAMS_LISTED) as u64;
    listed.truncate(STREAMS_LISTED);
    report.not_intact = listed;
}
