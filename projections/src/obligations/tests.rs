use super::ObligationState::{Abandoned, Met, Open};
use crate::{SessionState, table::*};
use dispatch_events::{
    Event, Timestamp,
    catalogue::obligation::{ObligationAbandoned, ObligationCreated, ObligationFailed, ObligationKind, ObligationMet},
};

fn created(number: u8) -> Event {
    let (obligation, kind, turn) = (obligation(number), ObligationKind::MemorySync, turn(1));
    ObligationCreated { obligation, kind, key: format!("key {number}"), turn }.into()
}

fn met(number: u8, attempts: u32) -> Event {
    ObligationMet { obligation: obligation(number), attempts }.into()
}

fn failed(number: u8, attempts: u32) -> Event {
    let (obligation, why) = (obligation(number), "no connection".into());
    ObligationFailed { obligation, attempts, why, retry_after_ms: 2000 }.into()
}

fn abandoned(number: u8) -> Event {
    ObligationAbandoned { obligation: obligation(number), why: "shutdown".into() }.into()
}

fn open(state: &SessionState) -> Vec<u8> {
    state.obligations.open().map(|open| open.id.bytes()[0]).collect()
}

#[test]
fn what_is_owed_in_every_order_of_ends() {
    let owed = vec![created(3), created(1), created(2)];
    #[rustfmt::skip]
    let table: Vec<(&str, Vec<Event>, Vec<u8>)> = vec![
        ("all, as created",          vec![],                                       vec![3, 1, 2]),
        ("the oldest met",           vec![met(3, 1)],                              vec![1, 2]),
        ("the newest abandoned",     vec![abandoned(2)],                           vec![3, 1]),
        ("the middle one met",       vec![met(1, 1)],                              vec![3, 2]),
        ("only the oldest left",     vec![abandoned(2), met(1, 1)],                vec![3]),
        ("the oldest, and a new one", vec![met(2, 1), met(1, 1), created(4)],      vec![3, 4]),
        ("a failed one is owed",     vec![failed(1, 1)],                           vec![3, 1, 2]),
        ("closed twice",             vec![met(1, 1), abandoned(1), met(1, 2)],     vec![3, 2]),
        ("created twice",            vec![met(1, 1), created(1), created(2)],      vec![3, 2]),
        ("one that is not there",    vec![met(9, 1), failed(9, 1), abandoned(9)],  vec![3, 1, 2]),
        ("nothing",                  vec![met(2, 1), abandoned(3), met(1, 1)],     vec![]),
    ];
    for (name, events, expected) in table {
        let state = given(all([owed.clone(), events]));
        assert_eq!(open(&state), expected, "{name}");
    }
}

#[test]
fn attempts_and_the_last_word() {
    let mut state = given([created(1)]);
    let seen = |state: &SessionState| {
        let it = state.obligations.get(obligation(1)).unwrap();
        (it.attempts, it.failure.clone(), it.due_at, it.state.clone())
    };
    let failure = Some("no connection".to_owned());
    assert_eq!(seen(&state), (0, None, Timestamp(1_000_000), Open));
    then(&mut state, failed(1, 1));
    assert_eq!(seen(&state), (1, failure.clone(), Timestamp(4_000_000), Open), "two seconds after the failure");
    then(&mut state, met(1, 2));
    let met_at_last = (2, failure, Timestamp(4_000_000), Met);
    assert_eq!(seen(&state), met_at_last);
    then(&mut state, abandoned(1));
    then(&mut state, failed(1, 3));
    assert_eq!(seen(&state), met_at_last, "what was met stays met");
    let mut state = given([created(1), failed(1, 1), abandoned(1)]);
    then(&mut state, met(1, 2));
    assert_eq!(state.obligations.get(obligation(1)).unwrap().state, Abandoned("shutdown".into()));
    assert_eq!(state.obligations.get(obligation(1)).unwrap().attempts, 1);
    assert_eq!(state.obligations.iter().count(), 1);
}
