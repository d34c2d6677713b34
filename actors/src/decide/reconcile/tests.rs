use super::{NOT_DONE, OUTCOME_UNKNOWN, given_up, reconcile};
use crate::{
    command::{Reconcile, ReconcileVerdict},
    decide::{recover::recover, settle::ClaimFacts, table::*},
    settings::Recovery,
};
use dispatch_events::{
    Event, Version,
    catalogue::{
        input::InputRequeued,
        tool::{CallRef, EffectClass, EffectDisposition, ToolOutcome, ToolStarted, ToolVerdict},
    },
};
use dispatch_projections::SessionState;

/// A turn that was cut off while these tools ran, with another input behind it.
fn cut_off(tools: &[EffectClass], policy: Recovery) -> (SessionState, Vec<CallRef>, Vec<Event>) {
    let mut state = given(running());
    apply(&mut state, queued(2));
    let calls = asks(&mut state, &vec!["tool"; tools.len()]);
    for (call, class) in calls.iter().zip(tools) {
        apply(&mut state, ToolStarted { turn: turn_id(1), call: *call, class: *class }.into());
    }
    let recovered = recover(&state, "crash", policy, CLAIM);
    recovered.iter().cloned().for_each(|event| apply(&mut state, event));
    (state, calls, recovered)
}

/// A turn that was started four times and never ended.
fn worn_out() -> SessionState {
    let mut events = running();
    events.push(queued(2));
    for times in 1..=3 {
        events.push(InputRequeued { admission: admission_id(1), why: "crash".into(), times }.into());
        events.extend(started(1, u64::from(times) + 1));
    }
    let mut state = given(events);
    recover(&state, "crash", Recovery::Resume, CLAIM).into_iter().for_each(|event| apply(&mut state, event));
    state
}

fn word(call: Option<CallRef>, verdict: ReconcileVerdict) -> Reconcile {
    Reconcile { principal: me(), call, verdict, why: " I looked ".into() }
}

fn result(events: &[Event]) -> (ToolOutcome, EffectDisposition, &str) {
    let finished = events.iter().find_map(|event| match event {
        Event::ToolFinished(finished) => Some((finished.outcome, finished.effect, finished.output.as_str())),
        _ => None,
    });
    finished.expect("a call has its result")
}

const GOES_ON: [&str; 4] = ["tool.reconciled", "tool.finished", "input.started", "lease.acquired"];

#[test]
fn a_word_for_the_last_unknown_call_lets_the_turn_go_on() {
    let (state, calls, _) = cut_off(&[EffectClass::Effect], Recovery::Pause);
    let done = reconcile(&state, &word(None, ReconcileVerdict::Finished("sent".into())), CLAIM).unwrap();
    assert_eq!(names(&done), GOES_ON);
    assert_eq!(result(&done), (ToolOutcome::Ok, EffectDisposition::Done, "sent"));
    let Event::ToolReconciled(said) = &done[0] else { panic!() };
    assert_eq!((said.call, said.verdict, said.why.as_str()), (calls[0], ToolVerdict::Finished, "I looked"));
    let Event::InputStarted(again) = &done[2] else { panic!() };
    assert_eq!((again.turn, again.generation.0), (turn_id(1), 2), "the same turn, another attempt");
    let not = reconcile(&state, &word(Some(calls[0]), ReconcileVerdict::NotDone), CLAIM).unwrap();
    assert_eq!(names(&not), GOES_ON);
    assert_eq!(result(&not), (ToolOutcome::Error, EffectDisposition::None, NOT_DONE));
    let mut after = state;
    not.into_iter().for_each(|event| apply(&mut after, event));
    assert_eq!(after.admissions.started().unwrap().requeues, 0, "that was no requeue");
}

#[test]
fn a_host_that_starts_nothing_leaves_the_turn_to_the_next_one() {
    let (mut state, ..) = cut_off(&[EffectClass::Effect], Recovery::Pause);
    let facts = ClaimFacts { may_start: false, ..CLAIM };
    let events = reconcile(&state, &word(None, ReconcileVerdict::NotDone), facts).unwrap();
    assert_eq!(names(&events), ["tool.reconciled", "tool.finished", "input.reconciled"]);
    events.into_iter().for_each(|event| apply(&mut state, event));
    assert_eq!(names(&recover(&state, "crash", Recovery::Pause, CLAIM)), GOES_ON[2..]);
}

#[test]
fn one_of_two_unknown_calls_must_be_named_and_leaves_the_session_paused() {
    let (mut state, calls, _) = cut_off(&[EffectClass::Effect, EffectClass::Effect], Recovery::Pause);
    let refused = reconcile(&state, &word(None, ReconcileVerdict::NotDone), CLAIM).unwrap_err();
    let listed = format!("call 0 of version {m} (`tool`), call 1 of version {m} (`tool`)", m = calls[0].message);
    assert!(refused.to_string().contains(&listed), "{refused}");
    let first = reconcile(&state, &word(Some(calls[1]), ReconcileVerdict::NotDone), CLAIM).unwrap();
    assert_eq!(names(&first), GOES_ON[..2]);
    first.into_iter().for_each(|event| apply(&mut state, event));
    let settled = reconcile(&state, &word(Some(calls[1]), ReconcileVerdict::NotDone), CLAIM).unwrap_err();
    assert!(settled.to_string().contains("call 0"), "it has its result: {settled}");
    assert_eq!(names(&reconcile(&state, &word(None, ReconcileVerdict::NotDone), CLAIM).unwrap()), GOES_ON);
}

#[test]
fn giving_up_gives_every_open_call_its_one_result_and_the_queue_goes_on() {
    let (state, calls, _) = cut_off(&[EffectClass::Effect, EffectClass::Read, EffectClass::Effect], Recovery::Pause);
    let next = ["input.settled", "input.started", "lease.acquired", "turn.started"];
    let end = [&["tool.reconciled"; 2][..], &["tool.finished"; 3], &["turn.interrupted"], &next].concat();
    for call in [None, Some(calls[2])] {
        let events = reconcile(&state, &word(call, ReconcileVerdict::GiveUp), CLAIM).unwrap();
        assert_eq!(names(&events), end);
        assert!(matches!(&events[0], Event::ToolReconciled(said) if said.verdict == ToolVerdict::GivenUp));
    }
    assert_eq!(names(&given_up(&state, &me(), "stopped")), ["tool.reconciled"; 2]);
    assert!(given_up(&given(running()), &me(), "stopped").is_empty());
}

#[test]
fn an_input_that_never_ended_is_tried_again_or_given_up() {
    let mut state = worn_out();
    let refused = reconcile(&state, &word(None, ReconcileVerdict::Finished("x".into())), CLAIM).unwrap_err();
    assert_eq!(refused.code(), "invalid_params");
    let up = reconcile(&state, &word(None, ReconcileVerdict::GiveUp), CLAIM).unwrap();
    let next = ["input.settled", "input.started", "lease.acquired", "turn.started"];
    assert_eq!(names(&up), [&["input.reconciled", "turn.interrupted"][..], &next].concat());
    let again = reconcile(&state, &word(None, ReconcileVerdict::NotDone), CLAIM).unwrap();
    assert_eq!(names(&again), ["input.reconciled", "input.started", "lease.acquired"]);
    again.into_iter().for_each(|event| apply(&mut state, event));
    let counted = recover(&state, "crash", Recovery::Pause, CLAIM);
    assert!(matches!(&counted[1], Event::InputRequeued(again) if again.times == 1), "counted anew: {counted:?}");
}

#[test]
fn what_can_not_be_meant_is_refused_with_a_word_on_what_there_is() {
    let (state, calls, _) = cut_off(&[EffectClass::Effect], Recovery::Pause);
    let refused = |state: &SessionState, word: &Reconcile| reconcile(state, word, CLAIM).unwrap_err().to_string();
    let other = CallRef { message: Version(1), index: 7 };
    let there = format!("call 0 of version {}", calls[0].message);
    for verdict in [ReconcileVerdict::NotDone, ReconcileVerdict::GiveUp] {
        let said = refused(&state, &word(Some(other), verdict));
        assert!(said.contains("call 7 of version 1 is not unknown") && said.contains(&there), "{said}");
    }
    let silent = Reconcile { why: "  ".into(), ..word(None, ReconcileVerdict::NotDone) };
    assert!(refused(&state, &silent).contains("say why"));
    assert!(refused(&given(running()), &word(None, ReconcileVerdict::NotDone)).contains("nothing is unknown"));
    let big = ReconcileVerdict::Finished("x".repeat(super::RESULT_MAX + 1));
    assert!(refused(&state, &word(None, big)).contains("at most"));
}

#[test]
fn with_the_policy_to_go_on_the_model_is_told_that_nobody_knows() {
    let (state, _, events) = cut_off(&[EffectClass::Read, EffectClass::Effect], Recovery::Resume);
    let again = ["lease.lost", "tool.unknown", "tool.reconciled", "tool.finished", "input.requeued"];
    assert_eq!(names(&events)[..5], again);
    assert_eq!(result(&events), (ToolOutcome::Error, EffectDisposition::Unknown, OUTCOME_UNKNOWN));
    assert!(state.admissions.unknown().is_none() && state.admissions.started().is_some());
    assert_eq!(state.tools.open(turn_id(1)).count(), 1, "the one that only looks runs again");
    // A session that an earlier run paused goes on when the policy has changed; one that never ended does not.
    let (paused, ..) = cut_off(&[EffectClass::Effect], Recovery::Pause);
    assert_eq!(names(&recover(&paused, "crash", Recovery::Resume, CLAIM)), GOES_ON);
    assert!(recover(&worn_out(), "crash", Recovery::Resume, CLAIM).is_empty());
}
