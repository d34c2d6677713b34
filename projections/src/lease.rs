//! Who may run a turn.

use dispatch_events::{Epoch, Event, Generation, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// The right to run a turn, as the log tells it. The stream's version is the fence; this is for people and for
/// takeover.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lease {
    /// The holder, while there is one.
    pub held: Option<Held>,
    /// The last generation that was handed out.
    pub generation: Generation,
    /// Why the last holder lost it, if it did.
    pub lost: Option<String>,
}

/// A lease in force.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Held {
    /// Host run that holds it.
    pub holder: Epoch,
    /// Turn attempt that it is for.
    pub generation: Generation,
    /// When it was taken.
    pub acquired_at: Timestamp,
    /// When it was last renewed.
    pub renewed_at: Timestamp,
    /// Its life without renewal, in milliseconds.
    pub ttl_ms: u64,
}

impl Lease {
    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::LeaseAcquired(event)) => {
                self.generation = self.generation.max(event.generation);
                self.lost = None;
                self.held = Some(Held {
                    holder: event.holder,
                    generation: event.generation,
                    acquired_at: recorded.recorded_at,
                    renewed_at: recorded.recorded_at,
                    ttl_ms: event.ttl_ms,
                });
            }
            Some(Event::LeaseRenewed(event)) => {
                if let Some(held) = self.held.as_mut().filter(|held| held.generation == event.generation) {
                    held.renewed_at = recorded.recorded_at;
                }
            }
            // A word about an older attempt takes nothing from the one that holds it now.
            Some(Event::LeaseReleased(event)) if event.generation >= self.generation => self.held = None,
            Some(Event::LeaseLost(event)) if event.generation >= self.generation => {
                self.held = None;
                self.lost = Some(event.why.clone());
            }
            _ => {}
        }
    }
}
