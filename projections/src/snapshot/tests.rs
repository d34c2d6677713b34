use super::{FOLD_VERSION, RestoreError, shape};
use crate::{
    SessionState,
    state::{history::history, properties::portrait},
    table::*,
};
use dispatch_events::{
    Digest, Event, ObligationId, Part, Recorded, SharedText, Version,
    blob::BlobError,
    catalogue::{
        input::{InputReconciled, InputUnknown, InputVerdict, Principal},
        memory::{MemoryAdopted, MemoryChange, MemoryNoted, MemorySynced, MemoryTarget, MemoryWarmed, MemoryWritten},
        message::{GivenRole, Message, MessageRecorded},
        model::{PrefixDiverged, Usage},
        prompt::{PromptBuilt, PromptSource, ToolsetFrozen},
        session::{
            BusyMode, ForkPoint, ResetReason, RewindReason, SessionArchived, SessionBranched, SessionConfigured,
            SessionEraseRequested, SessionErased, SessionForked, SessionInherited, SessionRenamed, SessionReset,
            SessionRestored, SessionRewound, SessionUnarchived,
        },
        tool::{
            ApprovalScope, ToolApprovalAsked, ToolApprovalDenied, ToolApprovalGiven, ToolProgressed, ToolReconciled,
            ToolUnknown, ToolVerdict,
        },
        turn::TurnSteered,
    },
};
use std::collections::BTreeSet;

/// The fold's number, and the digest of what it makes of the golden histories.
const GOLDEN: (u32, &str) = (3, "d386b9870fd348a75755ad853ef8eadcd837fa6557fdaf64ddbf6fe5aaba1b6c");

/// Event types that no session's stream has.
const NOT_FOLDED: [&str; 3] = ["host.started", "host.stopped", "append.refused"];

/// What the random histories never hold.
fn rare() -> Vec<Event> {
    let (turn, admission) = (turn(1), admission(1));
    let (agent, digest, text) = ("main".to_owned(), Digest::of(b"text"), "text".to_owned());
    let changes = vec![
        MemoryChange::Added(text.clone()),
        MemoryChange::Replaced { old: digest, new: text.clone() },
        MemoryChange::Removed(digest),
    ];
    let given = Message::Given { role: GivenRole::Assistant, parts: vec![Part::Text(text.clone())] };
    let usage = Usage { input: 9, cached: Some(4), output: 2, reasoning: None };
    let mut events = vec![opened(), queued(1)];
    events.extend(claimed(1, 1));
    events.extend([
        SessionRenamed { name: "ideas".into(), previous: "notes".into(), by: None }.into(),
        prompt(),
        tools(),
        MemoryAdopted { agent: agent.clone(), memory: vec![digest], user: vec![] }.into(),
        MessageRecorded { turn, message: given, api_content: None }.into(),
        said(1, None),
        requested(1, 1, "h", 0, &["a", "b"]),
        PrefixDiverged { turn, at: 1, expected: digest, actual: digest, cause: "another model".into() }.into(),
        requested(1, 2, "h", 1, &["c"]),
        responded(1, 2, Some(usage)),
        answered(1, "one moment", &["todo"]),
        tool_requested(1, call(16, 0)),
        tool_started(1, call(16, 0)),
        ToolUnknown { turn, call: call(16, 0), why: "cut off".into() }.into(),
        tool_finished(1, call(99, 0), "of no call"),
        InputUnknown { admission, why: "cut off".into() }.into(),
        MemorySynced { turn, obligation: ObligationId::default(), possible_duplicate: true }.into(),
        MemoryWarmed { turn, obligation: ObligationId::default() }.into(),
        MemoryNoted {
            agent: agent.clone(),
            target: MemoryTarget::User,
            changes,
            before: digest,
            after: digest,
            writer: "tool".into(),
            turn: Some(turn),
        }
        .into(),
        MemoryWritten { agent, target: MemoryTarget::User, after: digest }.into(),
    ]);
    events.extend(asked_and_told());
    events.extend(rewritten());
    events
}

fn prompt() -> Event {
    let (digest, text) = (Digest::of(b"text"), "text".to_owned());
    PromptBuilt {
        stable: shared(),
        context: text.clone(),
        volatile: text,
        sources: vec![PromptSource { tier: "context".into(), name: "AGENTS.md".into(), digest }],
        digest,
    }
    .into()
}

fn tools() -> Event {
    ToolsetFrozen { schemas: shared(), names: vec!["todo".into()] }.into()
}

fn shared() -> SharedText {
    SharedText { address: Digest::of(b"shared"), length: 11 }
}

/// What people say of tools and inputs, behind the events of [`rare`].
fn asked_and_told() -> Vec<Event> {
    let (turn, admission) = (turn(1), admission(1));
    let (digest, why) = (Digest::of(b"shown"), "so it is".to_owned());
    vec![
        answered(1, "two more", &["todo", "memory"]),
        tool_requested(1, call(27, 0)),
        tool_requested(1, call(27, 1)),
        ToolApprovalAsked { turn, call: call(27, 0), digest, why: why.clone() }.into(),
        ToolApprovalGiven { turn, call: call(27, 0), digest, by: me(), scope: ApprovalScope::Session }.into(),
        ToolApprovalAsked { turn, call: call(27, 1), digest, why: why.clone() }.into(),
        ToolApprovalDenied { turn, call: call(27, 1), by: me(), why: why.clone() }.into(),
        tool_started(1, call(27, 0)),
        ToolProgressed { turn, call: call(27, 0), output: "half".into() }.into(),
        ToolUnknown { turn, call: call(27, 0), why: why.clone() }.into(),
        InputUnknown { admission, why: why.clone() }.into(),
        ToolReconciled { turn, call: call(27, 0), verdict: ToolVerdict::NotDone, by: me(), why: why.clone() }.into(),
        InputReconciled { admission, verdict: InputVerdict::Again, by: me(), why }.into(),
    ]
}

/// What becomes of a session's own history.
fn rewritten() -> Vec<Event> {
    let from = ForkPoint { stream: stream(), version: Version(3) };
    let (unfinished, dropped) = (Some("cut".to_owned()), Some("reasoning".to_owned()));
    vec![
        TurnSteered { turn: turn(1), admission: admission(1) }.into(),
        SessionConfigured { busy: Some(BusyMode::Steer), by: me() }.into(),
        SessionBranched { child: stream(), at: Version(3), by: me() }.into(),
        SessionForked { from, depth: 1, profile: None, unfinished, dropped }.into(),
        SessionRewound {
            to: ForkPoint { stream: stream(), version: Version(12) },
            reason: RewindReason::Undo,
            by: me(),
        }
        .into(),
        SessionRestored { rewound: Version(44), by: me() }.into(),
        SessionReset { reason: ResetReason::Idle, note: Some("a new day".into()), by: me() }.into(),
        SessionInherited {
            stream: stream(),
            version: Version(1),
            recorded_at: Default::default(),
            kind: "a.kind".into(),
            schema: 1,
            payload: vec![7],
        }
        .into(),
        SessionArchived { by: me() }.into(),
        SessionUnarchived { by: me() }.into(),
        prompt(),
        tools(),
    ]
}

/// A session that was erased: nothing else of it is left in the state.
fn erased() -> Vec<Event> {
    let by = Principal { adapter: "cli".into(), subject: "alice".into() };
    let asked = SessionEraseRequested { name: "notes".into(), route: None, by };
    vec![opened(), queued(1), asked.into(), SessionErased { events: 3, after_restart: false }.into()]
}

/// Fixed histories that hold every event type that a session can have.
fn golden_histories() -> Vec<Vec<Recorded>> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut choice = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    let mut histories: Vec<_> = (0..8).map(|_| history(&(0..150).map(|_| choice()).collect::<Vec<_>>())).collect();
    histories.push(records(rare()));
    histories.push(records(erased()));
    histories
}

/// A state of every version: a rule that leaves no trace at the end shows on the way.
#[test]
fn the_shape_of_the_fold_has_its_number() {
    let mut all = Vec::new();
    for history in golden_histories() {
        let mut state = SessionState::empty(stream());
        for recorded in &history {
            state.apply(recorded).unwrap();
            all.extend_from_slice(&Digest::of(&state.to_bytes().unwrap()).0);
        }
    }
    let found = Digest::of(&all).hex();
    assert_eq!(
        (FOLD_VERSION, found.as_str()),
        GOLDEN,
        "the state's fields or the fold's rules are not what they were: raise FOLD_VERSION in snapshot.rs, then put \
         both values into GOLDEN. Without that an old snapshot would be taken for a new one"
    );
}

#[test]
fn the_golden_histories_hold_every_event() {
    let held: BTreeSet<_> = golden_histories().into_iter().flatten().map(|recorded| recorded.kind).collect();
    let missing: Vec<_> = Event::TYPES.iter().map(|(name, _)| *name).filter(|name| !held.contains(*name)).collect();
    assert_eq!(missing, NOT_FOLDED, "put a new event type into `rare`, and raise FOLD_VERSION");
}

#[test]
fn a_state_comes_back_from_its_bytes_at_every_version() {
    for history in golden_histories() {
        let mut state = SessionState::empty(stream());
        for recorded in &history {
            state.apply(recorded).unwrap();
            let bytes = state.to_bytes().unwrap();
            let back = restored(&bytes).unwrap();
            assert_eq!(portrait(&back), portrait(&state));
            assert_eq!(back.to_bytes().unwrap(), bytes, "at version {}", state.version);
        }
    }
}

#[test]
fn bytes_of_something_else_are_refused() {
    let bytes = given(rare()).to_bytes().unwrap();
    for other in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat(), &[]] {
        assert!(matches!(restored(other), Err(RestoreError::Codec(_))));
    }
}

#[test]
fn a_shared_text_is_named_in_the_bytes_and_must_be_there() {
    let bytes = given(rare()).to_bytes().unwrap();
    assert!(!bytes.windows(SHARED.len()).any(|window| window == SHARED.as_bytes()));
    let gone = SessionState::from_bytes(&bytes, |text| Err(BlobError::Missing(text.address)));
    assert!(matches!(gone, Err(RestoreError::Text(BlobError::Missing(address))) if address == Digest::of(b"shared")));
}

#[test]
fn the_mark_is_the_same_each_time_and_the_state_knows_its_hash() {
    assert_eq!(shape(), shape());
    let recorded = Recorded { hash: Digest::of(b"event"), ..record(1, opened()) };
    let state = fold(std::slice::from_ref(&recorded));
    assert_eq!((state.hash, state.version), (recorded.hash, Version(1)));
}
