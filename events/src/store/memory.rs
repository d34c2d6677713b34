//! An engine in memory, for tests: the same rows, no disk.

use super::{
    Engine, EngineError, Head, LogHead, NameKey, ReadError,
    engine::{Batch, Page, split_frame},
};
use crate::{Digest, EventId, Position, StreamId, Version};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

/// Keeps everything until it and all its clones are dropped; clones share the rows, so one can stand for a reopened log.
#[derive(Clone, Default)]
pub struct MemoryEngine(Arc<RwLock<Rows>>);

#[derive(Default)]
struct Rows {
    /// Position of each record, in order: index 0 is position 1.
    log: Vec<Vec<u8>>,
    hashes: BTreeMap<Position, Digest>,
    streams: HashMap<StreamId, Vec<Position>>,
    ids: BTreeMap<EventId, Position>,
    heads: BTreeMap<StreamId, Head>,
    names: BTreeMap<NameKey, StreamId>,
    open: BTreeMap<StreamId, u32>,
}

impl MemoryEngine {
    fn rows(&self) -> RwLockReadGuard<'_, Rows> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    fn record(&self, position: Position) -> Option<&Vec<u8>> {
        self.log.get(usize::try_from(position.0).ok()?.checked_sub(1)?)
    }
}

fn page<'a>(records: impl Iterator<Item = &'a Vec<u8>>, limit: usize) -> Vec<Vec<u8>> {
    let mut page = Page::new(limit);
    for record in records {
        if !page.add(record.clone()) {
            break;
        }
    }
    page.records
}

impl Engine for MemoryEngine {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn commit(&self, batch: &Batch) -> Result<(), EngineError> {
        let mut rows = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for frame in &batch.frames {
            let records = split_frame(&frame.bytes, frame.count, || "a new frame".into())
                .map_err(|error| EngineError::Refused(error.to_string()))?;
            for record in records {
                rows.log.push(record.to_vec());
                let position = Position(rows.log.len() as u64);
                rows.streams.entry(frame.stream).or_default().push(position);
            }
            let last = Position(rows.log.len() as u64);
            rows.hashes.insert(last, frame.log_hash);
        }
        rows.ids.extend(batch.ids.iter().copied());
        rows.heads.extend(batch.heads.iter().copied());
        for (name, owner) in &batch.names {
            match owner {
                Some(stream) => rows.names.insert(*name, *stream),
                None => rows.names.remove(name),
            };
        }
        for (stream, count) in &batch.open {
            rows.open.insert(*stream, *count);
        }
        rows.open.retain(|_, count| *count > 0);
        Ok(())
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let rows = self.rows();
        let positions = rows.streams.get(&stream).map_or(&[][..], Vec::as_slice);
        let skip = usize::try_from(from.0.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(page(positions.iter().skip(skip).filter_map(|position| rows.record(*position)), limit))
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let rows = self.rows();
        let positions = rows.streams.get(&stream).map_or(&[][..], Vec::as_slice);
        let end = usize::try_from(from.0).unwrap_or(usize::MAX).min(positions.len());
        Ok(page(positions[..end].iter().rev().filter_map(|position| rows.record(*position)), limit))
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let skip = usize::try_from(from.0.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(page(self.rows().log.iter().skip(skip), limit))
    }

    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        Ok(self.rows().heads.get(&stream).copied())
    }

    fn log_head(&self) -> Result<LogHead, ReadError> {
        let last = self.rows().hashes.last_key_value().map(|(position, hash)| (*position, *hash));
        Ok(last.map_or(LogHead::default(), |(position, hash)| LogHead { position, hash }))
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        Ok(self.rows().hashes.get(&position).copied())
    }

    fn named(&self, name: NameKey) -> Result<Option<StreamId>, ReadError> {
        Ok(self.rows().names.get(&name).copied())
    }

    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        let rows = self.rows();
        let range = rows.heads.range((after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded));
        Ok(range.take(limit).map(|(stream, head)| (*stream, *head)).collect())
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        let rows = self.rows();
        let range = rows.names.range((after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded));
        Ok(range.take(limit).map(|(name, stream)| (*name, *stream)).collect())
    }

    fn clear_indexes(&self) -> Result<(), EngineError> {
        let mut rows = self.0.write().unwrap_or_else(PoisonError::into_inner);
        rows.ids.clear();
        rows.heads.clear();
        rows.names.clear();
        rows.open.clear();
        Ok(())
    }

    fn open_streams(&self) -> Result<Vec<(StreamId, u32)>, ReadError> {
        Ok(self.rows().open.iter().map(|(stream, count)| (*stream, *count)).collect())
    }

    fn open_count(&self, stream: StreamId) -> Result<u32, ReadError> {
        Ok(self.rows().open.get(&stream).copied().unwrap_or(0))
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        Ok(self.rows().ids.get(&id).copied())
    }

    fn greatest_id(&self) -> Result<EventId, ReadError> {
        Ok(self.rows().ids.last_key_value().map(|(id, _)| *id).unwrap_or_default())
    }
}
