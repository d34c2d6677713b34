//! What follows from a consent, or from a no? The question stands in the log before anybody is asked, the answer before
//! the tool runs.

use crate::ports::Approval;
use dispatch_events::{
    Digest, Event, RawJson, TurnId,
    catalogue::{
        input::Principal,
        tool::{
            CallRef, EffectDisposition, ToolApprovalAsked, ToolApprovalDenied, ToolApprovalGiven, ToolFinished,
            ToolOutcome,
        },
    },
};
use dispatch_projections::{SessionState, tools::CallState};

#[cfg(test)]
mod tests;

/// Digest of what a person is shown: consent is for exactly that.
pub fn digest(tool: &str, arguments: &RawJson) -> Digest {
    // With its length in front, so that no name reaches into the arguments.
    let length = (tool.len() as u64).to_be_bytes();
    Digest::of_pieces([&length[..], tool.as_bytes(), arguments.0.as_bytes()])
}

/// The question. None if it stands in the log already, as after a crash.
pub fn ask(state: &SessionState, turn: TurnId, call: CallRef, digest: Digest, why: &str) -> Option<Event> {
    let asked = state.tools.get(call).is_some_and(|known| matches!(known.state, CallState::Asked { .. }));
    (!asked).then(|| ToolApprovalAsked { turn, call, digest, why: why.to_owned() }.into())
}

/// The events of an answer; empty if the call does not wait for one any more. A consent that names something else than
/// what was shown is no consent: the call does not run.
pub fn answered(state: &SessionState, turn: TurnId, call: CallRef, approval: &Approval) -> Vec<Event> {
    let Some(CallState::Asked { digest: shown, .. }) = state.tools.get(call).map(|known| &known.state) else {
        return Vec::new();
    };
    match approval {
        Approval::Given { digest, by, scope } if digest == shown => {
            vec![ToolApprovalGiven { turn, call, digest: *digest, by: by.clone(), scope: *scope }.into()]
        }
        Approval::Given { by, .. } => {
            denied(turn, call, by, "the consent names another call than the one that was shown")
        }
        Approval::Denied { by, why } => denied(turn, call, by, why),
    }
}

fn denied(turn: TurnId, call: CallRef, by: &Principal, why: &str) -> Vec<Event> {
    let result = ToolFinished {
        turn,
        call,
        outcome: ToolOutcome::Refused,
        effect: EffectDisposition::None,
        output: refused(why),
        duration_ms: 0,
    };
    vec![ToolApprovalDenied { turn, call, by: by.clone(), why: why.to_owned() }.into(), result.into()]
}

/// The one result of a call that must not run.
pub fn refused(why: &str) -> String {
    format!("Refused: this call was not allowed, and did not run. The reason given: {why}")
}
