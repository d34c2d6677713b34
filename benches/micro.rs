//! What has to stay small for a turn not to grow with its session: rendering and hashing one new message, putting the
//! body together, folding.
//!
//! `cargo bench --bench micro`. The first two at a history of 10 and of 1,000 messages: the message must cost the same
//! at both, the body grows with the history because it is sent whole.

#![expect(clippy::unwrap_used, reason = "a bench stops where something is wrong")]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dispatch_actors::{
    ports::{Dialect as _, HeadInput},
    wire::Rendered,
};
use dispatch_adapters::model::chat_completions::ChatCompletions;
use dispatch_events::{
    AdmissionId, CorrelationId, Digest, Draft, Event, EventId, Generation, Log, Part, PrincipalId, RawJson, Recorded,
    StreamId, SystemClock, TurnId, Version,
    catalogue::{
        input::{InputQueued, InputSettled, InputStarted, Intent, Outcome, Principal},
        message::{Message, MessageRecorded},
        model::{ModelRequested, ModelResponded},
        turn::{TurnCompleted, TurnStarted},
    },
};
use dispatch_projections::{SessionState, replay::WireMessage};
use std::{hint::black_box, sync::Arc, time::Duration};

/// Events of the stream that is folded.
const EVENTS: usize = 1000;

fn text(number: usize) -> String {
    format!("Message {number}: ") + &"a sentence of some length, \"quoted\" here and there; ".repeat(8)
}

fn message(number: usize) -> WireMessage {
    match number % 2 {
        0 => WireMessage::User { text: text(number) },
        _ => WireMessage::Assistant { text: text(number), reasoning: None, calls: Vec::new(), extra: None },
    }
}

fn history(messages: usize) -> Rendered {
    let system = "You help in this project. ".repeat(80);
    let head = HeadInput { model: "m", system: &system, tools: "[]" };
    let mut rendered = Rendered::new(Arc::new(ChatCompletions), head);
    rendered.extend((0..messages).map(message));
    rendered
}

fn render(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render and hash one new message");
    for messages in [10, 1000] {
        // A batch of one: the copy of the history is made and dropped outside the measured time. One message goes in
        // before: a copy has no room to spare, and the next push moves every list, which a live session does rarely.
        group.bench_function(BenchmarkId::from_parameter(format!("behind {messages}")), |bencher| {
            let rendered = history(messages);
            bencher.iter_batched(
                || {
                    let mut rendered = rendered.clone();
                    rendered.extend([message(messages)]);
                    (rendered, message(messages + 1))
                },
                |(mut rendered, message)| {
                    rendered.extend([message]);
                    rendered
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("put the body together");
    let parameters = ChatCompletions.parameters(true);
    for messages in [10, 1000] {
        let rendered = history(messages);
        group.throughput(Throughput::Bytes(rendered.body(&parameters).len() as u64));
        group.bench_function(BenchmarkId::from_parameter(format!("of {messages} messages")), |bencher| {
            bencher.iter(|| black_box(rendered.body(&parameters)));
        });
    }
}

/// The events of one plain turn, as a session records them.
fn turn(number: usize) -> Vec<Event> {
    let (turn, admission) = (TurnId::fresh(), AdmissionId::fresh());
    let digest = Digest::of(&number.to_le_bytes());
    let principal = Principal { adapter: "http".into(), subject: "somebody".into() };
    let request = format!("request-{number}");
    let (seq, messages) = (number as u64 + 1, number as u32 * 2 + 1);
    let parts = || vec![Part::Text(text(number))];
    let assistant =
        Message::Assistant { parts: parts(), reasoning: None, calls: Vec::new(), extra: None, partial: false };
    vec![
        InputQueued {
            admission,
            principal,
            request,
            digest,
            intent: Intent::Queue,
            seq,
            parts: parts(),
            message: None,
            demoted: None,
            again: None,
        }
        .into(),
        InputStarted { admission, turn, generation: Generation(seq) }.into(),
        TurnStarted { turn, admission }.into(),
        MessageRecorded { turn, message: Message::User { admission }, api_content: None }.into(),
        ModelRequested {
            turn,
            attempt: 1,
            purpose: "turn".into(),
            profile: "local".into(),
            model: "m".into(),
            dialect: "chat_completions".into(),
            dialect_version: 1,
            head: digest,
            parameters: RawJson(r#"{"stream":true}"#.into()),
            messages,
            extends: messages.saturating_sub(2),
            fragments: vec![digest; 2],
            prefix: digest,
            length: 4096,
        }
        .into(),
        ModelResponded {
            turn,
            attempt: 1,
            response: None,
            finish: "stop".into(),
            usage: None,
            cost: None,
            first_token_ms: Some(1),
            duration_ms: 2,
        }
        .into(),
        MessageRecorded { turn, message: assistant, api_content: None }.into(),
        TurnCompleted { turn }.into(),
        InputSettled { admission, outcome: Outcome::Completed, why: None }.into(),
    ]
}

/// A stream of so many events, as the log gives them back.
fn stream() -> Vec<Recorded> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let log = Log::open(folder.path(), dispatch_events::store::EngineKind::Sled, Arc::new(SystemClock)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    for number in 0..EVENTS.div_ceil(9) {
        let correlation = CorrelationId::fresh();
        let draft =
            |event| Draft { event, correlation, causation: EventId::default(), principal: PrincipalId::default() };
        let appended = runtime.block_on(log.append(tip, turn(number).into_iter().map(draft).collect())).unwrap();
        tip.version = appended.events.last().unwrap().version;
    }
    log.read_stream(tip.stream, Version(1), EVENTS).unwrap()
}

fn fold(criterion: &mut Criterion) {
    let events = stream();
    assert_eq!(events.len(), EVENTS);
    let mut group = criterion.benchmark_group("fold");
    group.throughput(Throughput::Elements(EVENTS as u64));
    group.bench_function("a session of 1,000 events", |bencher| {
        bencher.iter(|| {
            let mut state = SessionState::empty(events[0].stream);
            for event in &events {
                state.apply(event).unwrap();
            }
            black_box(state)
        });
    });
}

criterion_group! {
    name = micro;
    config = Criterion::default().measurement_time(Duration::from_secs(3)).sample_size(20);
    targets = render, fold
}
criterion_main!(micro);
