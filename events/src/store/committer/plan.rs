//! What one group commit will write: checks against the engine and against what the same group wrote before.

use crate::{
    Digest, EventId, Recorded, StreamId, Version,
    envelope::{self, log_chained},
    store::{
        APPEND_EVENTS, Append, AppendError, Appended, Engine, Head, LogHead, ReadError,
        engine::{Batch, Frame},
        index::effect_of,
    },
};
use std::{collections::HashMap, sync::Arc};

/// Stream heads kept in memory; beyond them the engine is asked.
const CACHED_HEADS: usize = 65_536;

/// The group that is being put together, and what is known of the log behind it.
pub(super) struct Plan {
    log: LogHead,
    next: LogHead,
    greatest_id: EventId,
    heads: HashMap<StreamId, Head>,
    batch: Batch,
    events: Vec<Arc<Recorded>>,
}

/// One append, checked: nothing of it is in the plan yet.
struct Checked {
    head: Option<Head>,
    names: Vec<(String, Option<StreamId>)>,
    opened: i32,
}

impl Plan {
    pub(super) fn new(log: LogHead, greatest_id: EventId) -> Self {
        Self { log, next: log, greatest_id, heads: HashMap::new(), batch: Batch::default(), events: Vec::new() }
    }

    pub(super) fn batch(&self) -> &Batch {
        &self.batch
    }

    pub(super) fn appends(&self) -> usize {
        self.batch.frames.len()
    }

    /// The group is durable: what to tell those who listen.
    pub(super) fn done(&mut self) -> (LogHead, Vec<Arc<Recorded>>) {
        self.log = self.next;
        self.batch = Batch::default();
        if self.heads.len() > CACHED_HEADS {
            self.heads.clear();
        }
        (self.log, std::mem::take(&mut self.events))
    }

    /// The group was not written: forget it.
    pub(super) fn undo(&mut self) {
        self.next = self.log;
        self.heads.clear();
        self.batch = Batch::default();
        self.events.clear();
    }

    /// Adds an append to the group, or says why not.
    pub(super) fn add(&mut self, engine: &impl Engine, append: Append) -> Result<Appended, AppendError> {
        if let Some(before) = self.duplicate(engine, &append)? {
            return Ok(before);
        }
        let checked = self.check(engine, &append)?;
        self.open_count(engine, append.stream, checked.opened)?;
        self.batch.names.extend(checked.names);
        Ok(self.write(append, checked.head))
    }

    /// Answers an append whose ids are in the log already.
    fn duplicate(&self, engine: &impl Engine, append: &Append) -> Result<Option<Appended>, AppendError> {
        let mut known = Vec::new();
        for event in &append.events {
            let id = event.recorded.id;
            let in_group = self.batch.ids.iter().rev().find(|(other, _)| *other == id).map(|(_, position)| *position);
            let position = match in_group {
                None if id > self.greatest_id => None,
                None => engine.position_of(id).map_err(unavailable)?,
                found => found,
            };
            known.extend(position);
        }
        match (known.first(), known.last()) {
            (Some(first), Some(last)) if known.len() == append.events.len() => {
                Ok(Some(Appended { first: *first, last: *last, events: Vec::new(), duplicate: true }))
            }
            (None, None) => Ok(None),
            _ => Err(AppendError::Invalid("some of its event ids are in the log, some are not".into())),
        }
    }

    fn check(&mut self, engine: &impl Engine, append: &Append) -> Result<Checked, AppendError> {
        if append.events.is_empty() || append.events.len() > APPEND_EVENTS {
            return Err(AppendError::Invalid(format!("1 to {APPEND_EVENTS} events, not {}", append.events.len())));
        }
        let head = match self.heads.get(&append.stream) {
            Some(head) => Some(*head),
            None => engine.head(append.stream).map_err(unavailable)?,
        };
        let actual = head.map_or(Version(0), |head| head.version);
        if actual != append.expected {
            return Err(AppendError::Conflict { stream: append.stream, expected: append.expected, actual });
        }
        let mut checked = Checked { head, names: Vec::new(), opened: 0 };
        let mut version = actual;
        for event in &append.events {
            version = version.next();
            let recorded = &event.recorded;
            if recorded.stream != append.stream || recorded.version != version {
                return Err(AppendError::Invalid("an event has another stream or version than its place".into()));
            }
            let effect = effect_of(recorded);
            checked.opened += effect.opened;
            if let Some(name) = effect.claims {
                self.claim(engine, &name, append.stream)?;
                checked.names.push((name, Some(append.stream)));
            }
            checked.names.extend(effect.frees.map(|name| (name, None)));
        }
        Ok(checked)
    }

    fn claim(&self, engine: &impl Engine, name: &str, stream: StreamId) -> Result<(), AppendError> {
        let in_group = self.batch.names.iter().rev().find(|(other, _)| other == name).map(|(_, owner)| *owner);
        let owner = match in_group {
            Some(owner) => owner,
            None => engine.named(name).map_err(unavailable)?,
        };
        match owner {
            Some(owner) if owner != stream => Err(AppendError::NameTaken { name: name.to_owned(), owner }),
            _ => Ok(()),
        }
    }

    fn open_count(&mut self, engine: &impl Engine, stream: StreamId, change: i32) -> Result<(), AppendError> {
        if change == 0 {
            return Ok(());
        }
        let in_group = self.batch.open.iter().rev().find(|(other, _)| *other == stream).map(|(_, count)| *count);
        let count = match in_group {
            Some(count) => count,
            None => engine.open_count(stream).map_err(unavailable)?,
        };
        self.batch.open.push((stream, count.saturating_add_signed(change)));
        Ok(())
    }

    fn write(&mut self, append: Append, head: Option<Head>) -> Appended {
        let first = self.next.position.next();
        let mut hash = head.map_or(Digest::default(), |head| head.hash);
        let mut bytes = Vec::new();
        let mut events = Vec::with_capacity(append.events.len());
        let mut version = append.expected;
        let mut key = Default::default();
        for event in append.events {
            let position = self.next.position.next();
            hash = envelope::write_record(&mut bytes, &event.writer, &event.payload, hash, position);
            self.next = LogHead { position, hash: log_chained(self.next.hash, position, hash) };
            let recorded = Recorded { position, hash, ..event.recorded };
            self.batch.ids.push((recorded.id, position));
            self.greatest_id = self.greatest_id.max(recorded.id);
            version = recorded.version;
            key = recorded.key;
            events.push(Arc::new(recorded));
        }
        let frame = Frame {
            stream: append.stream,
            version: append.expected.next(),
            position: first,
            count: events.len() as u32,
            bytes,
            log_hash: self.next.hash,
        };
        self.batch.frames.push(frame);
        let head = Head { version, hash, key };
        self.heads.insert(append.stream, head);
        self.batch.heads.push((append.stream, head));
        self.events.extend(events.iter().cloned());
        Appended { first, last: self.next.position, events, duplicate: false }
    }
}

fn unavailable(error: ReadError) -> AppendError {
    AppendError::Unavailable(error.to_string())
}
