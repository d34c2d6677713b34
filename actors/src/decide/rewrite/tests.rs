use super::*;
use crate::decide::table::{admission_id, apply, given, me, opened, queued, running, started, turn_id};
use dispatch_events::{
    Version,
    catalogue::{
        input::{InputSettled, Outcome},
        message::{Message, MessageRecorded},
    },
};

/// Two finished exchanges.
fn two() -> SessionState {
    let mut events = running();
    let settled = |number| InputSettled { admission: admission_id(number), outcome: Outcome::Completed, why: None };
    events.push(settled(1).into());
    events.push(queued(2));
    events.extend(started(2, 1));
    let message = Message::User { admission: admission_id(2) };
    events.push(MessageRecorded { turn: turn_id(2), message, api_content: None }.into());
    events.push(settled(2).into());
    given(events)
}

fn asked(expected_revision: Option<u64>) -> Change {
    Change { principal: me(), expected_revision }
}

fn to(state: &SessionState, change: HistoryChange) -> Result<Vec<Event>, Refusal> {
    rewrite(state, &change, &asked(None))
}

fn version_of(events: &[Event]) -> Option<Version> {
    match events {
        [Event::SessionRewound(event)] => Some(event.to.version),
        _ => None,
    }
}

#[test]
fn undo_goes_back_to_the_message_of_that_exchange() {
    let state = two();
    let second = state.turns.get(turn_id(2)).unwrap().user_message.unwrap();
    let first = state.turns.get(turn_id(1)).unwrap().user_message.unwrap();
    for (exchanges, version) in [(1, second), (2, first)] {
        let events = to(&state, HistoryChange::Undo { exchanges }).unwrap();
        assert_eq!(version_of(&events), Some(version));
    }
    for exchanges in [0, 3, u32::MAX] {
        assert!(matches!(to(&state, HistoryChange::Undo { exchanges }), Err(Refusal::Invalid(_))), "{exchanges}");
    }
    assert_eq!(version_of(&to(&state, HistoryChange::Rewind { to: first }).unwrap()), Some(first));
    assert!(to(&state, HistoryChange::Rewind { to: Version(1) }).is_err(), "that is no message");
    assert_eq!(
        retried(&state).map(|(admission, parts)| (admission, Part::joined(&parts))),
        Ok((admission_id(2), "input 2".into()))
    );
}

#[test]
fn what_was_rewound_comes_back_until_something_is_said() {
    let mut state = two();
    assert!(to(&state, HistoryChange::Restore).is_err());
    for _ in 0..2 {
        let events = to(&state, HistoryChange::Undo { exchanges: 1 }).unwrap();
        apply(&mut state, events[0].clone());
    }
    assert!(matches!(to(&state, HistoryChange::Undo { exchanges: 1 }), Err(Refusal::Invalid(_))));
    assert_eq!(state.transcript.wire_len(), 0);
    for messages in [1, 2] {
        let events = to(&state, HistoryChange::Restore).unwrap();
        apply(&mut state, events[0].clone());
        assert_eq!(state.transcript.wire_len(), messages);
    }
    let events = to(&state, HistoryChange::Undo { exchanges: 2 }).unwrap();
    apply(&mut state, events[0].clone());
    let message = Message::User { admission: admission_id(2) };
    apply(&mut state, MessageRecorded { turn: turn_id(3), message, api_content: None }.into());
    assert!(matches!(to(&state, HistoryChange::Restore), Err(Refusal::Invalid(_))), "it would come back in between");
}

#[test]
fn nothing_is_changed_under_a_running_turn_or_behind_the_callers_back() {
    let state = given(running());
    for change in [HistoryChange::Reset, HistoryChange::Undo { exchanges: 1 }, HistoryChange::Retry] {
        assert_eq!(to(&state, change), Err(Refusal::AtWork));
    }
    assert!(to(&state, HistoryChange::Archive).is_ok());
    let conflict = rewrite(&two(), &HistoryChange::Reset, &asked(Some(1))).unwrap_err();
    assert!(matches!(conflict, Refusal::RevisionConflict { expected: 1, .. }), "{conflict}");
    assert!(rewrite(&two(), &HistoryChange::Reset, &asked(Some(two().revision))).is_ok());
    assert!(to(&given([opened()]), HistoryChange::Retry).is_err());
}
