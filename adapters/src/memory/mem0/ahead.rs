//! Searches that were made ahead.

use dispatch_actors::ports::memory::RecallQuery;
use dispatch_events::StreamId;
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// Results that are kept at most; the oldest goes first.
const KEPT: usize = 16;

/// Each result is given once, and only for the same session and the same words.
#[derive(Default)]
pub(super) struct Ahead(Mutex<VecDeque<Found>>);

struct Found {
    session: StreamId,
    text: String,
    result: Option<String>,
}

impl Ahead {
    /// Keeps a result in place of what the session had.
    pub(super) fn put(&self, query: RecallQuery, result: Option<String>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|found| found.session != query.session);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back(Found { session: query.session, text: query.text, result });
    }

    /// Takes the result for a query; the outer `None` if there is none.
    pub(super) fn take(&self, query: &RecallQuery) -> Option<Option<String>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|found| found.session == query.session && found.text == query.text)?;
        kept.remove(at).map(|found| found.result)
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
