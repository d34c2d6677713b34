//! Every record read and checked, and the indexes that follow from them. The event ids alone are not kept: they are compared
//! as they come, and read once more when they are written.

use super::{Difference, RepairError};
use crate::{
    Body, EventId, Log, Position, StreamId, Version,
    envelope::{Header, log_chained},
    store::{
        Engine, Head, LogHead, ReadError,
        index::{self, Indexes, has_effect},
    },
};
use std::collections::BTreeMap;

/// Records of one page.
pub(super) const PAGE: usize = 512;

/// The indexes, the ids aside.
pub(super) struct Folded {
    pub indexes: Indexes,
    pub heads: BTreeMap<StreamId, Head>,
    pub greatest_id: EventId,
    pub end: LogHead,
}

/// Reads the whole log.
pub(super) fn fold(
    engine: &dyn Engine,
    payloads: &Log,
    mut progress: impl FnMut(Position),
) -> Result<(Folded, Difference), RepairError> {
    let mut folded = Folded {
        indexes: Indexes::new(payloads.store().name_secret().clone()),
        heads: BTreeMap::new(),
        greatest_id: EventId::default(),
        end: LogHead::default(),
    };
    let mut ids = Difference::default();
    let end = engine.log_head().map_err(|error| records(Position(0), error))?;
    while folded.end.position < end.position {
        for record in page(engine, folded.end.position.next())? {
            let header = folded.take(engine, &record)?;
            ids.of(engine.position_of(header.id), Some(header.position))?;
            if has_effect(&header.kind) {
                let recorded = payloads.open_record(&record)?;
                if let Body::Unreadable(why) = &recorded.body
                    && index::names(&header.kind)
                {
                    let why = why.clone();
                    let (position, kind, stream) = (header.position, header.kind, header.stream);
                    return Err(RepairError::Payload { position, kind, stream, why });
                }
                folded.indexes.apply(&recorded);
            }
        }
        progress(folded.end.position);
    }
    if folded.end != end {
        return Err(damaged(end.position, "the log's own chain does not end as its last append says"));
    }
    Ok((folded, ids))
}

/// The records from `next` on, of which there is one.
pub(super) fn page(engine: &dyn Engine, next: Position) -> Result<Vec<Vec<u8>>, RepairError> {
    // One damaged record spoils a page: alone it is named in its own place.
    match engine.read_all(next, PAGE).or_else(|_| engine.read_all(next, 1)) {
        Ok(page) if page.is_empty() => Err(damaged(next, "the record is missing")),
        read => read.map_err(|error| records(next, error)),
    }
}

impl Folded {
    /// The next record: whole, in its place, and linked in both chains.
    fn take(&mut self, engine: &dyn Engine, record: &[u8]) -> Result<Header, RepairError> {
        let position = self.end.position.next();
        let (header, payload) = Header::parse(record).map_err(|error| damaged(position, &error.to_string()))?;
        let before = self.heads.get(&header.stream);
        let (version, hash) = before.map_or((Version(0), Default::default()), |head| (head.version, head.hash));
        if header.position != position || header.version != version.next() {
            return Err(damaged(position, "another record lies there"));
        }
        if header.prev_hash != hash || header.chained(payload) != header.hash {
            return Err(damaged(position, "the chain of its stream is broken"));
        }
        self.end = LogHead { position, hash: log_chained(self.end.hash, position, header.hash) };
        let stored = engine.log_hash(position).map_err(|error| records(position, error))?;
        if stored.is_some_and(|stored| stored != self.end.hash) {
            return Err(damaged(position, "the log's own chain is broken"));
        }
        self.heads.insert(header.stream, Head { version: header.version, hash: header.hash, key: header.key });
        self.greatest_id = self.greatest_id.max(header.id);
        Ok(header)
    }
}

fn records(position: Position, error: ReadError) -> RepairError {
    if error.is_damage() { damaged(position, &error.to_string()) } else { error.into() }
}

fn damaged(position: Position, why: &str) -> RepairError {
    RepairError::Records { position, why: why.to_owned() }
}
