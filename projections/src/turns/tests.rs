use super::TurnEnd;
use crate::{SessionState, table::*};
use dispatch_events::{
    Event, Timestamp, Version,
    catalogue::{
        memory::{MemoryRecallSkipped, MemoryRecalled},
        model::{ModelFailed, ModelStreamed},
        turn::{TurnFailed, TurnInterrupted},
    },
};

fn began() -> Vec<Event> {
    all([vec![opened(), queued(1)], claimed(1, 1)])
}

fn streamed(attempt: u32, text: &str) -> Event {
    ModelStreamed { turn: turn(1), attempt, text: text.into() }.into()
}

fn failed(attempt: u32) -> Event {
    let (class, action, message) = ("overloaded".into(), "retry".into(), "busy".into());
    ModelFailed { turn: turn(1), attempt, class, action, status: None, retry_after_ms: None, message }.into()
}

/// Attempts, failures since the last answer, answers, the one in flight, what was shown of it.
fn seen(state: &SessionState) -> (u32, u32, u32, Option<u32>, String) {
    let turn = state.turns.get(turn(1)).unwrap();
    (turn.attempts, turn.failures, turn.answers, turn.in_flight, turn.shown.clone())
}

#[test]
fn requests_of_a_turn() {
    let (ask, ask_again) = (requested(1, 1, "h", 0, &["a"]), requested(1, 2, "h", 1, &[]));
    let answer = responded(1, 1, None);
    #[rustfmt::skip]
    let table = vec![
        ("not asked",             vec![],                                                   (0, 0, 0, None, "")),
        ("asked",                 vec![ask.clone()],                                        (1, 0, 0, Some(1), "")),
        ("text comes",            vec![ask.clone(), streamed(1, "He"), streamed(1, "llo")], (1, 0, 0, Some(1), "Hello")),
        ("failed",                vec![ask.clone(), failed(1)],                             (1, 1, 0, None, "")),
        ("asked again",           vec![ask.clone(), failed(1), ask_again.clone()],          (2, 1, 0, Some(2), "")),
        ("a crash voids text",    vec![ask.clone(), streamed(1, "He"), ask_again.clone()],  (2, 0, 0, Some(2), "")),
        ("late text of a void",   vec![ask.clone(), ask_again.clone(), streamed(1, "He")],  (2, 0, 0, Some(2), "")),
        ("answered",              vec![ask.clone(), streamed(1, "He"), answer.clone()],     (1, 0, 1, None, "")),
        ("late text of answered", vec![ask.clone(), answer.clone(), streamed(1, "He")],     (1, 0, 1, None, "")),
        ("failures start anew",   vec![ask, failed(1), ask_again, responded(1, 2, None)],   (2, 0, 1, None, "")),
    ];
    for (name, events, (attempts, failures, answers, in_flight, shown)) in table {
        let state = given(all([began(), events]));
        assert_eq!(seen(&state), (attempts, failures, answers, in_flight, shown.to_owned()), "{name}");
    }
}

#[test]
fn how_turns_end() {
    let interrupted = TurnInterrupted { turn: turn(1), why: "by me".into() };
    let failed = TurnFailed { turn: turn(1), code: "model_failed".into(), message: "no answer".into() };
    let failure = TurnEnd::Failed { code: "model_failed".into(), message: "no answer".into() };
    let table = [
        (completed(1, 1).swap_remove(0), TurnEnd::Completed),
        (interrupted.into(), TurnEnd::Interrupted("by me".into())),
        (failed.into(), failure),
    ];
    for (event, expected) in table {
        let asked = vec![requested(1, 1, "h", 0, &["a"]), streamed(1, "He"), event];
        let state = given(all([began(), asked]));
        let turn = state.turns.get(turn(1)).unwrap();
        assert_eq!(turn.end.as_ref(), Some(&expected));
        assert_eq!((turn.started_at, turn.ended_at), (Timestamp(5_000_000), Some(Timestamp(8_000_000))));
        assert_eq!((turn.in_flight, turn.shown.as_str()), (None, ""), "{expected:?}");
    }
}

#[test]
fn recall_is_kept_until_the_turn_ends() {
    let (turn, backend) = (turn(1), "mem0".to_owned());
    let recalled = MemoryRecalled { turn, backend: backend.clone(), block: "<m>".into(), took_ms: 3 };
    let skipped = MemoryRecallSkipped { turn, backend, why: "timeout".into(), took_ms: 3 };
    let seen = |state: &SessionState| {
        let turn = state.turns.get(turn).unwrap();
        (turn.recall_done, turn.recalled.clone())
    };
    assert_eq!(seen(&given(began())), (false, None));
    assert_eq!(seen(&given(all([began(), vec![skipped.into()]]))), (true, None));
    let mut state = given(all([began(), vec![recalled.into()]]));
    assert_eq!(seen(&state), (true, Some("<m>".into())));
    then(&mut state, claimed(1, 2).swap_remove(2));
    assert_eq!(seen(&state), (true, Some("<m>".into())), "a turn that starts again keeps it");
    then(&mut state, completed(1, 1).swap_remove(0));
    assert_eq!(seen(&state), (true, None));
}

#[test]
fn order_and_the_user_message() {
    let events = all([began(), vec![said(1, None)], completed(1, 1), vec![queued(2)], claimed(2, 2)]);
    let turns = given(events).turns;
    assert_eq!(turns.iter().map(|turn| turn.id).collect::<Vec<_>>(), [turn(1), turn(2)]);
    assert_eq!((turns.len(), turns.is_empty()), (2, false));
    let message = |number| turns.get(turn(number)).and_then(|turn| turn.user_message);
    assert_eq!((message(1), message(2)), (Some(Version(6)), None));
}
