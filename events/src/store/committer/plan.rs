//! What one group commit will write: checks against the engine and against what the same group wrote before.

use super::{
    before::Before,
    recent::{Known, Recent},
};
use crate::{
    Digest, EventId, Position, Recorded, StreamId, Version,
    envelope::{self, Header, log_chained},
    store::{
        APPEND_BYTES, APPEND_EVENTS, Append, AppendError, Appended, Engine, Head, LogHead, NAME_BYTES, NameKey,
        NameSecret, ReadError, SealedEvent,
        engine::{Batch, Frame},
        index::{OpenEffect, effect_of},
    },
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Streams whose end and open things are kept in memory; beyond them the engine is asked.
const CACHED_STREAMS: usize = 65_536;

/// The group that is being put together, and what is known of the log behind it.
pub(super) struct Plan {
    log: LogHead,
    next: LogHead,
    recent: Recent,
    names: NameSecret,
    /// Ends of streams, the group's own included.
    heads: HashMap<StreamId, Head>,
    /// Numbers of open things, the group's own included.
    open: HashMap<StreamId, u32>,
    group: Group,
}

/// What the group has so far. The maps answer what a scan of the batch would, in one step per event.
#[derive(Default)]
struct Group {
    batch: Batch,
    bytes: usize,
    events: Vec<Arc<Recorded>>,
    ids: HashMap<EventId, Position>,
    heads: HashMap<StreamId, Head>,
    names: HashMap<NameKey, Option<StreamId>>,
    open: HashMap<StreamId, u32>,
    before: Before,
}

/// One append, checked: nothing of it is in the plan yet.
struct Checked {
    head: Option<Head>,
    names: Vec<(NameKey, Option<StreamId>)>,
    open: Option<u32>,
}

impl Plan {
    pub(super) fn new(log: LogHead, greatest_id: EventId, names: NameSecret) -> Self {
        let recent = Recent::new(greatest_id);
        let (heads, open) = (HashMap::new(), HashMap::new());
        Self { log, next: log, recent, names, heads, open, group: Group::default() }
    }

    pub(super) fn appends(&self) -> usize {
        self.group.batch.frames.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.group.bytes
    }

    /// The group as an engine takes it: one row for each index entry that it changes, and what they were before.
    pub(super) fn finish(&mut self) -> (Batch, Before) {
        let group = &mut self.group;
        group.batch.heads = group.heads.drain().collect();
        group.batch.names = group.names.drain().collect();
        group.batch.open = group.open.drain().collect();
        (std::mem::take(&mut group.batch), std::mem::take(&mut group.before))
    }

    /// The group is durable: what to tell those who listen.
    pub(super) fn done(&mut self) -> (LogHead, Vec<Arc<Recorded>>) {
        self.log = self.next;
        if self.heads.len().max(self.open.len()) > CACHED_STREAMS {
            self.heads.clear();
            self.open.clear();
        }
        let group = std::mem::take(&mut self.group);
        self.recent.landed(group.ids);
        (self.log, group.events)
    }

    /// The group was not written: forget it.
    pub(super) fn undo(&mut self) {
        self.next = self.log;
        self.heads.clear();
        self.open.clear();
        self.group = Group::default();
    }

    /// Adds an append to the group, or says why not.
    pub(super) fn add(&mut self, engine: &impl Engine, append: Append) -> Result<Appended, AppendError> {
        if let Some(before) = self.duplicate(engine, &append)? {
            return Ok(before);
        }
        let checked = self.check(engine, &append)?;
        Ok(self.write(append, checked))
    }

    /// Answers an append whose ids are in the log already.
    fn duplicate(&self, engine: &impl Engine, append: &Append) -> Result<Option<Appended>, AppendError> {
        let mut own = HashSet::with_capacity(append.events.len());
        let mut known = Vec::new();
        for event in &append.events {
            let id = event.recorded.id;
            if !own.insert(id) {
                return Err(AppendError::Invalid(format!("it holds the event id {id} twice")));
            }
            let position = match (self.group.ids.get(&id), self.recent.look(id)) {
                (Some(position), _) => Some(*position),
                (None, Known::At(position)) => Some(position),
                (None, Known::Absent) => None,
                (None, Known::Perhaps) => engine.position_of(id).map_err(unavailable)?,
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
        let bytes: usize = append.events.iter().map(|event| event.payload.len()).sum();
        if bytes > APPEND_BYTES {
            return Err(AppendError::Invalid(format!("at most {APPEND_BYTES} bytes of payloads, not {bytes}")));
        }
        let head = self.head(engine, append.stream)?;
        let actual = head.map_or(Version(0), |head| head.version);
        if actual != append.expected {
            return Err(AppendError::Conflict { stream: append.stream, expected: append.expected, actual });
        }
        let mut checked = Checked { head, names: Vec::new(), open: None };
        let mut version = actual;
        for event in &append.events {
            version = version.next();
            in_place(event, append.stream, version)?;
            self.index(engine, &event.recorded, &mut checked)?;
        }
        Ok(checked)
    }

    /// What an event does to the names and to the number of open things.
    fn index(&mut self, engine: &impl Engine, event: &Recorded, checked: &mut Checked) -> Result<(), AppendError> {
        let effect = effect_of(event);
        for name in effect.claims {
            if name.len() > NAME_BYTES {
                return Err(AppendError::Invalid(format!("a name of {} bytes, {NAME_BYTES} at most", name.len())));
            }
            let key = self.names.key(&name);
            match self.owner(engine, &checked.names, key)? {
                Some(owner) if owner != event.stream => return Err(AppendError::NameTaken { name, owner }),
                _ => checked.names.push((key, Some(event.stream))),
            }
        }
        // A name that another session has by now is not this one's to give back.
        for name in effect.frees {
            let name = self.names.key(&name);
            if self.owner(engine, &checked.names, name)? == Some(event.stream) {
                checked.names.push((name, None));
            }
        }
        if effect.open != OpenEffect::Unchanged {
            let count = match checked.open {
                Some(count) => count,
                None => self.open_count(engine, event.stream)?,
            };
            checked.open = Some(effect.open.on(count));
        }
        Ok(())
    }

    fn head(&mut self, engine: &impl Engine, stream: StreamId) -> Result<Option<Head>, AppendError> {
        let head = match self.heads.get(&stream) {
            Some(head) => Some(*head),
            None => engine.head(stream).map_err(unavailable)?,
        };
        if !self.group.heads.contains_key(&stream) {
            self.group.before.heads.insert(stream, head);
        }
        Ok(head)
    }

    fn owner(
        &mut self,
        engine: &impl Engine,
        own: &[(NameKey, Option<StreamId>)],
        name: NameKey,
    ) -> Result<Option<StreamId>, AppendError> {
        let in_append = own.iter().rev().find(|(other, _)| *other == name).map(|(_, owner)| *owner);
        if let Some(owner) = in_append.or_else(|| self.group.names.get(&name).copied()) {
            return Ok(owner);
        }
        let owner = engine.named(name).map_err(unavailable)?;
        self.group.before.names.insert(name, owner);
        Ok(owner)
    }

    fn open_count(&mut self, engine: &impl Engine, stream: StreamId) -> Result<u32, AppendError> {
        let count = match self.open.get(&stream) {
            Some(count) => *count,
            None => engine.open_count(stream).map_err(unavailable)?,
        };
        if !self.group.open.contains_key(&stream) {
            self.group.before.open.insert(stream, count);
        }
        Ok(count)
    }

    fn write(&mut self, append: Append, checked: Checked) -> Appended {
        let first = self.next.position.next();
        let mut head =
            checked.head.unwrap_or(Head { version: Version(0), hash: Digest::default(), key: Default::default() });
        let mut bytes = Vec::new();
        let mut events = Vec::with_capacity(append.events.len());
        for event in append.events {
            let position = self.next.position.next();
            let hash = envelope::write_record(&mut bytes, &event.writer, &event.payload, head.hash, position);
            self.next = LogHead { position, hash: log_chained(self.next.hash, position, hash) };
            let recorded = Recorded { position, hash, ..event.recorded };
            self.group.ids.insert(recorded.id, position);
            self.group.batch.ids.push((recorded.id, position));
            head = Head { version: recorded.version, hash, key: recorded.key };
            events.push(Arc::new(recorded));
        }
        self.group.bytes += bytes.len();
        self.group.batch.frames.push(Frame {
            stream: append.stream,
            version: append.expected.next(),
            position: first,
            count: events.len() as u32,
            bytes,
            log_hash: self.next.hash,
        });
        self.heads.insert(append.stream, head);
        self.group.heads.insert(append.stream, head);
        self.group.names.extend(checked.names);
        if let Some(count) = checked.open {
            self.open.insert(append.stream, count);
            self.group.open.insert(append.stream, count);
        }
        self.group.events.extend(events.iter().cloned());
        Appended { first, last: self.next.position, events, duplicate: false }
    }
}

/// What is stored and what listeners are told must be the same event in the same place.
fn in_place(event: &SealedEvent, stream: StreamId, version: Version) -> Result<(), AppendError> {
    let recorded = &event.recorded;
    if recorded.stream != stream || recorded.version != version {
        return Err(AppendError::Invalid("an event has another stream or version than its place".into()));
    }
    if Header::written_place(&event.writer) != (stream, version, recorded.id) {
        return Err(AppendError::Invalid("an event's header is not the one of the event beside it".into()));
    }
    Ok(())
}

fn unavailable(error: ReadError) -> AppendError {
    AppendError::Unavailable(error.to_string())
}
