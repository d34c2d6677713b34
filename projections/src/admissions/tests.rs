use super::AdmissionState::{self, Queued, Started, Terminal, Unknown};
use crate::{SessionState, table::*};
use dispatch_events::{
    Digest, Event, Generation,
    catalogue::input::{InputCancelled, InputRequeued, InputSettled, InputUnknown, Outcome, Principal},
};

fn requeued(number: u8, times: u32) -> Event {
    InputRequeued { admission: admission(number), why: "the host stopped".into(), times }.into()
}

fn cancelled(number: u8) -> Event {
    InputCancelled { admission: admission(number), by: None }.into()
}

fn unknown(number: u8) -> Event {
    InputUnknown { admission: admission(number), why: "a tool ran".into() }.into()
}

fn settled(number: u8, outcome: Outcome) -> Event {
    InputSettled { admission: admission(number), outcome, why: None }.into()
}

fn claim(number: u8, generation: u64) -> Event {
    claimed(number, generation).swap_remove(0)
}

fn pending(state: &SessionState) -> Vec<(u64, AdmissionState)> {
    state.admissions.pending().map(|admission| (admission.seq, admission.state)).collect()
}

/// Name, events, what is pending, which is next.
type Row<'a> = (&'a str, Vec<Event>, Vec<(u64, AdmissionState)>, Option<u64>);

#[test]
fn the_queue_is_first_in_first_out() {
    use Outcome::{Completed, Failed, Interrupted};
    let (a, b, c) = (queued(1), queued(2), queued(3));
    #[rustfmt::skip]
    let table: Vec<Row<'_>> = vec![
        ("nothing",            vec![], vec![], None),
        ("one waits",          vec![a.clone()], vec![(1, Queued)], Some(1)),
        ("in order",           vec![a.clone(), b.clone()], vec![(1, Queued), (2, Queued)], Some(1)),
        ("one runs",           vec![a.clone(), b.clone(), claim(1, 1)], vec![(1, Started), (2, Queued)], None),
        ("the next",           vec![a.clone(), b.clone(), claim(1, 1), settled(1, Completed)], vec![(2, Queued)], Some(2)),
        ("after a failure",    vec![a.clone(), b.clone(), claim(1, 1), settled(1, Failed)], vec![(2, Queued)], Some(2)),
        ("cancelled between",  vec![a.clone(), b.clone(), c.clone(), cancelled(2), claim(1, 1), settled(1, Interrupted)],
                               vec![(3, Queued)], Some(3)),
        ("requeued is first",  vec![a.clone(), b.clone(), claim(1, 1), requeued(1, 1)], vec![(1, Queued), (2, Queued)], Some(1)),
        ("another runs first", vec![a.clone(), b.clone(), claim(2, 1)], vec![(1, Queued), (2, Started)], None),
        ("another is unknown", vec![a.clone(), b.clone(), claim(2, 1), unknown(2)], vec![(1, Queued), (2, Unknown)], None),
        ("unknown pauses",     vec![a.clone(), b.clone(), claim(1, 1), unknown(1)], vec![(1, Unknown), (2, Queued)], None),
        ("settled goes on",    vec![a.clone(), b.clone(), claim(1, 1), unknown(1), settled(1, Failed)], vec![(2, Queued)], Some(2)),
    ];
    for (name, events, expected, next) in table {
        let state = given(events);
        assert_eq!(pending(&state), expected, "{name}");
        assert_eq!(state.admissions.next().map(|next| next.seq), next, "{name}: next");
        assert_eq!(state.admissions.pending_len(), expected.len(), "{name}: length");
        let of = |wanted| expected.iter().find(|(_, state)| *state == wanted).map(|(seq, _)| *seq);
        assert_eq!(state.admissions.started().map(|it| it.seq), of(Started), "{name}: started");
        assert_eq!(state.admissions.unknown().map(|it| it.seq), of(Unknown), "{name}: unknown");
    }
}

#[test]
fn an_idempotency_key_finds_its_admission_for_ever() {
    let mut state = given([queued(1), claim(1, 1)]);
    let found = |state: &SessionState, key| state.admissions.by_request(&me(), key).map(|it| (it.id, it.digest));
    let expected = Some((admission(1), Digest::of(&[1])));
    assert_eq!(found(&state, "r1"), expected);
    then(&mut state, settled(1, Outcome::Completed));
    assert_eq!(found(&state, "r1"), expected, "a finished one answers a repeat too");
    assert_eq!(found(&state, "r2"), None);
    let other = Principal { adapter: "http".into(), subject: "me".into() };
    assert!(state.admissions.by_request(&other, "r1").is_none(), "keys belong to their principal");
}

#[test]
fn a_requeued_input_keeps_its_turn_and_counts() {
    let mut state = given([queued(1), claim(1, 1), requeued(1, 1), claim(1, 2), requeued(1, 2)]);
    let seen = state.admissions.get(admission(1)).unwrap();
    assert_eq!((seen.turn, seen.generation, seen.requeues), (Some(turn(1)), Some(Generation(2)), 2));
    then(&mut state, claim(1, 3));
    let seen = state.admissions.get(admission(1)).unwrap();
    assert_eq!((seen.state, seen.generation), (Started, Some(Generation(3))));
}

#[test]
fn why_it_was_unknown_goes_when_it_runs_again() {
    let why = |state: &SessionState| state.admissions.get(admission(1)).unwrap().unknown.clone();
    let mut state = given([queued(1), claim(1, 1), unknown(1)]);
    assert_eq!(why(&state).as_deref(), Some("a tool ran"));
    then(&mut state, requeued(1, 1));
    assert_eq!(why(&state), None);
}

#[test]
fn the_end_of_an_input() {
    let state = given([queued(1), queued(2), claim(1, 1), cancelled(2), settled(1, Outcome::Interrupted)]);
    let end = |number| state.admissions.get(admission(number)).map(|it| (it.state, it.outcome));
    assert_eq!(end(1), Some((Terminal, Some(Outcome::Interrupted))));
    assert_eq!(end(2), Some((Terminal, Some(Outcome::Cancelled))));
    assert_eq!(end(3), None);
    assert_eq!(state.admissions.next_seq(), 3, "places are not given twice");
}

#[test]
fn events_of_an_admission_that_is_not_there_change_nothing() {
    let state = given([claim(7, 1), requeued(7, 1), unknown(7), settled(7, Outcome::Failed), cancelled(7)]);
    assert_eq!(pending(&state), []);
    assert!(state.admissions.get(admission(7)).is_none());
}
