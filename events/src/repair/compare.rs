//! What an engine's indexes have, against what follows from the records.

use super::fold::Folded;
use crate::{
    EventId, Position, StreamId,
    store::{Engine, NameKey, ReadError},
};
use serde::Serialize;
use std::collections::BTreeMap;

const PAGE: usize = 512;

/// How one index differs from the records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Rows that should be there and are not.
    pub missing: u64,
    /// Rows with another value.
    pub wrong: u64,
    /// Rows that should not be there. Of the event ids only one that is greater than all others is noticed, and in SQLite
    /// no row that the others do not name: a forced repair removes those too.
    pub extra: u64,
    /// Why rows could not be read at all, if some could not; the first reason.
    pub unreadable: Option<String>,
}

impl Difference {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        self.missing + self.wrong + self.extra > 0 || self.unreadable.is_some()
    }

    /// A row that was found, against the one that should be there.
    pub(super) fn of<V: PartialEq>(
        &mut self,
        found: Result<Option<V>, ReadError>,
        right: Option<V>,
    ) -> Result<(), ReadError> {
        match (found, right) {
            (Err(error), _) if error.is_damage() => drop(self.unreadable.get_or_insert_with(|| error.to_string())),
            (Err(error), _) => return Err(error),
            (Ok(None), Some(_)) => self.missing += 1,
            (Ok(Some(_)), None) => self.extra += 1,
            (Ok(found), right) if found != right => self.wrong += 1,
            (Ok(_), _) => {}
        }
        Ok(())
    }
}

/// How the indexes differ from the records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// Event ids.
    pub ids: Difference,
    /// Ends of streams.
    pub heads: Difference,
    /// Session names.
    pub names: Difference,
    /// Streams with something open.
    pub open: Difference,
    /// Both the ids and the heads know of events behind the last record.
    #[serde(skip)]
    pub(super) lost_end: bool,
}

impl Differences {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        [&self.ids, &self.heads, &self.names, &self.open].iter().any(|index| index.any())
    }
}

/// Compares. `ids` were compared while the records were read.
pub(super) fn compare(engine: &dyn Engine, folded: &Folded, ids: Difference) -> Result<Differences, ReadError> {
    let mut found = Differences { ids, ..Differences::default() };
    let greatest = engine.greatest_id();
    let behind = match &greatest {
        Ok(id) => engine.position_of(*id).is_ok_and(|position| position > Some(folded.end.position)),
        Err(_) => false,
    };
    found.ids.of(greatest.map(|id| Some(id).filter(|id| *id > folded.greatest_id)), None::<EventId>)?;

    let mut beyond = false;
    let heads = pages(|after| engine.streams(after, PAGE));
    if let Ok(heads) = &heads {
        let ends_at = |stream| folded.heads.get(stream).map(|head| head.version);
        beyond = heads.iter().any(|(stream, head)| ends_at(stream) < Some(head.version));
    }
    rows(&mut found.heads, heads, folded.heads.iter().map(|(stream, head)| (*stream, *head)))?;
    rows(&mut found.names, pages(|after| engine.names(after, PAGE)), folded.indexes.names())?;
    let open = engine.open_streams().map(|open| open.into_iter().collect());
    rows(&mut found.open, open, folded.indexes.open())?;
    edges(engine, &mut found)?;
    found.lost_end = behind && beyond && folded.end.position > Position(0);
    Ok(found)
}

/// Asks each index for what lies before its first row and behind its last: an engine that proves that something is not there
/// needs rows for that too, which no look-up of an existing key touches.
fn edges(engine: &dyn Engine, found: &mut Differences) -> Result<(), ReadError> {
    for edge in [0, 0xff] {
        let (id, stream, name) =
            (EventId::from_bytes([edge; 16]), StreamId::from_bytes([edge; 16]), NameKey([edge; 32]));
        // A row that is there is counted elsewhere.
        found.ids.of::<()>(engine.position_of(id).map(|_| None), None)?;
        found.heads.of::<()>(engine.head(stream).map(|_| None), None)?;
        found.names.of::<()>(engine.named(name).map(|_| None), None)?;
        found.open.of::<()>(engine.open_count(stream).map(|_| None), None)?;
    }
    Ok(())
}

/// All rows of an index that is read in pages.
fn pages<K: Ord + Copy, V>(
    page: impl Fn(Option<K>) -> Result<Vec<(K, V)>, ReadError>,
) -> Result<BTreeMap<K, V>, ReadError> {
    let mut rows = BTreeMap::new();
    loop {
        let page = page(rows.last_key_value().map(|(key, _)| *key))?;
        if page.is_empty() {
            return Ok(rows);
        }
        rows.extend(page);
    }
}

fn rows<K: Ord, V: PartialEq>(
    difference: &mut Difference,
    found: Result<BTreeMap<K, V>, ReadError>,
    right: impl Iterator<Item = (K, V)>,
) -> Result<(), ReadError> {
    let mut found = match found {
        Ok(found) => found,
        Err(error) => return difference.of::<V>(Err(error), None),
    };
    for (key, value) in right {
        difference.of(Ok(found.remove(&key)), Some(value))?;
    }
    difference.extra += found.len() as u64;
    Ok(())
}
