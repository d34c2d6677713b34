//! Given events, then a view: the form of every test of a fold.

use crate::{SessionState, snapshot::RestoreError};
use dispatch_events::{
    AdmissionId, Body, CorrelationId, Digest, Epoch, Event, EventId, Generation, ObligationId, Part, Position,
    PrincipalId, RawJson, Recorded, StreamId, Timestamp, TurnId, Version,
    catalogue::{
        input::{InputQueued, InputSettled, InputStarted, Intent, Outcome, Principal},
        lease::{LeaseAcquired, LeaseReleased},
        message::{ApiContent, Message, MessageRecorded, ToolCall},
        model::{ModelRequested, ModelResponded, Usage},
        session::SessionOpened,
        tool::{CallRef, EffectClass, EffectDisposition, ToolFinished, ToolOutcome, ToolRequested, ToolStarted},
        turn::{TurnCompleted, TurnStarted},
    },
    keys::KeyId,
};

/// The text of shared texts in these tests.
pub const SHARED: &str = "shared text";

pub fn turn(number: u8) -> TurnId {
    TurnId::from_bytes([number; 16])
}

pub fn admission(number: u8) -> AdmissionId {
    AdmissionId::from_bytes([number; 16])
}

pub fn obligation(number: u8) -> ObligationId {
    ObligationId::from_bytes([number; 16])
}

pub fn stream() -> StreamId {
    StreamId::from_bytes([0xAA; 16])
}

/// A record at a version of the stream; one second passes from each to the next.
pub fn record(version: u64, event: Event) -> Recorded {
    Recorded {
        position: Position(100 + version),
        stream: stream(),
        version: Version(version),
        id: EventId::default(),
        recorded_at: Timestamp(version as i64 * 1_000_000),
        epoch: Epoch(1),
        correlation: CorrelationId::default(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
        kind: event.name().to_owned(),
        schema: event.schema(),
        key: KeyId::default(),
        hash: Digest::default(),
        shared: event.shared_texts().iter().map(|_| SHARED.into()).collect(),
        body: Body::Known(event),
    }
}

/// The records that these events make, from version 1 on.
pub fn records(events: impl IntoIterator<Item = Event>) -> Vec<Recorded> {
    (1..).zip(events).map(|(version, event)| record(version, event)).collect()
}

/// The state that these events give.
pub fn given(events: impl IntoIterator<Item = Event>) -> SessionState {
    fold(&records(events))
}

/// The state that these records give.
pub fn fold(records: &[Recorded]) -> SessionState {
    let mut state = SessionState::empty(stream());
    for recorded in records {
        state.apply(recorded).expect("a test gives events in order");
    }
    state
}

/// The state that these bytes hold.
pub fn restored(bytes: &[u8]) -> Result<SessionState, RestoreError> {
    SessionState::from_bytes(bytes, |_| Ok(SHARED.into()))
}

/// Folds one more event.
pub fn then(state: &mut SessionState, event: impl Into<Event>) {
    let recorded = record(state.version.0 + 1, event.into());
    state.apply(&recorded).expect("a test gives events in order");
}

pub fn me() -> Principal {
    Principal { adapter: "cli".into(), subject: "me".into() }
}

pub fn opened() -> Event {
    let (name, source, agent) = ("notes".into(), "cli".into(), "main".into());
    SessionOpened { name, route: None, source, agent, parent: None, system: None }.into()
}

/// Input `number`, at that place of the queue, with the text `input <number>`.
pub fn queued(number: u8) -> Event {
    InputQueued {
        admission: admission(number),
        principal: me(),
        request: format!("r{number}"),
        digest: Digest::of(&[number]),
        intent: Intent::Queue,
        seq: u64::from(number),
        parts: vec![Part::Text(format!("input {number}"))],
        message: None,
        demoted: None,
        again: None,
    }
    .into()
}

/// The claim of an input by the turn of the same number.
pub fn claimed(number: u8, generation: u64) -> Vec<Event> {
    let (admission, turn, generation) = (admission(number), turn(number), Generation(generation));
    vec![
        InputStarted { admission, turn, generation }.into(),
        LeaseAcquired { holder: Epoch(1), generation, ttl_ms: 300_000 }.into(),
        TurnStarted { turn, admission }.into(),
    ]
}

/// The user message of turn `number`.
pub fn said(number: u8, api_content: Option<ApiContent>) -> Event {
    MessageRecorded { turn: turn(number), message: Message::User { admission: admission(number) }, api_content }.into()
}

/// An answer in turn `number` that asks for these tools.
pub fn answered(number: u8, text: &str, tools: &[&str]) -> Event {
    let calls = (0..).zip(tools).map(|(index, tool)| ToolCall {
        id: format!("c{index}"),
        tool: (*tool).to_owned(),
        arguments: RawJson(format!("{{\"n\":{index}}}")),
    });
    let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] };
    let message = Message::Assistant { parts, reasoning: None, calls: calls.collect(), extra: None, partial: false };
    MessageRecorded { turn: turn(number), message, api_content: None }.into()
}

pub fn call(message: u64, index: u32) -> CallRef {
    CallRef { message: Version(message), index }
}

pub fn tool_requested(number: u8, call: CallRef) -> Event {
    ToolRequested { turn: turn(number), call }.into()
}

pub fn tool_started(number: u8, call: CallRef) -> Event {
    ToolStarted { turn: turn(number), call, class: EffectClass::Effect }.into()
}

pub fn tool_finished(number: u8, call: CallRef, output: &str) -> Event {
    let (outcome, effect) = (ToolOutcome::Ok, EffectDisposition::Done);
    ToolFinished { turn: turn(number), call, outcome, effect, output: output.to_owned(), duration_ms: 12 }.into()
}

/// A request whose fragments have these names; it shares `extends` with the one before it.
pub fn requested(number: u8, attempt: u32, head: &str, extends: u32, new: &[&str]) -> Event {
    let digest = |name: &&str| Digest::of(name.as_bytes());
    ModelRequested {
        turn: turn(number),
        attempt,
        purpose: "turn".into(),
        profile: "local".into(),
        model: "m-1".into(),
        dialect: "chat_completions".into(),
        dialect_version: 1,
        head: Digest::of(head.as_bytes()),
        parameters: RawJson("{}".into()),
        messages: extends + new.len() as u32,
        extends,
        fragments: new.iter().map(digest).collect(),
        prefix: Digest::default(),
        length: 64,
    }
    .into()
}

pub fn responded(number: u8, attempt: u32, usage: Option<Usage>) -> Event {
    ModelResponded {
        turn: turn(number),
        attempt,
        response: None,
        finish: "stop".into(),
        usage,
        cost: None,
        first_token_ms: Some(5),
        duration_ms: 9,
    }
    .into()
}

/// The end of turn `number` with an answer.
pub fn completed(number: u8, generation: u64) -> Vec<Event> {
    vec![
        TurnCompleted { turn: turn(number) }.into(),
        InputSettled { admission: admission(number), outcome: Outcome::Completed, why: None }.into(),
        LeaseReleased { generation: Generation(generation) }.into(),
    ]
}

/// One after the other.
pub fn all<const N: usize>(pieces: [Vec<Event>; N]) -> Vec<Event> {
    pieces.into_iter().flatten().collect()
}
