//! Whether an input is taken, withdrawn, and let in.

use super::{super::cancel::cancel, *};
use crate::ports::Policy;
use dispatch_events::catalogue::input::{InputQueued, InputSettled, InputUnknown, Principal};
use dispatch_projections::SessionState;

/// Nobody of these names may run.
#[derive(Debug)]
struct Without(&'static [&'static str]);

impl Policy for Without {
    fn may_run(&self, principal: &Principal) -> Result<(), String> {
        match self.0.contains(&principal.subject.as_str()) {
            true => Err(format!("{} was withdrawn", principal.subject)),
            false => Ok(()),
        }
    }
}

fn queued_by(number: u128, subject: &str) -> Event {
    let Event::InputQueued(input) = queued(number) else { unreachable!() };
    let principal = Principal { adapter: "test".into(), subject: subject.into() };
    InputQueued { principal, ..input }.into()
}

fn refused(state: &SessionState, submitted: &Submit) -> Option<&'static str> {
    submit(state, submitted, &facts("r")).err().map(|refusal| refusal.code())
}

#[test]
fn a_stale_look_a_pause_and_a_full_queue_refuse_what_is_new_and_nothing_else() {
    let mut full = running();
    full.extend([queued(2), queued(3)]);
    let mut state = given(full);
    let Submitted::New(events) = submit(&state, &input("hello"), &facts("first")).unwrap() else { panic!() };
    events.into_iter().for_each(|event| apply(&mut state, event));
    apply(&mut state, InputUnknown { admission: admission_id(1), why: "crash".into() }.into());
    let seen = |revision| Submit { expected_revision: Some(revision), ..input("hello") };
    let impatient = Submit { not_while_paused: true, ..input("hello") };
    assert_eq!(refused(&state, &seen(state.revision - 1)), Some("revision_conflict"));
    assert_eq!(refused(&state, &impatient), Some("unknown_execution"));
    assert_eq!(refused(&state, &seen(state.revision)), Some("queue_full"), "three wait beside the one that is paused");
    for again in [seen(0), impatient, input("hello")] {
        assert_eq!(submit(&state, &again, &facts("first")), Ok(Submitted::Repeated(admission_id(50))));
    }
    assert_eq!(refused(&given([]), &seen(0)), None, "a session that is not there is at revision 0");
}

#[test]
fn a_message_of_a_platform_is_taken_once() {
    let numbered = |text: &str| Submit { message: Some("m7".into()), ..input(text) };
    let mut state = given(running());
    let Submitted::New(events) = submit(&state, &numbered("hello"), &facts("a")).unwrap() else { panic!() };
    events.into_iter().for_each(|event| apply(&mut state, event));
    let again = submit(&state, &numbered("hello, edited"), &facts("b"));
    assert_eq!(again, Ok(Submitted::Repeated(admission_id(50))));
    let edited = submit(&state, &numbered("hello, edited"), &facts("a"));
    assert_eq!(edited, Ok(Submitted::Repeated(admission_id(50))), "also where the request id was another text's");
    let mut elsewhere = numbered("hello");
    elsewhere.principal.adapter = "another platform".into();
    assert!(matches!(submit(&state, &elsewhere, &facts("c")), Ok(Submitted::New(_))), "platforms count for themselves");
}

#[test]
fn only_what_waits_is_withdrawn() {
    let mut events = running();
    events.push(queued(2));
    let mut state = given(events);
    let code =
        |state: &SessionState, number| cancel(state, admission_id(number), &me()).map_err(|refusal| refusal.code());
    assert_eq!(names(&code(&state, 2).unwrap()), ["input.cancelled"]);
    assert_eq!(code(&state, 1), Err("stale_generation"));
    assert_eq!(code(&state, 9), Err("not_found"));
    apply(&mut state, InputUnknown { admission: admission_id(1), why: "crash".into() }.into());
    assert_eq!(code(&state, 1), Err("unknown_execution"));
    let outcome = Outcome::Completed;
    apply(&mut state, InputSettled { admission: admission_id(1), outcome, why: None }.into());
    assert_eq!(code(&state, 1), Ok(Vec::new()), "it is over: nothing changes");
}

#[test]
fn an_input_that_went_back_to_the_queue_has_a_turn_and_is_not_withdrawn() {
    let mut state = given(running());
    apply(&mut state, InputRequeued { admission: admission_id(1), why: "crash".into(), times: 1 }.into());
    assert_eq!(cancel(&state, admission_id(1), &me()).unwrap_err().code(), "stale_generation");
}

#[test]
fn who_was_withdrawn_is_refused_by_name_when_the_turn_comes_and_the_next_one_runs() {
    let mut events = running();
    events.extend([queued_by(2, "eve"), queued_by(3, "mallory"), queued_by(4, "alice")]);
    let claim = ClaimFacts { policy: &Without(&["eve", "mallory"]), ..CLAIM };
    let settled = settle(&given(events.clone()), Outcome::Completed, claim);
    let rejected = ["input.settled", "lease.released", "input.settled", "input.settled"];
    let next = ["input.started", "lease.acquired", "turn.started"];
    assert_eq!(names(&settled), [&rejected[..], &next].concat());
    let Event::InputSettled(eve) = &settled[2] else { panic!() };
    assert_eq!((eve.outcome, eve.why.as_deref()), (Outcome::Rejected, Some("eve was withdrawn")));
    let Event::InputStarted(started) = &settled[4] else { panic!() };
    assert_eq!(started.admission, admission_id(4));
    let draining = ClaimFacts { may_start: false, ..claim };
    let left = settle(&given(events), Outcome::Completed, draining);
    assert_eq!(names(&left), rejected[..2], "a host that shuts down judges nobody");
}

#[test]
fn a_turn_that_a_crash_cut_off_is_ended_if_its_principal_was_withdrawn() {
    let claim = ClaimFacts { policy: &Without(&["me"]), ..CLAIM };
    let mut state = given(running());
    asks(&mut state, &["look"]);
    let recovered = recover(&state, "crash", Recovery::Pause, claim);
    let expected = ["lease.lost", "input.requeued", "tool.finished", "turn.interrupted", "input.settled"];
    assert_eq!(names(&recovered), expected);
    let alone = recover(&given([opened(), queued(1)]), "crash", Recovery::Pause, claim);
    assert_eq!(names(&alone), ["input.settled"]);
}

#[test]
fn who_was_withdrawn_submits_nothing_new() {
    let claim = ClaimFacts { policy: &Without(&["me"]), ..CLAIM };
    let refusal = submit(&given(running()), &input("x"), &SubmitFacts { claim, ..facts("r") }).unwrap_err();
    assert_eq!((refusal.code(), refusal.to_string().as_str()), ("permission_denied", "me was withdrawn"));
}
