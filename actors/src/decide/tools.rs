//! Which tools run next, and what becomes of their results.

use crate::ports::ApprovalRequest;
use dispatch_events::{
    Event, TurnId,
    catalogue::tool::{CallRef, EffectClass, EffectDisposition, ToolFinished, ToolOutcome, ToolStarted},
};

/// What is known of a call before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The call.
    pub call: CallRef,
    /// What a repeat would do, and whether it may run beside its neighbours; or why it must not run at all.
    pub fitness: Result<(EffectClass, bool), String>,
    /// What somebody has to consent to before it runs.
    pub consent: Option<ApprovalRequest>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub call: CallRef,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// Whether something outside may have changed.
    pub effect: EffectDisposition,
    /// What the model reads.
    pub output: String,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// The calls that run together now: the leading ones that may, or else the first alone. None runs that waits for consent.
pub fn segment(candidates: &[Candidate]) -> Vec<(CallRef, EffectClass)> {
    let mut run = Vec::new();
    for candidate in candidates {
        if candidate.consent.is_some() {
            break;
        }
        match &candidate.fitness {
            Ok((class, true)) => run.push((candidate.call, *class)),
            Ok((class, false)) if run.is_empty() => return vec![(candidate.call, *class)],
            _ => break,
        }
    }
    run
}

/// The leading calls that must not run: each gets its result at once.
pub fn refused(candidates: &[Candidate]) -> Vec<ToolResult> {
    candidates
        .iter()
        .map_while(|candidate| candidate.fitness.as_ref().err().map(|why| (candidate.call, why)))
        .map(|(call, why)| ToolResult {
            call,
            outcome: ToolOutcome::Refused,
            effect: EffectDisposition::None,
            output: why.clone(),
            duration_ms: 0,
        })
        .collect()
}

/// The events before a segment runs; one that runs again after a crash is announced again.
pub fn start(turn: TurnId, segment: &[(CallRef, EffectClass)]) -> Vec<Event> {
    segment.iter().map(|(call, class)| ToolStarted { turn, call: *call, class: *class }.into()).collect()
}

/// The events after it ran.
pub fn finish(turn: TurnId, results: &[ToolResult]) -> Vec<Event> {
    results
        .iter()
        .map(|result| {
            ToolFinished {
                turn,
                call: result.call,
                outcome: result.outcome,
                effect: result.effect,
                output: result.output.clone(),
                duration_ms: result.duration_ms,
            }
            .into()
        })
        .collect()
}

/// What a turn that is stopped leaves behind and nobody has recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Left<'a> {
    /// Text that was shown of an answer that is not whole.
    pub shown: &'a str,
    /// Results of calls that had finished while their neighbours still ran.
    pub done: &'a [ToolResult],
}

impl<'a> From<&'a str> for Left<'a> {
    fn from(shown: &'a str) -> Self {
        Self { shown, done: &[] }
    }
}

impl Left<'_> {
    /// The real result of a call, if it had finished: a stop takes nothing from it.
    pub fn result(&self, turn: TurnId, call: CallRef) -> Option<Event> {
        let result = self.done.iter().find(|result| result.call == call)?;
        finish(turn, std::slice::from_ref(result)).pop()
    }
}
