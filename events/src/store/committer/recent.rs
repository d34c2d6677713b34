//! Where the newest event ids stand, so that the engine is not asked about ids that can't be in it.
//!
//! Ids rise with time, but writers make them side by side and hand them in as they come, so many are a little smaller
//! than the greatest one that was seen.

use crate::{EventId, Position};
use std::collections::BTreeMap;

/// Ids that are kept; far more than the writers can have on their way (the channel and a group).
const KEPT: usize = 16_384;

/// Every id of the log above a floor.
#[derive(Debug)]
pub(super) struct Recent {
    /// What is not greater may be in the log without being here.
    floor: EventId,
    above: BTreeMap<EventId, Position>,
}

/// What is known of an id.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It is in the log.
    At(Position),
    /// It is not.
    Absent,
    /// The engine has to be asked.
    Perhaps,
}

impl Recent {
    /// Of a log whose greatest id this is.
    pub fn new(greatest: EventId) -> Self {
        Self { floor: greatest, above: BTreeMap::new() }
    }

    /// Where an id stands.
    pub fn look(&self, id: EventId) -> Known {
        match self.above.get(&id) {
            Some(position) => Known::At(*position),
            None if id > self.floor => Known::Absent,
            None => Known::Perhaps,
        }
    }

    /// These ids are in the log.
    pub fn landed(&mut self, ids: impl IntoIterator<Item = (EventId, Position)>) {
        self.above.extend(ids);
        while self.above.len() > KEPT
            && let Some((id, _)) = self.above.pop_first()
        {
            self.floor = self.floor.max(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> EventId {
        EventId::from_bytes(number.to_be_bytes())
    }

    #[test]
    fn what_is_not_known_is_asked_for() {
        let mut recent = Recent::new(id(10));
        assert_eq!(recent.look(id(10)), Known::Perhaps);
        assert_eq!(recent.look(id(11)), Known::Absent);
        // One below the floor, as a clock that was set back makes them.
        recent.landed([(id(20), Position(1)), (id(12), Position(2)), (id(7), Position(3))]);
        let known = [7, 8, 11, 12, 13, 20].map(|number| recent.look(id(number)));
        let at = |position| Known::At(Position(position));
        assert_eq!(known, [at(3), Known::Perhaps, Known::Absent, at(2), Known::Absent, at(1)]);
    }

    #[test]
    fn it_stays_small_and_never_calls_absent_what_it_forgot() {
        let mut recent = Recent::new(EventId::default());
        let count = KEPT as u128 + 100;
        recent.landed((1..=count).map(|number| (id(number), Position(number as u64))));
        assert_eq!(recent.above.len(), KEPT);
        assert_eq!([100, 101].map(|number| recent.look(id(number))), [Known::Perhaps, Known::At(Position(101))]);
        assert_eq!(recent.look(id(count + 1)), Known::Absent);
    }
}
