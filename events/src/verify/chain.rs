//! The two chains: of each stream, and of the log.

use super::{Checkpoint, ProblemKind, Report, trace::Trace};
use crate::{
    Body, Digest, Position, Recorded, StreamId, Version,
    envelope::{Header, log_chained},
    store::{EventStore, ReadError},
};
use std::collections::{HashMap, HashSet};

/// Most streams that are remembered because a record that can't be read names them.
const NAMED: usize = super::PROBLEMS_LISTED;

/// How far each chain has come.
pub(super) struct Chains {
    /// Where the check began.
    since: Position,
    log: Digest,
    /// After a record that could not be read the log's chain is unknown, until a stored hash gives it again.
    pub(super) lost: bool,
    pub(super) traces: HashMap<StreamId, Trace>,
    /// Last position that was skipped: a stream may miss an event there.
    pub(super) skipped: Position,
    /// Streams that records name which can't be read. Not all of them need to exist: the name may be what is damaged.
    pub(super) named: HashSet<StreamId>,
}

impl Chains {
    pub fn new(from: Checkpoint) -> Self {
        Self {
            since: from.position,
            log: from.log_hash,
            lost: false,
            traces: HashMap::new(),
            skipped: Position(0),
            named: HashSet::new(),
        }
    }

    pub fn since(&self) -> Position {
        self.since
    }

    pub fn log_hash(&self) -> Digest {
        self.log
    }

    pub fn streams(&self) -> u64 {
        self.traces.len() as u64
    }

    /// A record that can't be read.
    pub fn skip(&mut self, position: Position) {
        self.lost = true;
        self.skipped = position;
    }

    /// Something is wrong with a stream.
    pub fn problem(
        &mut self,
        kind: ProblemKind,
        position: Position,
        stream: StreamId,
        what: impl Into<String>,
        report: &mut Report,
    ) {
        report.problems.add(kind, position, Some(stream), what);
        if let Some(trace) = self.traces.get_mut(&stream) {
            trace.marked(kind.into(), position);
        }
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
                let stream = Header::place(record).map(|place| place.stream);
                report.problems.add(ProblemKind::Unreadable, position, stream, error.to_string());
                self.named.extend(stream.filter(|_| self.named.len() < NAMED));
                self.skip(position);
                return Ok(false);
            }
        };
        report.events += 1;
        let stream = header.stream;
        self.link(store, &header, report)?;
        if header.position != position {
            let what = format!("the record of position {} lies here", header.position);
            self.problem(ProblemKind::Edited, position, stream, what, report);
        }
        if header.chained(payload) != header.hash {
            self.problem(ProblemKind::Edited, position, stream, "its hash is not the one of its bytes", report);
        }
        self.log(store, &header, report)?;
        let unknown = match store.position_of(header.id) {
            Ok(found) => (found != Some(position)).then(|| "the index of event ids does not know it".to_owned()),
            Err(error) if error.is_damage() => Some(format!("the index of event ids can't be read: {error}")),
            Err(error) => return Err(error),
        };
        if let Some(what) = unknown {
            self.problem(ProblemKind::Index, position, stream, what, report);
        }
        Ok(true)
    }

    /// What the payload of the record that was checked last holds.
    pub fn payload(&mut self, recorded: &Recorded, report: &mut Report) {
        match recorded.body {
            Body::Known(_) => {}
            Body::Unknown { .. } => report.unknown += 1,
            Body::Erased => report.erased += 1,
            Body::Unreadable(_) => report.unreadable += 1,
        }
        if let Some(trace) = self.traces.get_mut(&recorded.stream) {
            trace.payload(recorded);
        }
    }

    /// The link to the event before it in its stream.
    fn link(&mut self, store: &dyn EventStore, header: &Header, report: &mut Report) -> Result<(), ReadError> {
        let mut trace = match self.traces.get(&header.stream) {
            Some(trace) => *trace,
            None => self.before(store, header)?,
        };
        let before = trace;
        trace.goes_on(header.version, header.hash, header.position, &header.kind);
        self.traces.insert(header.stream, trace);
        // A record that could not be read is named already; what it leaves open here is no second problem.
        let excused = header.version > before.version.next() && self.skipped > before.position;
        if excused {
            trace.marked(super::Verdict::Unreadable, self.skipped);
            self.traces.insert(header.stream, trace);
        } else if header.version != before.version.next() {
            let what = format!("version {} follows version {}", header.version, before.version);
            self.problem(ProblemKind::Edited, header.position, header.stream, what, report);
        } else if header.prev_hash != before.hash {
            let what = "the chain of its stream is broken before it";
            self.problem(ProblemKind::Edited, header.position, header.stream, what, report);
        }
        Ok(())
    }

    /// What the stream had before the check began: nothing, or the record before its first new one, read back.
    fn before(&self, store: &dyn EventStore, header: &Header) -> Result<Trace, ReadError> {
        let mut trace = Trace::default();
        if self.since == Position(0) || header.version <= Version(1) {
            return Ok(trace);
        }
        let version = Version(header.version.0 - 1);
        let read = match store.read_stream(header.stream, version, 1) {
            Err(error) if error.is_damage() => Vec::new(),
            read => read?,
        };
        // What is not there, or not whole, is no link: the version that follows then follows nothing.
        if let Some((found, payload)) = read.first().and_then(|record| Header::parse(record).ok())
            && found.position <= self.since
            && found.chained(payload) == found.hash
        {
            trace.goes_on(found.version, found.hash, found.position, &found.kind);
        }
        Ok(trace)
    }

    fn log(&mut self, store: &dyn EventStore, header: &Header, report: &mut Report) -> Result<(), ReadError> {
        self.log = log_chained(self.log, header.position, header.hash);
        let stored = match store.log_hash(header.position) {
            Err(error) if error.is_damage() => {
                let what = format!("the log's own chain can't be read: {error}");
                self.problem(ProblemKind::Unreadable, header.position, header.stream, what, report);
                None
            }
            stored => stored?,
        };
        if let Some(stored) = stored {
            if stored != self.log && !self.lost {
                let what = "the log's own chain is broken at or before it";
                self.problem(ProblemKind::Edited, header.position, header.stream, what, report);
            }
            self.log = stored;
            self.lost = false;
        }
        Ok(())
    }
}
