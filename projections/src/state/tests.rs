use super::{Erasure, FoldError, SessionState};
use crate::table::*;
use dispatch_events::{
    Body, Event, Position, Recorded, StreamId, Timestamp, Version,
    catalogue::{
        input::{InputCancelled, InputRequeued, InputUnknown, Principal},
        lease::LeaseRenewed,
        session::{SessionEraseRequested, SessionErased, SessionRenamed},
        tool::ToolUnknown,
        turn::{TurnFailed, TurnInterrupted},
    },
};

fn portrait(state: &SessionState) -> String {
    let mut lines: Vec<_> = format!("{state:#?}").lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn with_body(version: u64, body: Body) -> Recorded {
    Recorded { body, kind: "message.recorded".into(), ..record(version, opened()) }
}

#[test]
fn only_the_next_event_of_the_stream_is_folded() {
    let state = given([opened(), queued(1)]);
    let elsewhere = Recorded { stream: StreamId::from_bytes([1; 16]), ..record(3, queued(2)) };
    let table = [
        ("a gap", record(4, queued(2))),
        ("again", record(2, queued(2))),
        ("from the beginning", record(1, opened())),
        ("another stream's", elsewhere),
    ];
    for (name, recorded) in table {
        let mut after = state.clone();
        let refused = after.apply(&recorded).unwrap_err();
        let (stream, version) = (recorded.stream, recorded.version);
        assert_eq!(refused, FoldError::Gap { stream, version, after: Version(2) }, "{name}");
        assert_eq!(portrait(&after), portrait(&state), "{name}: the state is as it was");
    }
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let state = given([opened(), queued(1)]);
    let mut after = state.clone();
    let refused = after.apply(&with_body(3, Body::Unreadable("bad tag".into()))).unwrap_err();
    let (position, kind) = (Position(103), "message.recorded".to_owned());
    assert_eq!(refused.to_string(), "position 103: the event `message.recorded` can't be read: bad tag");
    assert_eq!(refused, FoldError::Unreadable { position, kind, why: "bad tag".into() });
    assert_eq!(portrait(&after), portrait(&state), "the state is as it was");
}

/// The actor folded the session while it could be read; whoever looks later finds sealed events without a key.
#[test]
fn an_erased_session_is_the_same_before_and_after_its_key_is_gone() {
    let by = Principal { adapter: "cli".into(), subject: "alice".into() };
    let asked = SessionEraseRequested { name: "a".into(), route: None, by };
    let mut live = given([opened(), queued(1)]);
    let mut later = SessionState::empty(live.stream);
    live.apply(&with_body(3, Body::Known(asked.into()))).unwrap();
    assert_eq!(live.erasure, Some(Erasure::Requested));
    for version in 1..=3 {
        later.apply(&with_body(version, Body::Erased)).unwrap();
        assert_eq!(later.erasure, Some(Erasure::Requested));
    }
    for state in [&mut live, &mut later] {
        state.apply(&with_body(4, Body::Known(SessionErased { events: 3, after_restart: false }.into()))).unwrap();
        assert_eq!((state.erasure, state.name.as_str()), (Some(Erasure::Done), ""));
    }
    later.opened_at = live.opened_at;
    assert_eq!(format!("{live:?}"), format!("{later:?}"));
}

#[test]
fn an_event_of_another_build_is_skipped_and_counted() {
    let mut state = given([opened()]);
    state.apply(&with_body(2, Body::Unknown { length: 9 })).unwrap();
    state.apply(&with_body(3, Body::Unknown { length: 9 })).unwrap();
    then(&mut state, queued(1));
    assert_eq!((state.skipped, state.version, state.position), (2, Version(4), Position(104)));
    assert_eq!(state.revision, 2, "a skipped event raises nothing");
    assert_eq!(state.tip().version, Version(4));
}

#[test]
fn identity_and_names() {
    let renamed = SessionRenamed { name: "ideas".into(), previous: "notes".into(), by: None };
    let state = given([opened(), queued(1), renamed.into()]);
    assert_eq!((state.name.as_str(), state.opened.unwrap().name.as_str()), ("ideas", "notes"));
    assert_eq!((state.opened_at, state.updated_at), (Timestamp(1_000_000), Timestamp(3_000_000)));
}

#[test]
fn the_revision_rises_only_with_what_a_person_sees() {
    let at = call(7, 0);
    let (turn, admission) = (turn(1), admission(1));
    let why = || "why".to_owned();
    let cancelled = InputCancelled { admission, by: None };
    let renamed = SessionRenamed { name: "ideas".into(), previous: "notes".into(), by: None };
    let [input_started, acquired, turn_started] = <[Event; 3]>::try_from(claimed(1, 1)).unwrap();
    let [turn_completed, settled, released] = <[Event; 3]>::try_from(completed(1, 1)).unwrap();
    #[rustfmt::skip]
    let table: Vec<(Event, bool)> = vec![
        (queued(1),                                                         true),
        (input_started,                                                     false),
        (acquired,                                                          false),
        (turn_started,                                                      false),
        (said(1, None),                                                     true),
        (requested(1, 1, "h", 0, &["a"]),                                   false),
        (LeaseRenewed { generation: Default::default() }.into(),            false),
        (responded(1, 1, None),                                             false),
        (answered(1, "", &["todo"]),                                        true),
        (tool_requested(1, at),                                             false),
        (tool_started(1, at),                                               false),
        (ToolUnknown { turn, call: at, why: why() }.into(),                 false),
        (InputUnknown { admission, why: why() }.into(),                     true),
        (InputRequeued { admission, why: why(), times: 1 }.into(),          true),
        (tool_finished(1, call(10, 0), "done"),                             true),
        (turn_completed,                                                    false),
        (settled,                                                           true),
        (released,                                                          false),
        (TurnInterrupted { turn, why: why() }.into(),                       true),
        (TurnFailed { turn, code: why(), message: why() }.into(),           true),
        (cancelled.into(),                                                  true),
        (renamed.into(),                                                    true),
    ];
    let mut state = given([opened()]);
    assert_eq!(state.revision, 1);
    for (event, seen) in table {
        let (before, name) = (state.revision, event.name());
        then(&mut state, event);
        assert_eq!(state.revision - before, u64::from(seen), "{name}");
    }
}
