//! What does a turn do next? Read off the log alone, so that a turn whose actor is gone goes on where it was.

use dispatch_events::TurnId;
use dispatch_projections::{SessionState, tools::CallState};

/// The next thing that a turn does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Recall, then record the user message and the first request.
    Prepare,
    /// Ask the model.
    Call,
    /// Run the tools that it asked for.
    Tools,
    /// Nothing: it is over.
    Over,
}

/// The next thing that a turn does.
pub fn next(state: &SessionState, turn: TurnId) -> Next {
    let running = state.admissions.started().and_then(|admission| admission.turn) == Some(turn);
    match state.turns.get(turn) {
        Some(known) if running && known.end.is_none() => {
            if known.user_message.is_none() {
                Next::Prepare
            } else if state.tools.open(turn).any(|call| !matches!(call.state, CallState::Unknown { .. })) {
                Next::Tools
            } else {
                Next::Call
            }
        }
        _ => Next::Over,
    }
}
