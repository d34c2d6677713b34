//! An event as readers get it: what its header says, and what its payload holds.

use crate::{
    CorrelationId, Digest, Epoch, Event, EventId, Position, PrincipalId, SharedText, StreamId, Timestamp, Version,
    keys::KeyId,
};
use std::sync::Arc;

/// One event of the log.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Place in the whole log.
    pub position: Position,
    /// Stream that it belongs to.
    pub stream: StreamId,
    /// Number in the stream.
    pub version: Version,
    /// Identity.
    pub id: EventId,
    /// When; for people, never for order.
    pub recorded_at: Timestamp,
    /// Host run that wrote it.
    pub epoch: Epoch,
    /// Turn or command.
    pub correlation: CorrelationId,
    /// Event that led to it; none if nothing did.
    pub causation: EventId,
    /// Who caused it.
    pub principal: PrincipalId,
    /// Dotted event type, also of an event that this build does not know.
    pub kind: String,
    /// Schema version.
    pub schema: u16,
    /// Key that seals the stream.
    pub key: KeyId,
    /// Hash of the event.
    pub hash: Digest,
    /// The payload.
    pub body: Body,
    /// The shared texts that the payload names, in the order of [`Event::shared_texts`].
    pub shared: Vec<Arc<str>>,
}

/// What became of a payload when it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// An event of this build.
    Known(Event),
    /// A type or version of another build: kept, shown and skipped.
    Unknown {
        /// Length of the payload in bytes.
        length: usize,
    },
    /// Erased on purpose: its key was destroyed.
    Erased,
    /// Not readable, with the reason; the position names it.
    Unreadable(String),
}

impl Recorded {
    /// The event, if this build could read it.
    pub fn event(&self) -> Option<&Event> {
        match &self.body {
            Body::Known(event) => Some(event),
            _ => None,
        }
    }
}

impl Event {
    /// The shared texts that this event names.
    pub fn shared_texts(&self) -> Vec<SharedText> {
        match self {
            Event::PromptBuilt(event) => vec![event.stable],
            Event::ToolsetFrozen(event) => vec![event.schemas],
            _ => Vec::new(),
        }
    }
}
