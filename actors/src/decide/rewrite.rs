//! What becomes of a session's history: rewound, restored, begun anew, put out of lists.

use super::reset;
use crate::command::{Change, HistoryChange, Refusal};
use dispatch_events::{
    AdmissionId, Event, Part,
    catalogue::session::{
        ForkPoint, ResetReason, RewindReason, SessionArchived, SessionConfigured, SessionReset, SessionRestored,
        SessionRewound, SessionUnarchived,
    },
};
use dispatch_projections::{SessionState, transcript::Entry};

#[cfg(test)]
mod tests;

/// The events of a change. For a retry, the ones before its input: [`retried`] says what that is.
///
/// # Errors
/// [`Refusal`]; nothing is to be written.
pub fn rewrite(state: &SessionState, change: &HistoryChange, asked: &Change) -> Result<Vec<Event>, Refusal> {
    revision(state, asked.expected_revision)?;
    let by = || asked.principal.clone();
    match change {
        HistoryChange::Archive if state.archived => return Ok(Vec::new()),
        HistoryChange::Archive => return Ok(vec![SessionArchived { by: by() }.into()]),
        HistoryChange::Unarchive if !state.archived => return Ok(Vec::new()),
        HistoryChange::Unarchive => return Ok(vec![SessionUnarchived { by: by() }.into()]),
        HistoryChange::Configure { busy } if *busy == state.busy => return Ok(Vec::new()),
        HistoryChange::Configure { busy } => return Ok(vec![SessionConfigured { busy: *busy, by: by() }.into()]),
        _ => at_rest(state)?,
    }
    let event = match change {
        HistoryChange::Rewind { to } => {
            let to = ForkPoint { stream: state.stream, version: *to };
            if !state.transcript.holds_message(to) {
                let why = format!(
                    "version {} is not that of a message of a person that still holds: `dispatch replay --view \
                     transcript --json` shows them",
                    to.version
                );
                return Err(Refusal::Invalid(why));
            }
            SessionRewound { to, reason: RewindReason::Rewind, by: by() }.into()
        }
        HistoryChange::Undo { exchanges } => {
            SessionRewound { to: nth_last(state, *exchanges)?, reason: RewindReason::Undo, by: by() }.into()
        }
        HistoryChange::Restore => {
            let rewound = state.transcript.last_rewind().ok_or_else(|| {
                Refusal::Invalid(
                    "there is nothing to restore: nothing was rewound, or something was said since".to_owned(),
                )
            })?;
            SessionRestored { rewound, by: by() }.into()
        }
        HistoryChange::Retry => {
            SessionRewound { to: nth_last(state, 1)?, reason: RewindReason::Retry, by: by() }.into()
        }
        HistoryChange::Reset => {
            SessionReset { reason: ResetReason::Asked, note: reset::note(ResetReason::Asked), by: by() }.into()
        }
        HistoryChange::Archive | HistoryChange::Unarchive | HistoryChange::Configure { .. } => return Ok(Vec::new()),
    };
    Ok(vec![event])
}

/// What was said in the last exchange, and the input that it began with.
///
/// # Errors
/// [`Refusal::Invalid`] if there is none, or another session has it.
pub fn retried(state: &SessionState) -> Result<(AdmissionId, Vec<Part>), Refusal> {
    let (_, turn) = exchanges(state).next_back().ok_or_else(nothing_said)?;
    let admission = state.turns.get(turn).and_then(|turn| state.admissions.get(turn.admission));
    let inherited = || Refusal::Invalid("the last exchange is the parent's: say it again instead".to_owned());
    let admission = admission.ok_or_else(inherited)?;
    // What was put into the turn was said too.
    let of_turn = state.admissions.iter().filter(|other| other.turn == Some(turn));
    Ok((admission.id, of_turn.flat_map(|other| other.parts.iter().cloned()).collect()))
}

/// Whether the caller saw the session as it is.
///
/// # Errors
/// [`Refusal::RevisionConflict`].
pub fn revision(state: &SessionState, expected: Option<u64>) -> Result<(), Refusal> {
    match expected {
        Some(expected) if expected != state.revision => {
            Err(Refusal::RevisionConflict { expected, actual: state.revision })
        }
        _ => Ok(()),
    }
}

/// No turn runs whose ground would be pulled away.
fn at_rest(state: &SessionState) -> Result<(), Refusal> {
    if let Some(unknown) = state.admissions.unknown() {
        return Err(Refusal::Paused(unknown.unknown.clone().unwrap_or_default()));
    }
    match state.admissions.pending_len() {
        0 => Ok(()),
        _ => Err(Refusal::AtWork),
    }
}

fn nth_last(state: &SessionState, count: u32) -> Result<ForkPoint, Refusal> {
    let found = exchanges(state).count();
    if found == 0 {
        return Err(nothing_said());
    }
    let nth = usize::try_from(count).ok().and_then(|count| count.checked_sub(1));
    nth.and_then(|nth| exchanges(state).rev().nth(nth)).map(|(place, _)| place).ok_or_else(|| {
        Refusal::Invalid(format!("there are {found} exchanges to take back, and {count} were asked for"))
    })
}

fn nothing_said() -> Refusal {
    Refusal::Invalid("there is nothing to take back: nothing that was said here still holds".to_owned())
}

/// Where the exchanges begin: at the message of the turn's own input. Inherited turns are not this session's; of those the
/// first message counts.
fn exchanges(state: &SessionState) -> impl DoubleEndedIterator<Item = (ForkPoint, dispatch_events::TurnId)> + '_ {
    let begins = |entry: &Entry| match state.turns.get(entry.turn) {
        Some(turn) => turn.user_message == Some(entry.version),
        None => entry.stream != state.stream,
    };
    state.transcript.exchanges(begins)
}
