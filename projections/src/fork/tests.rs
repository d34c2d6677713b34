use crate::{SessionState, replay::WireMessage, snapshot::RestoreError, state::FoldError, table::*, transcript::Said};
use dispatch_events::{
    Body, Event, Part, RawJson, Recorded, StreamId, Version,
    catalogue::{
        message::{Message, MessageRecorded, ToolCall},
        model::Usage,
        session::{
            ForkPoint, RewindReason, SessionBranched, SessionForked, SessionOpened, SessionRestored, SessionRewound,
        },
    },
};

fn child() -> StreamId {
    StreamId::from_bytes([0xBB; 16])
}

/// A parent that called a tool in version 10 and has its result, and a second answer.
fn parent() -> Vec<Event> {
    let usage = Usage { input: 9, cached: Some(1), output: 3, reasoning: None };
    all([
        vec![opened(), queued(1)],
        claimed(1, 1),
        vec![said(1, None), requested(1, 1, "h", 0, &["u1"]), responded(1, 1, Some(usage))],
        vec![answered(1, "", &["look"]), tool_requested(1, call(9, 0))],
        vec![tool_finished(1, call(9, 0), "seen"), requested(1, 2, "h", 1, &["a1", "t1"]), responded(1, 2, None)],
        vec![answered(1, "done", &[])],
        completed(1, 1),
    ])
}

/// The events of the fork with this place in its parent.
fn begun(version: u64, forked: impl FnOnce(&mut SessionForked)) -> Vec<Event> {
    let from = ForkPoint { stream: stream(), version: Version(version) };
    let (name, source, agent) = ("fork".into(), "cli".into(), "main".into());
    let opened = SessionOpened { name, route: None, source, agent, parent: Some(from), system: None };
    let mut event = SessionForked { from, depth: 1, profile: None, unfinished: None, dropped: None };
    forked(&mut event);
    vec![opened.into(), event.into()]
}

fn at(version: usize) -> SessionState {
    given(parent().into_iter().take(version))
}

fn recorded(version: u64, event: Event) -> Recorded {
    Recorded { stream: child(), ..record(version, event) }
}

fn go_on(mut state: SessionState, events: impl IntoIterator<Item = Event>) -> SessionState {
    for event in events {
        let next = recorded(state.version.0 + 1, event);
        state.apply(&next).expect("a test gives events in order");
    }
    state
}

fn wire(state: &SessionState) -> Vec<WireMessage> {
    state.transcript.wire_messages(0).collect()
}

#[test]
fn a_fork_has_its_parents_conversation_and_nothing_else_of_it() {
    let whole = given(parent());
    let state = go_on(SessionState::forked(whole.clone(), child()), begun(whole.version.0, |_| ()));
    assert_eq!(wire(&state), wire(&whole));
    assert!(state.transcript.entries().iter().all(|entry| entry.stream == stream()));
    assert_eq!(state.calls.fragments(), whole.calls.fragments());
    assert_eq!(state.calls.head(), whole.calls.head());
    assert_eq!(state.calls.last().map(|last| last.version), whole.calls.last().map(|last| last.version));
    assert!(state.calls.requests().is_empty());
    assert!(state.turns.is_empty());
    assert!(state.admissions.by_request(&me(), "r1").is_none(), "an idempotency key is the parent's");
    assert_eq!((state.usage.answers, state.tools.iter().count()), (0, 0));
    assert_eq!((state.stream, state.version, state.name.as_str()), (child(), Version(2), "fork"));
    assert_eq!(state.family.inherited.map(|inherited| inherited.depth), Some(1));
}

#[test]
fn the_first_request_of_a_fork_extends_the_last_of_its_parent() {
    let next = all([vec![queued(2)], claimed(2, 1), vec![said(2, None), requested(2, 1, "h", 3, &["a2", "u2"])]]);
    let whole = given(parent());
    let state = go_on(SessionState::forked(whole.clone(), child()), begun(whole.version.0, |_| ()));
    let state = go_on(state, next);
    let [own] = state.calls.requests() else { panic!("one request is the fork's own") };
    assert!(own.extends_previous);
    assert_eq!(state.calls.fragments().len(), 5);
}

#[test]
fn a_call_of_the_fork_is_not_the_inherited_one_of_the_same_version() {
    let whole = given(parent());
    let inherited = SessionState::forked(whole.clone(), child());
    assert!(inherited.transcript.call(call(9, 0)).is_none());
    let back = restored(&inherited.to_bytes().unwrap()).unwrap();
    assert!(back.transcript.call(call(9, 0)).is_none(), "nor in a snapshot");
    let next = all([
        begun(whole.version.0, |_| ()),
        vec![queued(2)],
        claimed(2, 1),
        vec![said(2, None), requested(2, 1, "h", 3, &["a2", "u2"])],
        vec![answered(2, "", &["act"]), tool_requested(2, call(9, 0)), tool_finished(2, call(9, 0), "acted")],
    ]);
    let state = go_on(inherited, next);
    assert_eq!(state.transcript.problems(), Vec::<String>::new());
    assert_eq!(state.transcript.call(call(9, 0)).map(|call| call.tool.as_str()), Some("act"));
    let outputs = |state: &SessionState| -> Vec<String> {
        let entries = state.transcript.entries().iter();
        entries
            .filter_map(|entry| match &entry.said {
                Said::Tool { result, .. } => result.as_ref().map(|(_, output)| output.to_string()),
                _ => None,
            })
            .collect()
    };
    assert_eq!(outputs(&state), ["seen", "acted"]);
    let back = restored(&state.to_bytes().unwrap()).unwrap();
    assert_eq!(back.transcript.call(call(9, 0)).map(|call| call.tool.as_str()), Some("act"), "a snapshot knows it too");
}

#[test]
fn a_call_without_a_result_gets_the_one_that_the_event_says() {
    let cut = at(10);
    assert_eq!(cut.transcript.unfinished(), 1);
    let inherited = SessionState::forked(cut, child());
    let state = go_on(inherited, begun(10, |forked| forked.unfinished = Some("nobody knows".into())));
    assert_eq!(state.transcript.unfinished(), 0);
    assert!(matches!(wire(&state).last(), Some(WireMessage::Tool { output, .. }) if output == "nobody knows"));
}

#[test]
fn what_another_model_cannot_take_back_is_left_out() {
    let message = Message::Assistant {
        parts: vec![Part::Text("hm".into())],
        reasoning: Some("thought".into()),
        calls: Vec::<ToolCall>::new(),
        extra: Some(RawJson("{\"sig\":1}".into())),
        partial: false,
    };
    let answer: Event = MessageRecorded { turn: turn(1), message, api_content: None }.into();
    let whole = given(all([parent().into_iter().take(8).collect(), vec![answer]]));
    let kept = go_on(SessionState::forked(whole.clone(), child()), begun(9, |_| ()));
    assert!(kept.transcript.has_foreign());
    let dropped = begun(9, |forked| (forked.profile, forked.dropped) = (Some("other".into()), Some("thoughts".into())));
    let state = go_on(SessionState::forked(whole, child()), dropped);
    assert!(!state.transcript.has_foreign());
    assert_eq!(state.calls.profile(), Some("other"));
    assert_eq!(kept.calls.profile(), Some("local"));
}

#[test]
fn a_fork_is_not_folded_without_its_parent() {
    let opened = recorded(1, begun(3, |_| ()).swap_remove(0));
    for mut wrong in [SessionState::empty(child()), SessionState::forked(at(2), child())] {
        let before = wrong.version;
        assert!(matches!(wrong.apply(&opened), Err(FoldError::Origin { .. })));
        assert_eq!(wrong.version, before);
    }
    let mut right = SessionState::forked(at(3), child());
    right.apply(&opened).unwrap();
}

#[test]
fn a_fork_of_a_fork_has_both_conversations() {
    let whole = given(parent());
    let next = all([begun(whole.version.0, |_| ()), vec![queued(2)], claimed(2, 1), vec![said(2, None)]]);
    let first = go_on(SessionState::forked(whole.clone(), child()), next);
    let second = SessionState::forked(first.clone(), StreamId::from_bytes([0xCC; 16]));
    assert_eq!(wire(&second), wire(&first));
    let streams: Vec<_> = second.transcript.entries().iter().map(|entry| entry.stream).collect();
    assert_eq!((streams.first(), streams.last()), (Some(&stream()), Some(&child())));
    assert_eq!(second.calls.last().map(|last| last.version), whole.calls.last().map(|last| last.version));
    assert_eq!(second.family.inherited.map(|inherited| inherited.depth), Some(2));
}

#[test]
fn a_session_knows_its_forks_and_an_erased_one_is_nobodys() {
    let branched: Event = SessionBranched { child: child(), at: Version(3), by: me() }.into();
    let mut state = given(all([parent(), vec![branched]]));
    assert_eq!(state.family.branches, [SessionBranched { child: child(), at: Version(3), by: me() }]);
    let revision = state.revision;
    assert_eq!(revision, given(parent()).revision, "a person sees no other conversation");
    let erased = Recorded { body: Body::Erased, ..record(state.version.0 + 1, opened()) };
    state.apply(&erased).unwrap();
    assert!(state.erasure.is_some());
}

#[test]
fn a_state_of_a_fork_comes_back_from_its_bytes() -> Result<(), RestoreError> {
    let state = go_on(SessionState::forked(at(10), child()), begun(10, |forked| forked.unfinished = Some("?".into())));
    let bytes = state.to_bytes()?;
    let back = restored(&bytes)?;
    assert_eq!(back.to_bytes()?, bytes);
    assert_eq!(back.family.inherited, state.family.inherited);
    Ok(())
}

#[test]
fn what_the_parent_took_back_is_not_inherited_and_a_forks_own_rewind_brings_back_its_own_alone() {
    let rewound = |stream: StreamId, version: u64| -> Event {
        let to = ForkPoint { stream, version: Version(version) };
        SessionRewound { to, reason: RewindReason::Undo, by: me() }.into()
    };
    let second = all([vec![queued(2)], claimed(2, 2), vec![said(2, None), answered(2, "taken back", &[])]]);
    let second = all([second, completed(2, 2)]);
    let whole = given(all([parent(), second, vec![rewound(stream(), 22)]]));
    assert_eq!(whole.transcript.problems(), Vec::<String>::new());
    let inherited = SessionState::forked(whole.clone(), child());
    assert_eq!(wire(&inherited), wire(&given(parent())));
    assert_eq!((whole.transcript.last_rewind().is_some(), inherited.transcript.last_rewind()), (true, None));
    // A fork may take back what it inherited, by its place in the parent's stream.
    let state = go_on(inherited, all([begun(whole.version.0, |_| ()), vec![rewound(stream(), 6)]]));
    assert_eq!(wire(&state), []);
    // The parent's rewind is not the fork's, also where it has the same version.
    let of_the_parent: Event = SessionRestored { rewound: whole.version, by: me() }.into();
    let state = go_on(state, [of_the_parent]);
    assert_eq!(wire(&state), []);
    let restored = SessionRestored { rewound: Version(3), by: me() }.into();
    assert_eq!(wire(&go_on(state, [restored])), wire(&given(parent())));
}
