//! The indexes as a pure function of the events, so that they can always be rebuilt.

use crate::{Event, Recorded};

/// What an event does to the indexes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IndexEffect {
    /// A session name that its stream takes.
    pub claims: Option<String>,
    /// A session name that its stream gives back.
    pub frees: Option<String>,
    /// Change of the number of open things in its stream.
    pub opened: i32,
}

/// What this event does to the indexes.
pub fn effect_of(recorded: &Recorded) -> IndexEffect {
    let mut effect = IndexEffect::default();
    match recorded.event() {
        Some(Event::SessionOpened(event)) => effect.claims = Some(event.name.clone()),
        Some(Event::SessionRenamed(event)) => {
            effect.claims = Some(event.name.clone());
            effect.frees = Some(event.previous.clone()).filter(|previous| *previous != event.name);
        }
        Some(Event::InputQueued(_) | Event::ObligationCreated(_)) => effect.opened = 1,
        Some(
            Event::InputSettled(_) | Event::InputCancelled(_) | Event::ObligationMet(_) | Event::ObligationAbandoned(_),
        ) => effect.opened = -1,
        _ => {}
    }
    effect
}
