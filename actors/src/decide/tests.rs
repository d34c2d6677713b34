//! Given events, when a command, then events.

use super::{
    answer::{AnswerFacts, answer},
    failure::{FailureFacts, fail, failure},
    interrupt::{give_up, interrupt},
    obligation::{Verdict, verdict},
    recover::recover,
    settle::{ClaimFacts, settle},
    step::{Next, next},
    submit::{SubmitFacts, Submitted, submit},
    table::*,
    tools::{Candidate, refused, segment, start},
};
use crate::{
    command::{Opening, Submit},
    ports::{ErrorClass, MemoryError, ModelAnswer, ModelError},
    settings::Recovery,
};
use dispatch_events::{
    Event, ObligationId, Part,
    catalogue::{
        input::{InputRequeued, Outcome},
        message::ToolCall,
        obligation::{ObligationCreated, ObligationKind},
        session::BusyMode,
        tool::{CallRef, EffectClass, ToolStarted},
    },
};

mod admissions;
mod intents;

fn facts(request: &str) -> SubmitFacts<'_> {
    SubmitFacts {
        admission: admission_id(50),
        request,
        name: "s",
        agent: "main",
        queue_limit: 3,
        busy: BusyMode::Queue,
        delegating: false,
        claim: CLAIM,
    }
}

fn input(text: &str) -> Submit {
    let opening = Some(Opening::plain("test"));
    Submit { opening, ..Submit::new(me(), vec![Part::Text(text.into())]) }
}

fn accepted(given: &dispatch_projections::SessionState, request: &str) -> Vec<&'static str> {
    match submit(given, &input("hello"), &facts(request)).unwrap() {
        Submitted::New(events) => names(&events),
        Submitted::Repeated(_) => vec!["repeated"],
        Submitted::Redirect(_) => vec!["redirect"],
    }
}

#[test]
fn an_input_opens_waits_or_starts() {
    let claim = ["input.queued", "input.started", "lease.acquired", "turn.started"];
    assert_eq!(accepted(&given([]), "r"), [&["session.opened"][..], &claim].concat());
    assert_eq!(accepted(&given([opened()]), "r"), claim);
    assert_eq!(accepted(&given(running()), "r"), ["input.queued"]);
    assert_eq!(accepted(&given([opened(), queued(1), queued(2)]), "r"), claim, "nothing runs: the first is claimed");
}

#[test]
fn the_same_key_is_the_same_admission_or_a_conflict() {
    let mut state = given([]);
    let Submitted::New(events) = submit(&state, &input("hello"), &facts("r")).unwrap() else { panic!() };
    events.into_iter().for_each(|event| apply(&mut state, event));
    assert_eq!(submit(&state, &input("hello"), &facts("r")), Ok(Submitted::Repeated(admission_id(50))));
    let conflict = submit(&state, &input("something else"), &facts("r")).unwrap_err();
    assert_eq!(conflict.code(), "admission_conflict");
    let mut other = input("something else");
    other.principal.subject = "somebody".into();
    assert!(matches!(submit(&state, &other, &facts("r")), Ok(Submitted::New(_))), "keys are per principal");
}

#[test]
fn what_can_not_be_accepted_is_refused_by_name() {
    let full = given([opened(), queued(1), queued(2), queued(3)]);
    let refused = |state: &dispatch_projections::SessionState, submitted: &Submit| {
        submit(state, submitted, &facts("r")).unwrap_err().code()
    };
    assert_eq!(refused(&full, &input("x")), "queue_full");
    assert_eq!(refused(&given([]), &Submit { opening: None, ..input("x") }), "not_found");
    assert_eq!(refused(&given([]), &input(" ")), "invalid_params");
}

#[test]
fn the_next_input_starts_in_the_append_that_settles_the_last() {
    let mut events = running();
    events.push(queued(2));
    let state = given(events);
    let leaves = settle(&state, Outcome::Completed, ClaimFacts { may_start: false, ..CLAIM });
    assert_eq!(names(&leaves), ["input.settled", "lease.released"], "a host that shuts down starts nothing");
    let settled = settle(&state, Outcome::Completed, CLAIM);
    let expected = ["input.settled", "lease.released", "input.started", "lease.acquired", "turn.started"];
    assert_eq!(names(&settled), expected);
    assert_eq!(names(&settle(&given(running()), Outcome::Completed, CLAIM)), expected[..2]);
}

#[test]
fn a_turn_goes_on_where_the_log_ends() {
    let mut before = vec![opened(), queued(1)];
    assert_eq!(next(&given(before.clone()), turn_id(1)), Next::Over);
    before.extend(started(1, 1));
    assert_eq!(next(&given(before), turn_id(1)), Next::Prepare);
    let mut state = given(running());
    assert_eq!(next(&state, turn_id(1)), Next::Call);
    asks(&mut state, &["look"]);
    assert_eq!(next(&state, turn_id(1)), Next::Tools);
}

fn whole(calls: usize) -> ModelAnswer {
    let call = |index| ToolCall { id: format!("c{index}"), tool: "look".into(), arguments: Default::default() };
    ModelAnswer { text: "yes".into(), calls: (0..calls).map(call).collect(), ..ModelAnswer::default() }
}

fn answered(calls: usize, memory: bool) -> Vec<Event> {
    let ids = (ObligationId::fresh(), ObligationId::fresh());
    let facts =
        AnswerFacts { attempt: 1, first_token_ms: None, duration_ms: 1, memory: memory.then_some(ids), claim: CLAIM };
    answer(&given(running()), turn_id(1), &whole(calls), &facts)
}

#[test]
fn an_answer_ends_the_turn_or_asks_for_tools() {
    let end = ["model.responded", "message.recorded", "turn.completed", "input.settled", "lease.released"];
    assert_eq!(names(&answered(0, false)), end);
    assert_eq!(names(&answered(0, true)), [&end[..], &["obligation.created"; 2]].concat());
    let asked = answered(2, true);
    assert_eq!(names(&asked), ["model.responded", "message.recorded", "tool.requested", "tool.requested"]);
    let Event::ToolRequested(requested) = &asked[3] else { panic!() };
    let message = given(running()).version.0 + 2;
    assert_eq!(requested.call, CallRef { message: dispatch_events::Version(message), index: 1 });
}

fn fails(class: ErrorClass, shown: &str, named: Option<u64>, failures: u32) -> (Vec<&'static str>, Option<u64>) {
    let mut state = given(running());
    for attempt in 1..=failures {
        let error = ModelError { class, status: None, retry_after_ms: None, message: "x".into() };
        let facts = FailureFacts { attempt, shown: "", retries: 9, backoff_ms: 5, claim: CLAIM };
        failure(&state, turn_id(1), &error, facts).0.into_iter().for_each(|event| apply(&mut state, event));
    }
    let error = ModelError { class, status: None, retry_after_ms: named, message: "x".into() };
    let facts = FailureFacts { attempt: failures + 1, shown, retries: 3, backoff_ms: 5, claim: CLAIM };
    let (events, wait) = failure(&state, turn_id(1), &error, facts);
    (names(&events), wait)
}

#[test]
fn a_failed_request_is_repeated_only_before_text_was_shown() {
    let stop = vec!["model.failed", "turn.failed", "input.settled", "lease.released"];
    let shown = vec!["model.failed", "message.recorded", "turn.failed", "input.settled", "lease.released"];
    let retry = vec!["model.failed"];
    assert_eq!(fails(ErrorClass::ServerError, "", None, 0), (retry.clone(), Some(5)));
    assert_eq!(fails(ErrorClass::RateLimit, "", Some(2_000), 0), (retry.clone(), Some(2_000)));
    assert_eq!(fails(ErrorClass::RateLimit, "", Some(1_800_000), 0), (stop.clone(), None));
    assert_eq!(fails(ErrorClass::ServerError, "", None, 2), (retry, Some(5)));
    assert_eq!(fails(ErrorClass::ServerError, "", None, 3), (stop.clone(), None));
    assert_eq!(fails(ErrorClass::Connection, "half", None, 0), (shown, None));
    assert_eq!(fails(ErrorClass::Auth, "", None, 0), (stop, None));
}

#[test]
fn tools_run_in_segments_and_barriers() {
    let call = |index| CallRef { message: dispatch_events::Version(1), index };
    let read = |index| Candidate { call: call(index), fitness: Ok((EffectClass::Read, true)), consent: None };
    let alone = |index| Candidate { call: call(index), fitness: Ok((EffectClass::Effect, false)), consent: None };
    let unfit = |index| Candidate { call: call(index), fitness: Err("no".into()), consent: None };
    let runs = |candidates: &[Candidate]| segment(candidates).len();
    assert_eq!(runs(&[read(0), read(1), alone(2), read(3)]), 2);
    assert_eq!(runs(&[alone(0), read(1)]), 1);
    assert_eq!(runs(&[read(0), unfit(1), read(2)]), 1);
    assert_eq!(refused(&[unfit(0), unfit(1), read(2)]).len(), 2);
    assert_eq!(refused(&[read(0), unfit(1)]).len(), 0);
}

#[test]
fn every_run_of_a_tool_is_announced() {
    let mut state = given(running());
    let calls = asks(&mut state, &["look", "look"]);
    let both: Vec<_> = calls.iter().map(|call| (*call, EffectClass::Read)).collect();
    assert_eq!(names(&start(turn_id(1), &both)), ["tool.started", "tool.started"]);
}

#[test]
fn what_a_person_said_stays_when_the_turn_ends_before_its_first_request() {
    let mut events = vec![opened(), queued(1)];
    events.extend(started(1, 1));
    let state = given(events);
    let stopped = interrupt(&state, turn_id(1), "stopped", "", CLAIM);
    let expected = ["message.recorded", "turn.interrupted", "input.settled", "lease.released"];
    assert_eq!(names(&stopped), expected);
    let failed = fail(&state, turn_id(1), "code", "message", CLAIM);
    assert_eq!(names(&failed), ["message.recorded", "turn.failed", "input.settled", "lease.released"]);
}

#[test]
fn a_paused_session_lets_inputs_wait_until_somebody_gives_the_turn_up() {
    let mut events = running();
    events.push(queued(2));
    let mut state = given(events);
    let calls = asks(&mut state, &["act"]);
    apply(&mut state, ToolStarted { turn: turn_id(1), call: calls[0], class: EffectClass::Effect }.into());
    for event in recover(&state, "crash", Recovery::Pause, CLAIM) {
        apply(&mut state, event);
    }
    assert_eq!(accepted(&state, "r"), ["input.queued"]);
    let impatient = Submit { not_while_paused: true, ..input("more") };
    assert_eq!(submit(&state, &impatient, &facts("r")).unwrap_err().code(), "unknown_execution");
    let told = ["tool.reconciled", "tool.finished", "turn.interrupted", "input.settled"];
    let next = ["input.started", "lease.acquired", "turn.started"];
    let given_up = give_up(&state, turn_id(1), &me(), "given up", CLAIM);
    assert_eq!(names(&given_up), [&told[..], &next].concat());
}

#[test]
fn a_stop_gives_every_open_call_its_one_result() {
    let mut state = given(running());
    let calls = asks(&mut state, &["act", "look"]);
    apply(&mut state, ToolStarted { turn: turn_id(1), call: calls[0], class: EffectClass::Effect }.into());
    let events = interrupt(&state, turn_id(1), "stopped", "half", CLAIM);
    let expected =
        ["tool.finished", "tool.finished", "message.recorded", "turn.interrupted", "input.settled", "lease.released"];
    assert_eq!(names(&events), expected);
}

#[test]
fn after_a_crash_the_log_says_what_follows() {
    let again = ["lease.lost", "input.requeued", "input.started", "lease.acquired"];
    let names_of = |events: Vec<Event>| names(&recover(&given(events), "crash", Recovery::Pause, CLAIM));
    assert!(names_of(vec![opened()]).is_empty());
    let first = ["input.started", "lease.acquired", "turn.started"];
    assert_eq!(names_of(vec![opened(), queued(1)]), first, "queued, not started");
    assert_eq!(names_of(running()), again, "started, no effect begun");
    let mut tried = running();
    for times in 1..=3 {
        tried.push(InputRequeued { admission: admission_id(1), why: "crash".into(), times }.into());
        tried.extend(started(1, u64::from(times) + 1));
    }
    assert_eq!(names_of(tried), ["lease.lost", "input.unknown"], "four attempts, none ended");
    for (class, expected) in [
        (EffectClass::Read, &again[..]),
        (EffectClass::Idempotent, &again[..]),
        (EffectClass::Effect, &["lease.lost", "tool.unknown", "input.unknown"][..]),
    ] {
        let mut state = given(running());
        let calls = asks(&mut state, &["tool"]);
        assert_eq!(
            names(&recover(&state, "crash", Recovery::Pause, CLAIM)),
            again,
            "{class:?}: it provably did not run"
        );
        apply(&mut state, ToolStarted { turn: turn_id(1), call: calls[0], class }.into());
        assert_eq!(names(&recover(&state, "crash", Recovery::Pause, CLAIM)), expected, "{class:?}");
    }
}

#[test]
fn a_verdict_closes_an_obligation_or_asks_for_another_attempt() {
    let id = ObligationId::fresh();
    let owed = |kind| {
        let mut events = running();
        let key = "k".into();
        events.push(ObligationCreated { obligation: id, kind, key, turn: turn_id(1) }.into());
        given(events)
    };
    let failed = |error| Verdict::Failed { error, retry_after_ms: 5 };
    let names_of = |kind, how: Verdict| names(&verdict(&owed(kind), id, &how));
    let (sync, warm) = (ObligationKind::MemorySync, ObligationKind::MemoryWarm);
    let met = Verdict::Met { possible_duplicate: false };
    assert_eq!(names_of(sync, met.clone()), ["obligation.met", "memory.synced"]);
    assert_eq!(names_of(warm, met.clone()), ["obligation.met", "memory.warmed"]);
    assert_eq!(names_of(sync, failed(MemoryError::Temporary("x".into()))), ["obligation.failed"]);
    assert_eq!(names_of(warm, failed(MemoryError::Temporary("x".into()))), ["obligation.abandoned"]);
    assert_eq!(names_of(sync, failed(MemoryError::Permanent("x".into()))), ["obligation.abandoned"]);
    assert!(verdict(&given(running()), id, &met).is_empty(), "nothing is owed any more");
}
