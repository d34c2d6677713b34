use super::*;
use dispatch_events::{
    TurnId, Version,
    catalogue::tool::{
        CallRef, EffectClass, EffectDisposition, ToolFinished, ToolOutcome, ToolRequested, ToolStarted, ToolUnknown,
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
    ]
}
