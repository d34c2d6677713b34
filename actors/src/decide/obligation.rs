//! What follows from an attempt to meet an obligation.

use crate::ports::MemoryError;
use dispatch_events::{
    Event, ObligationId,
    catalogue::{
        memory::{MemorySynced, MemoryWarmed},
        obligation::{ObligationAbandoned, ObligationFailed, ObligationKind, ObligationMet},
    },
};
use dispatch_projections::{SessionState, obligations::ObligationState};

/// Most attempts; after them the obligation is abandoned by name.
pub const ATTEMPTS_MAX: u32 = 12;

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Done. True when an earlier attempt may have reached a far side that knows no keys.
    Met {
        /// See above.
        possible_duplicate: bool,
    },
    /// Not done.
    Failed {
        /// Why.
        error: MemoryError,
        /// The wait before the next attempt, in milliseconds.
        retry_after_ms: u64,
    },
    /// Given up without another attempt.
    Abandoned(String),
}

/// The events of a verdict: one append. Empty if the obligation is not open any more.
pub fn verdict(state: &SessionState, id: ObligationId, verdict: &Verdict) -> Vec<Event> {
    let open = state.obligations.get(id).filter(|obligation| obligation.state == ObligationState::Open);
    let Some(obligation) = open else { return Vec::new() };
    let attempts = obligation.attempts + 1;
    let turn = obligation.turn;
    match verdict {
        Verdict::Met { possible_duplicate } => {
            let done = match obligation.kind {
                ObligationKind::MemorySync => {
                    MemorySynced { turn, obligation: id, possible_duplicate: *possible_duplicate }.into()
                }
                ObligationKind::MemoryWarm => MemoryWarmed { turn, obligation: id }.into(),
            };
            vec![ObligationMet { obligation: id, attempts }.into(), done]
        }
        Verdict::Failed { error: MemoryError::Temporary(why), retry_after_ms }
            if attempts < ATTEMPTS_MAX && obligation.kind == ObligationKind::MemorySync =>
        {
            let (why, retry_after_ms) = (why.clone(), *retry_after_ms);
            vec![ObligationFailed { obligation: id, attempts, why, retry_after_ms }.into()]
        }
        Verdict::Failed { error, .. } => {
            vec![ObligationAbandoned { obligation: id, why: error.to_string() }.into()]
        }
        Verdict::Abandoned(why) => vec![ObligationAbandoned { obligation: id, why: why.clone() }.into()],
    }
}
