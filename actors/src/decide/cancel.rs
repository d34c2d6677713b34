//! May a waiting input be withdrawn?

use crate::command::Refusal;
use dispatch_events::{
    AdmissionId, Event,
    catalogue::input::{InputCancelled, Principal},
};
use dispatch_projections::{SessionState, admissions::AdmissionState};

/// The events that withdraw an input; none if it is finished already.
///
/// # Errors
/// [`Refusal::NoInput`], [`Refusal::Started`], [`Refusal::Paused`].
pub fn cancel(state: &SessionState, admission: AdmissionId, by: &Principal) -> Result<Vec<Event>, Refusal> {
    let known = state.admissions.get(admission).ok_or(Refusal::NoInput(admission))?;
    match known.state {
        // One that went back to the queue has a turn, which only a stop can end.
        AdmissionState::Queued if known.turn.is_none() => {
            Ok(vec![InputCancelled { admission, by: Some(by.clone()) }.into()])
        }
        AdmissionState::Queued | AdmissionState::Started => Err(Refusal::Started(admission)),
        AdmissionState::Unknown => Err(Refusal::Paused(known.unknown.clone().unwrap_or_default())),
        AdmissionState::Terminal => Ok(Vec::new()),
    }
}
