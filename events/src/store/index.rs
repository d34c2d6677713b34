//! The indexes as a pure function of the events, so that they can always be rebuilt.

use super::{NameKey, NameSecret};
use crate::{Body, Event, Recorded, StreamId};
use std::collections::BTreeMap;

/// What an event does to the indexes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IndexEffect {
    /// Names that its stream takes: the session's own, and the one of its routing key.
    pub claims: Vec<String>,
    /// Names that its stream gives back.
    pub frees: Vec<String>,
    /// What becomes of the number of open things in its stream.
    pub open: OpenEffect,
}

/// A change of the number of open things in a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenEffect {
    /// None.
    #[default]
    Unchanged,
    /// One more.
    Opens,
    /// One fewer.
    Closes,
    /// Nothing is open any more: what was, can't be read.
    ClosesAll,
    /// An erasure is to be finished, and is open until then, whatever else is.
    Erasing,
}

impl OpenEffect {
    /// The count after it. One close too many is no debt.
    pub fn on(self, count: u32) -> u32 {
        match self {
            Self::Unchanged => count,
            Self::Opens => count.saturating_add(1),
            Self::Closes => count.saturating_sub(1),
            Self::ClosesAll => 0,
            Self::Erasing => count.max(1),
        }
    }
}

/// What this event does to the indexes.
pub fn effect_of(recorded: &Recorded) -> IndexEffect {
    let open = match recorded.body {
        Body::Known(_) | Body::Unreadable(_) => open_of(&recorded.kind),
        Body::Erased => open_of_erased(&recorded.kind),
        Body::Unknown { .. } => OpenEffect::Unchanged,
    };
    let mut effect = IndexEffect { open, ..IndexEffect::default() };
    match recorded.event() {
        Some(Event::SessionOpened(event)) => effect.claims = all_names(&event.name, event.route.as_deref()),
        Some(Event::SessionRenamed(event)) => {
            effect.claims.push(event.name.clone());
            effect.frees.extend(Some(event.previous.clone()).filter(|previous| *previous != event.name));
        }
        Some(Event::SessionEraseRequested(event)) => effect.frees = all_names(&event.name, event.route.as_deref()),
        _ => {}
    }
    effect
}

/// The name under which the index holds the session of a routing key. No session's own name is like it: those hold no
/// control characters.
pub fn route_name(route: &str) -> String {
    format!("\0route\0{route}")
}

fn all_names(name: &str, route: Option<&str>) -> Vec<String> {
    [name.to_owned()].into_iter().chain(route.map(route_name)).collect()
}

/// Whether events of this type can change the indexes, which is known without their keys. The types of another build
/// that begin like these are counted in: what they do is not known.
pub fn concerns(kind: &str) -> bool {
    let noun = kind.split_once('.').map_or(kind, |(noun, _)| noun);
    matches!(noun, "session" | "input" | "obligation")
}

/// Whether what events of this type do to the names stands in their payloads alone. What they open and close follows from
/// the type.
pub fn names(kind: &str) -> bool {
    matches!(kind, "session.opened" | "session.renamed" | "session.erase_requested")
}

/// What an event does to the number of open things; it is known without its key.
fn open_of(kind: &str) -> OpenEffect {
    match kind {
        "session.erase_requested" | "input.queued" | "obligation.created" => OpenEffect::Opens,
        "input.settled" | "input.cancelled" | "obligation.met" | "obligation.abandoned" => OpenEffect::Closes,
        "session.erased" => OpenEffect::ClosesAll,
        _ => OpenEffect::Unchanged,
    }
}

/// What an event did whose payload was erased since. The stream is open until the erasure is done, also where the request
/// for it is not there: a restore destroys keys again that were destroyed after the backup. Names that the stream had are
/// free, and what else was open is closed with it.
fn open_of_erased(kind: &str) -> OpenEffect {
    match kind {
        "session.opened" | "session.erase_requested" => OpenEffect::Erasing,
        "session.erased" => OpenEffect::ClosesAll,
        _ => OpenEffect::Unchanged,
    }
}

/// Whether events of this type can have an effect. The payloads of others need not be opened to know that they have none.
pub fn has_effect(kind: &str) -> bool {
    matches!(
        kind,
        "session.opened"
            | "session.renamed"
            | "session.erase_requested"
            | "session.erased"
            | "input.queued"
            | "input.settled"
            | "input.cancelled"
            | "obligation.created"
            | "obligation.met"
            | "obligation.abandoned"
    )
}

/// The indexes of names and open things, folded from the events of a whole log, in order.
#[derive(Debug)]
pub struct Indexes {
    secret: NameSecret,
    names: BTreeMap<NameKey, StreamId>,
    open: BTreeMap<StreamId, u32>,
}

impl Indexes {
    /// Of an empty log.
    pub fn new(secret: NameSecret) -> Self {
        Self { secret, names: BTreeMap::new(), open: BTreeMap::new() }
    }

    /// Takes the next event.
    pub fn apply(&mut self, recorded: &Recorded) {
        let effect = effect_of(recorded);
        for name in &effect.claims {
            self.names.insert(self.secret.key(name), recorded.stream);
        }
        for name in &effect.frees {
            self.free(self.secret.key(name), recorded.stream);
        }
        if effect.open != OpenEffect::Unchanged {
            let count = self.open.entry(recorded.stream).or_default();
            *count = effect.open.on(*count);
            if *count == 0 {
                self.open.remove(&recorded.stream);
            }
        }
    }

    /// A name that another session has by now is not this one's to give back.
    fn free(&mut self, name: NameKey, stream: StreamId) {
        if self.names.get(&name) == Some(&stream) {
            self.names.remove(&name);
        }
    }

    /// The stream that has a name.
    pub fn named(&self, name: NameKey) -> Option<StreamId> {
        self.names.get(&name).copied()
    }

    /// The names, in the order of their keys.
    pub fn names(&self) -> impl Iterator<Item = (NameKey, StreamId)> {
        self.names.iter().map(|(name, stream)| (*name, *stream))
    }

    /// The streams with something open, in order, and how much.
    pub fn open(&self) -> impl Iterator<Item = (StreamId, u32)> {
        self.open.iter().map(|(stream, count)| (*stream, *count))
    }
}
