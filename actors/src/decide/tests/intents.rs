//! What an input wants of a running turn, and who is next.

use super::{super::interrupt::redirect, super::steer::steer, *};
use crate::ports::Everybody;
use dispatch_events::{
    AdmissionId,
    catalogue::{
        input::{InputQueued, Intent},
        session::SessionConfigured,
        tool::{EffectDisposition, ToolFinished, ToolOutcome},
    },
};
use dispatch_projections::SessionState;

fn wants(number: u128, intent: Intent) -> Event {
    let Event::InputQueued(input) = queued(number) else { unreachable!() };
    InputQueued { intent, ..input }.into()
}

fn with(before: Vec<Event>, more: impl IntoIterator<Item = Event>) -> SessionState {
    given(before.into_iter().chain(more))
}

fn started_next(events: &[Event]) -> Option<AdmissionId> {
    events.iter().find_map(|event| match event {
        Event::InputStarted(started) => Some(started.admission),
        _ => None,
    })
}

#[test]
fn a_turn_that_began_is_first_then_a_redirect_then_a_steer_then_the_queue() {
    use Intent::{Queue, Redirect, Steer};
    #[rustfmt::skip]
    let table: [(&[Intent], u128); 6] = [
        (&[Queue, Queue],                     2),
        (&[Queue, Steer, Queue],              3),
        (&[Queue, Steer, Steer],              3),
        (&[Queue, Steer, Redirect],           4),
        (&[Redirect, Steer, Redirect, Queue], 2),
        (&[Queue],                            2),
    ];
    for (intents, first) in table {
        let waiting = (2..).zip(intents).map(|(number, intent)| wants(number, *intent));
        let state = with(running(), waiting);
        let settled = settle(&state, Outcome::Completed, CLAIM);
        assert_eq!(started_next(&settled), Some(admission_id(first)), "{intents:?}");
        let recovered = recover(&state, "crash", Recovery::Pause, CLAIM);
        assert_eq!(started_next(&recovered), Some(admission_id(1)), "{intents:?}: its turn began already");
    }
}

fn taken(state: &SessionState, intent: Option<Intent>, delegating: bool) -> (Intent, Option<Intent>, bool) {
    let facts = SubmitFacts { delegating, ..facts("r") };
    let queued = |event: &Event| match event {
        Event::InputQueued(queued) => Some((queued.intent, queued.demoted)),
        _ => None,
    };
    match submit(state, &Submit { intent, ..input("x") }, &facts).unwrap() {
        Submitted::Redirect(queued) => (queued.intent, queued.demoted, true),
        Submitted::New(events) => {
            let (intent, demoted) = events.iter().find_map(queued).unwrap();
            (intent, demoted, false)
        }
        Submitted::Repeated(_) => panic!("it is new"),
    }
}

#[test]
fn what_an_input_wants_is_what_it_says_or_else_what_the_session_says() {
    use Intent::{Queue, Redirect, Steer};
    let busy = |mode| SessionConfigured { busy: Some(mode), by: me() }.into();
    let idle = |mode| given([opened(), busy(mode)]);
    let runs = |mode| with(running(), [busy(mode)]);
    let (steer, interrupt) = (BusyMode::Steer, BusyMode::Interrupt);
    #[rustfmt::skip]
    let table = [
        ("the host's mode",             given(running()), None,           false, (Queue, None, false)),
        ("steers",                      runs(steer),      None,           false, (Steer, None, false)),
        ("interrupts",                  runs(interrupt),  None,           false, (Redirect, None, true)),
        ("says otherwise",              runs(interrupt),  Some(Queue),    false, (Queue, None, false)),
        ("redirects",                   runs(steer),      Some(Redirect), false, (Redirect, None, true)),
        ("nothing runs to steer",       idle(steer),      None,           false, (Queue, None, false)),
        ("nothing runs to stop",        idle(interrupt),  None,           false, (Queue, None, false)),
        ("a redirect of nothing",       idle(steer),      Some(Redirect), false, (Redirect, None, false)),
        ("it would destroy work",       given(running()), Some(Redirect), true,  (Queue, Some(Redirect), false)),
        ("so would the session's mode", runs(interrupt),  None,           true,  (Queue, Some(Redirect), false)),
        ("a steer destroys nothing",    given(running()), Some(Steer),    true,  (Steer, None, false)),
    ];
    for (name, state, intent, delegating, expected) in table {
        assert_eq!(taken(&state, intent, delegating), expected, "{name}");
    }
}

#[test]
fn a_redirect_stops_the_turn_and_is_the_next_in_one_append() {
    let mut state = with(running(), [queued(2), wants(3, Intent::Steer)]);
    asks(&mut state, &["look"]);
    let Event::InputQueued(queued) = wants(4, Intent::Redirect) else { unreachable!() };
    let events = redirect(&state, &queued, turn_id(1), "half", CLAIM);
    let stop = ["input.queued", "tool.finished", "message.recorded", "turn.interrupted", "input.settled"];
    let next = ["lease.released", "input.started", "lease.acquired", "turn.started"];
    assert_eq!(names(&events), [&stop[..], &next].concat());
    assert_eq!(started_next(&events), Some(admission_id(4)));
    let draining = redirect(&state, &queued, turn_id(1), "half", ClaimFacts { may_start: false, ..CLAIM });
    assert_eq!(started_next(&draining), None);
    assert_eq!(names(&draining)[0], "input.queued", "it is the next after the restart");
}

#[test]
fn a_steer_goes_behind_a_result_that_the_model_has_not_read() {
    let delivered = ["turn.steered", "message.recorded", "input.settled"];
    let mut state = with(running(), [queued(2), wants(3, Intent::Steer), wants(4, Intent::Steer)]);
    let now = |state: &SessionState, results| {
        let steered = steer(state, turn_id(1), results, &Everybody);
        (names(&steered.events), steered.messages)
    };
    let nothing = (Vec::new(), Vec::<String>::new());
    assert_eq!(now(&state, false), nothing, "the model has only the person's words before it");
    let both = ([delivered, delivered].concat(), vec!["input 3".to_owned(), "input 4".to_owned()]);
    assert_eq!(now(&state, true), both, "with the results");
    let call = asks(&mut state, &["look"])[0];
    assert_eq!(now(&state, false), nothing, "the call has no result");
    let (turn, outcome, effect) = (turn_id(1), ToolOutcome::Ok, EffectDisposition::None);
    apply(&mut state, ToolFinished { turn, call, outcome, effect, output: "seen".into(), duration_ms: 1 }.into());
    assert_eq!(now(&state, false), both, "a request that failed is repeated behind the results");
    for event in steer(&state, turn_id(1), false, &Everybody).events {
        apply(&mut state, event);
    }
    assert_eq!(now(&state, true), nothing, "once");
    assert_eq!(state.admissions.waiting_len(), 1, "the queue waits");
}

#[test]
fn a_turn_that_has_not_said_its_own_words_takes_no_steer() {
    let mut state = given(running());
    let call = asks(&mut state, &["look"])[0];
    let (turn, outcome, effect) = (turn_id(1), ToolOutcome::Ok, EffectDisposition::None);
    apply(&mut state, ToolFinished { turn, call, outcome, effect, output: "seen".into(), duration_ms: 1 }.into());
    for event in [wants(2, Intent::Steer), wants(3, Intent::Steer)] {
        apply(&mut state, event);
    }
    for event in settle(&state, Outcome::Failed, ClaimFacts { next_turn: turn_id(2), ..CLAIM }) {
        apply(&mut state, event);
    }
    let steered = steer(&state, turn_id(2), false, &Everybody);
    assert!(steered.events.is_empty(), "what stands last is the result of the turn before");
}

#[test]
fn a_pause_without_a_call_in_doubt_is_given_up_by_name_too() {
    let mut state = given(running());
    apply(
        &mut state,
        dispatch_events::catalogue::input::InputUnknown { admission: admission_id(1), why: "crash".into() }.into(),
    );
    let events = give_up(&state, turn_id(1), &me(), "enough", CLAIM);
    assert_eq!(names(&events)[..3], ["input.reconciled", "turn.interrupted", "input.settled"]);
}
