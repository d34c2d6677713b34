//! The indexes of names and of open streams, folded from the events and compared with the store's.

use super::{ProblemKind, Report};
use crate::{
    Body, Event, Recorded, StreamId,
    store::{EventStore, LogHead, NameSecret, ReadError, index::Indexes},
};
use std::collections::HashSet;

const PAGE: usize = 512;

/// What the payloads say.
pub(super) struct Folded {
    indexes: Indexes,
    /// Streams whose key is gone and whose erasure is not finished: nobody can say what their rows should be.
    half_erased: HashSet<StreamId>,
}

impl Folded {
    pub fn new(secret: NameSecret) -> Self {
        Self { indexes: Indexes::new(secret), half_erased: HashSet::new() }
    }

    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.body {
            Body::Known(Event::SessionErased(_)) => drop(self.half_erased.remove(&recorded.stream)),
            Body::Erased => drop(self.half_erased.insert(recorded.stream)),
            Body::Known(_) | Body::Unknown { .. } | Body::Unreadable(_) => {}
        }
        self.indexes.apply(recorded);
    }

    /// Compares, but for the rows of half-erased streams. A difference says something only where every payload was read
    /// or erased and nothing was written meanwhile; an index that can't be read is named always.
    pub fn check(&self, store: &dyn EventStore, end: LogHead, report: &mut Report) -> Result<(), ReadError> {
        let all_read = report.unreadable + report.unknown == 0 && report.is_sound();
        let same = [("names", self.same_names(store)), ("open streams", self.same_open(store))];
        let still = store.log_head() == end;
        for (index, same) in same {
            let what = match same {
                Ok(false) if all_read && still => format!("the index of {index} does not fit the events"),
                Err(error) if error.is_damage() => format!("the index of {index} can't be read: {error}"),
                Err(error) => return Err(error),
                Ok(_) => continue,
            };
            report.problems.add(ProblemKind::Index, end.position, None, what);
        }
        Ok(())
    }

    fn same_names(&self, store: &dyn EventStore) -> Result<bool, ReadError> {
        let mut folded = self.indexes.names().filter(|(_, stream)| self.known(stream));
        let mut after = None;
        loop {
            let page = store.names(after, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(folded.next().is_none()) };
            after = Some(*last);
            let mut rows = page.iter().filter(|(_, stream)| self.known(stream));
            if !rows.all(|row| folded.next().as_ref() == Some(row)) {
                return Ok(false);
            }
        }
    }

    fn same_open(&self, store: &dyn EventStore) -> Result<bool, ReadError> {
        let mut open = store.open_streams()?;
        open.retain(|stream| self.known(stream));
        open.sort();
        Ok(self.indexes.open().map(|(stream, _)| stream).filter(|stream| self.known(stream)).eq(open))
    }

    fn known(&self, stream: &StreamId) -> bool {
        !self.half_erased.contains(stream)
    }
}
