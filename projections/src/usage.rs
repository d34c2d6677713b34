//! Tokens.

use dispatch_events::{Event, Recorded};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// Tokens of a session, as far as the vendors said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTotals {
    /// Requests that were answered.
    pub answers: u64,
    /// Of these, the ones whose vendor gave no usage: unknown, not zero.
    pub unknown: u64,
    /// Tokens of the requests.
    pub input_tokens: u64,
    /// Of these, read from the vendor's cache.
    pub cached_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
}

impl UsageTotals {
    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        if let Some(Event::ModelResponded(event)) = recorded.event() {
            self.answers += 1;
            match event.usage {
                Some(usage) => {
                    self.input_tokens += usage.input;
                    self.cached_tokens += usage.cached.unwrap_or(0);
                    self.output_tokens += usage.output;
                }
                None => self.unknown += 1,
            }
        }
    }
}
