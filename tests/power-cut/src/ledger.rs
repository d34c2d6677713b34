//! What was acknowledged, and the check that a log holds all of it, once, whole and readable.

use crate::{
    random,
    writer::{Written, append, block_on, drafts},
};
use dispatch_events::{
    Body, CorrelationId, Digest, Event, EventId, Log, Position, Recorded, StreamId, catalogue::memory::MemoryRecalled,
    keys::KeyId, verify::verify,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Events of one page of the check.
const PAGE: usize = 100;

/// Everything that was acknowledged, by position.
#[derive(Clone, Debug, Default)]
pub struct Ledger(BTreeMap<Position, Written>);

/// What a check saw of the whole log.
#[derive(Default)]
struct Seen {
    ids: HashSet<EventId>,
    /// How many of an append's events are there, of how many.
    appends: HashMap<CorrelationId, (usize, usize)>,
    keys: HashMap<KeyId, StreamId>,
}

impl Ledger {
    /// How many events.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was acknowledged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes down what was acknowledged.
    ///
    /// # Errors
    /// A position was given twice.
    pub fn add(&mut self, written: impl IntoIterator<Item = Written>) -> Result<(), String> {
        for event in written {
            let position = event.position;
            if let Some(other) = self.0.insert(position, event) {
                return Err(format!("position {position} was given to two events; one was {}", other.id));
            }
        }
        Ok(())
    }

    /// Checks that every acknowledged event is in `log`, byte for byte; that no event is there twice and no append in
    /// part; that positions are contiguous, no two streams share a key, every payload opens, and the chains hold.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self, log: &Log) -> Result<(), String> {
        let report = verify(log).map_err(|error| error.to_string())?;
        if !report.is_sound() || (report.unreadable, report.unknown, report.erased) != (0, 0, 0) {
            return Err(format!("the log does not verify: {report:?}"));
        }
        let mut left = self.0.clone();
        let mut seen = Seen::default();
        let mut next = Position(1);
        loop {
            let page = log.read_all(next, PAGE).map_err(|error| error.to_string())?;
            if page.is_empty() {
                break;
            }
            for recorded in page {
                if recorded.position != next {
                    return Err(format!("position {next} holds position {}", recorded.position));
                }
                let digest = seen.take(&recorded)?;
                if let Some(written) = left.remove(&next) {
                    let (place, id) = ((recorded.stream, recorded.version), recorded.id);
                    if ((written.stream, written.version), written.id, written.text) != (place, id, digest) {
                        return Err(format!("position {next} is not what was acknowledged: {written:?}"));
                    }
                }
                next = next.next();
            }
        }
        if let Some((position, _)) = left.first_key_value() {
            return Err(format!("{} acknowledged events are lost, position {position} first", left.len()));
        }
        if report.position.next() != next {
            return Err(format!("reading ends before {next}, the log at {}", report.position));
        }
        seen.all_whole()
    }

    /// Appends to a stream that is there and to a new one, small and large, and reads both back.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn go_on(&mut self, log: &Log) -> Result<(), String> {
        let words = |error: &dyn std::error::Error| format!("the next append: {error}");
        let mut tips = vec![log.new_tip(StreamId::fresh()).map_err(|error| words(&error))?];
        if let Some((_, old)) = self.0.iter().nth(random() as usize % self.0.len().max(1)) {
            tips.extend(log.tip(old.stream).map_err(|error| words(&error))?);
        }
        for tip in tips {
            let mut sizes = [10, 700_000].into_iter();
            let drafts = drafts(2, || sizes.next().unwrap_or_default());
            let (_, written) = block_on(append(log, tip, drafts)).map_err(|error| words(&error))?;
            let read = log.read_stream(tip.stream, tip.version.next(), 2).map_err(|error| words(&error))?;
            if read.iter().map(|event| event.id).ne(written.iter().map(|event| event.id)) {
                return Err("the next append can't be read back".to_owned());
            }
            self.add(written)?;
        }
        Ok(())
    }
}

impl Seen {
    /// The digest of an event's text.
    fn take(&mut self, recorded: &Recorded) -> Result<Digest, String> {
        if !self.ids.insert(recorded.id) {
            return Err(format!("event {} is there twice", recorded.id));
        }
        if *self.keys.entry(recorded.key).or_insert(recorded.stream) != recorded.stream {
            return Err(format!("key {} seals two streams", recorded.key));
        }
        let Body::Known(Event::MemoryRecalled(MemoryRecalled { block, .. })) = &recorded.body else {
            return Err(format!("position {} holds {:?}", recorded.position, recorded.body));
        };
        let place = block.split_once(' ').and_then(|(place, _)| place.split_once('/'));
        let place = place.and_then(|(index, count)| Some((index.parse::<usize>().ok()?, count.parse().ok()?)));
        let (index, count) = place.ok_or_else(|| format!("position {} is not a writer's", recorded.position))?;
        let (there, _) = self.appends.entry(recorded.correlation).or_insert((0, count));
        if *there != index {
            return Err(format!("position {} is event {index} of an append, where {there} was due", recorded.position));
        }
        *there += 1;
        Ok(Digest::of(block.as_bytes()))
    }

    fn all_whole(&self) -> Result<(), String> {
        match self.appends.values().find(|(there, count)| there != count) {
            Some((there, count)) => Err(format!("an append of {count} events is there with {there}")),
            None => Ok(()),
        }
    }
}
