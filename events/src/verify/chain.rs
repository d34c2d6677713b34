//! The two chains: of each stream, and of the log.

use super::Report;
use crate::{
    Digest, Position, StreamId, Version,
    envelope::{Header, log_chained},
    store::{EventStore, LogHead, ReadError},
};
use std::collections::HashMap;

/// How far each chain has come.
#[derive(Default)]
pub(super) struct Chains {
    log: Digest,
    /// After a record that could not be read the log's chain is unknown, until a stored hash gives it again.
    lost: bool,
    ends: HashMap<StreamId, End>,
    /// Last position that was skipped: a stream may miss an event there.
    skipped: Position,
}

#[derive(Clone, Copy)]
struct End {
    version: Version,
    hash: Digest,
    position: Position,
}

impl Chains {
    pub fn log_hash(&self) -> Digest {
        self.log
    }

    pub fn streams(&self) -> u64 {
        self.ends.len() as u64
    }

    /// A record that can't be read.
    pub fn skip(&mut self, position: Position) {
        self.lost = true;
        self.skipped = position;
    }

    /// Checks the record that lies at `position`; true if it is whole.
    pub fn check(
        &mut self,
        store: &dyn EventStore,
        position: Position,
        record: &[u8],
        report: &mut Report,
    ) -> Result<bool, ReadError> {
        let (header, payload) = match Header::parse(record) {
            Ok(parsed) => parsed,
            Err(error) => {
                report.add(position, Header::place(record).map(|place| place.stream), error.to_string());
                self.skip(position);
                return Ok(false);
            }
        };
        report.events += 1;
        let stream = Some(header.stream);
        if header.position != position {
            report.add(position, stream, format!("the record of position {} lies here", header.position));
        }
        if header.chained(payload) != header.hash {
            report.add(position, stream, "its hash is not the one of its bytes");
        }
        self.link(&header, report);
        self.log(store, &header, report)?;
        if store.position_of(header.id)? != Some(position) {
            report.add(position, stream, "the index of event ids does not know it");
        }
        Ok(true)
    }

    /// The link to the event before it in its stream.
    fn link(&mut self, header: &Header, report: &mut Report) {
        let before = self.ends.get(&header.stream).copied();
        let (version, hash, since) =
            before.map_or((Version(0), Digest::default(), Position(0)), |end| (end.version, end.hash, end.position));
        // A record that could not be read is named already; what it leaves open here is no second problem.
        let excused = header.version > version.next() && self.skipped > since;
        if header.version != version.next() && !excused {
            let what = format!("version {} follows version {version}", header.version);
            report.add(header.position, Some(header.stream), what);
        } else if header.prev_hash != hash && !excused {
            report.add(header.position, Some(header.stream), "the chain of its stream is broken before it");
        }
        let end = End { version: header.version, hash: header.hash, position: header.position };
        self.ends.insert(header.stream, end);
    }

    fn log(&mut self, store: &dyn EventStore, header: &Header, report: &mut Report) -> Result<(), ReadError> {
        self.log = log_chained(self.log, header.position, header.hash);
        if let Some(stored) = store.log_hash(header.position)? {
            if stored != self.log && !self.lost {
                report.add(header.position, Some(header.stream), "the log's own chain is broken at or before it");
            }
            self.log = stored;
            self.lost = false;
        }
        Ok(())
    }

    /// The end of the log and of every stream.
    pub fn check_ends(&self, store: &dyn EventStore, end: LogHead, report: &mut Report) -> Result<(), ReadError> {
        if self.log != end.hash && !self.lost {
            report.add(end.position, None, "the end of the log's own chain is not the one that the log says");
        }
        let mut ends: Vec<_> = self.ends.iter().collect();
        ends.sort_by_key(|(_, end)| end.position);
        for (stream, last) in ends {
            let head = match store.head(*stream) {
                Err(ReadError::Damaged { why, .. }) => {
                    report.add(last.position, Some(*stream), format!("its head can't be read: {why}"));
                    continue;
                }
                head => head?,
            };
            let Some(head) = head else {
                report.add(last.position, Some(*stream), "the index of heads does not know its stream");
                continue;
            };
            let same = (head.version, head.hash) == (last.version, last.hash);
            let fits = same || (head.version > last.version && self.goes_on(store, *stream, last, end)?);
            if !fits {
                let what = format!("the head is at version {}, the log at {}", head.version, last.version);
                report.add(last.position, Some(*stream), what);
            }
        }
        Ok(())
    }

    /// Whether the stream's next event was written behind the end of this check, or is one that could not be read.
    fn goes_on(&self, store: &dyn EventStore, stream: StreamId, last: &End, end: LogHead) -> Result<bool, ReadError> {
        if self.skipped > last.position {
            return Ok(true);
        }
        let next = match store.read_stream(stream, last.version.next(), 1) {
            Err(ReadError::Damaged { .. }) => return Ok(false),
            next => next?,
        };
        Ok(next.first().and_then(|record| Header::place(record)).is_some_and(|place| place.position > end.position))
    }
}
