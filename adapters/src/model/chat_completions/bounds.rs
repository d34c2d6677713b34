//! The largest answer. A far side that never stops talking, or that asks for thousands of calls, ends its attempt and
//! nothing else: what is held stays small, and whatever is accepted fits into one event of the log (16 MiB).

use crate::model::failure::fault;
use dispatch_actors::ports::{ErrorClass, ModelError};

/// Text, reasoning and calls of one answer together, in bytes.
pub const CONTENT_MAX: usize = 8 << 20;

/// Fields that are kept for the next request, in bytes. Reasoning stands in them a second time.
pub const KEPT_MAX: usize = 8 << 20;

/// All of that together, as it is recorded: the log's 16 MiB without some room for the rest of the event.
pub const ANSWER_MAX: usize = 15 << 20;

/// Tool calls of one answer.
pub const CALLS_MAX: usize = 128;

/// One document, or one event of a stream, as it comes, in bytes: more could not be recorded.
pub const DOCUMENT_MAX: usize = 12 << 20;

/// The end of the message of an answer that is too large: the step of its class would be about the address.
pub const NEXT: &str = "Next: ask for less at once, or use another model or profile; nothing of the answer was run";

/// The error of an answer that is larger than a limit.
pub fn too_large(why: &str) -> ModelError {
    fault(ErrorClass::InvalidResponse, format!("the answer is too large: {why}. {NEXT}"))
}

/// Checks a size against its limit; `what` names the part.
pub fn within(size: usize, limit: usize, what: &str) -> Result<(), ModelError> {
    if size <= limit {
        return Ok(());
    }
    Err(too_large(&format!("{what} have more than {} MiB", limit >> 20)))
}

/// The size of the event of a stream that is being received: the reader holds all of it until its blank line.
#[derive(Debug, Default)]
pub struct EventSize {
    size: usize,
    line: usize,
    after_return: bool,
}

impl EventSize {
    /// Counts the next bytes of the body.
    ///
    /// # Errors
    /// When an event is longer than [`DOCUMENT_MAX`].
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        for &byte in bytes {
            let second_of_a_pair = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if second_of_a_pair {
                continue;
            }
            if matches!(byte, b'\n' | b'\r') {
                if self.line == 0 {
                    self.size = 0;
                }
                self.line = 0;
                continue;
            }
            self.line += 1;
            self.size += 1;
            if self.size > DOCUMENT_MAX {
                return Err(too_large(&format!("one event has more than {} MiB", DOCUMENT_MAX >> 20)));
            }
        }
        Ok(())
    }
}
