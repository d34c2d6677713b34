//! Given events, when a command, then events: the form of every test of a decision.

use crate::{decide::settle::ClaimFacts, ports::Everybody};
use dispatch_events::{
    AdmissionId, Body, CorrelationId, Digest, Epoch, Event, EventId, Generation, Part, Position, PrincipalId, RawJson,
    Recorded, StreamId, Timestamp, TurnId, Version,
    catalogue::{
        input::{InputQueued, Intent, Principal},
        message::{Message, MessageRecorded, ToolCall},
        session::SessionOpened,
        tool::{CallRef, ToolRequested},
    },
    keys::KeyId,
};
use dispatch_projections::SessionState;
use uuid::Uuid;

pub fn turn_id(number: u128) -> TurnId {
    TurnId(Uuid::from_u128(number))
}

pub fn admission_id(number: u128) -> AdmissionId {
    AdmissionId(Uuid::from_u128(number))
}

pub const CLAIM: ClaimFacts<'static> = ClaimFacts {
    epoch: Epoch(7),
    lease_ttl_ms: 300_000,
    next_turn: TurnId(Uuid::from_u128(99)),
    may_start: true,
    policy: &Everybody,
};

/// The state that these events give.
pub fn given(events: impl IntoIterator<Item = Event>) -> SessionState {
    let mut state = SessionState::empty(StreamId::default());
    for event in events {
        apply(&mut state, event);
    }
    state
}

/// Folds one more event.
pub fn apply(state: &mut SessionState, event: Event) {
    let recorded = Recorded {
        position: Position(state.version.0 + 1),
        stream: state.stream,
        version: state.version.next(),
        id: EventId::default(),
        recorded_at: Timestamp::default(),
        epoch: Epoch(6),
        correlation: CorrelationId::default(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
        kind: event.name().to_owned(),
        schema: event.schema(),
        key: KeyId::default(),
        hash: Digest::default(),
        shared: event.shared_texts().iter().map(|_| "".into()).collect(),
        body: Body::Known(event),
    };
    state.apply(&recorded).expect("a test gives events in order");
}

/// The names of the events, which is what most tests are about.
pub fn names(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(Event::name).collect()
}

pub fn me() -> Principal {
    Principal { adapter: "test".into(), subject: "me".into() }
}

pub fn opened() -> Event {
    let (name, source, agent) = ("s".into(), "test".into(), "main".into());
    SessionOpened { name, route: None, source, agent, parent: None, system: None }.into()
}

pub fn queued(number: u128) -> Event {
    InputQueued {
        admission: admission_id(number),
        principal: me(),
        request: format!("r{number}"),
        digest: Digest::default(),
        intent: Intent::Queue,
        seq: number as u64,
        parts: vec![Part::Text(format!("input {number}"))],
        message: None,
        demoted: None,
        again: None,
    }
    .into()
}

/// The claim of an admission by the turn of the same number.
pub fn started(number: u128, generation: u64) -> Vec<Event> {
    let new = generation == 1;
    super::settle::claim(admission_id(number), turn_id(number), new, Generation(generation), Epoch(6), 300_000)
}

/// A session in whose first turn the user message is recorded.
pub fn running() -> Vec<Event> {
    let mut events = vec![opened(), queued(1)];
    events.extend(started(1, 1));
    let message = Message::User { admission: admission_id(1) };
    events.push(MessageRecorded { turn: turn_id(1), message, api_content: None }.into());
    events
}

/// An assistant message that asks for these tools, and the requests.
pub fn asks(state: &mut SessionState, tools: &[&str]) -> Vec<CallRef> {
    let calls = tools.iter().enumerate().map(|(index, tool)| ToolCall {
        id: format!("c{index}"),
        tool: (*tool).to_owned(),
        arguments: RawJson("{}".into()),
    });
    let message =
        Message::Assistant { parts: Vec::new(), reasoning: None, calls: calls.collect(), extra: None, partial: false };
    apply(state, MessageRecorded { turn: turn_id(1), message, api_content: None }.into());
    let message = Version(state.version.0);
    let refs: Vec<_> = (0..tools.len() as u32).map(|index| CallRef { message, index }).collect();
    for call in &refs {
        apply(state, ToolRequested { turn: turn_id(1), call: *call }.into());
    }
    refs
}
