use super::*;
use dispatch_events::{
    TurnId, Version,
    catalogue::{
        input::Principal,
        tool::{
            ApprovalScope, CallRef, EffectClass, EffectDisposition, ToolApprovalAsked, ToolApprovalDenied,
            ToolApprovalGiven, ToolFinished, ToolOutcome, ToolProgressed, ToolReconciled, ToolRequested, ToolStarted,
            ToolUnknown, ToolVerdict,
        },
    },
};

pub fn samples() -> Vec<Sample> {
    let turn = TurnId(id(1));
    let call = CallRef { message: Version(300), index: 2 };
    let started = |class| ToolStarted { turn, call, class };
    let finished = |outcome, effect| ToolFinished { turn, call, outcome, effect, output: text(), duration_ms: 61_000 };
    vec![
        plain(ToolRequested { turn, call }),
        plain(started(EffectClass::Read)),
        sample("idempotent", started(EffectClass::Idempotent)),
        sample("effect", started(EffectClass::Effect)),
        plain(finished(ToolOutcome::Ok, EffectDisposition::None)),
        sample("error", finished(ToolOutcome::Error, EffectDisposition::Done)),
        sample("cancelled", finished(ToolOutcome::Cancelled, EffectDisposition::Unknown)),
        sample("refused", finished(ToolOutcome::Refused, EffectDisposition::None)),
        plain(ToolUnknown { turn, call, why: text() }),
        plain(ToolProgressed { turn, call, output: text() }),
    ]
    .into_iter()
    .chain(by_people())
    .collect()
}

fn by_people() -> Vec<Sample> {
    let turn = TurnId(id(1));
    let call = CallRef { message: Version(300), index: 2 };
    let by = || Principal { adapter: "http".into(), subject: text() };
    let given = |scope| ToolApprovalGiven { turn, call, digest: digest(1), by: by(), scope };
    let reconciled = |verdict| ToolReconciled { turn, call, verdict, by: by(), why: text() };
    vec![
        plain(ToolApprovalAsked { turn, call, digest: digest(1), why: text() }),
        plain(given(ApprovalScope::Once)),
        sample("session", given(ApprovalScope::Session)),
        plain(ToolApprovalDenied { turn, call, by: by(), why: text() }),
        plain(reconciled(ToolVerdict::Finished)),
        sample("not-done", reconciled(ToolVerdict::NotDone)),
        sample("unknown", reconciled(ToolVerdict::Unknown)),
        sample("given-up", reconciled(ToolVerdict::GivenUp)),
    ]
}
