//! Streams as vendors send them, cut in every way.

mod bounds;
mod calls;
mod cuts;
mod odd;
mod reasoning;
mod whole;

use super::body::{self, Reading};
use crate::model::{failure::fault, profile::ReplayReasoning};
use bytes::Bytes;
use dispatch_actors::ports::{ErrorClass, ModelAnswer, ModelError, ModelEvent};
use futures_util::{StreamExt, stream};
use std::time::Duration;

/// How a scripted body ends.
#[derive(Clone, Copy)]
enum End {
    Clean,
    Broken,
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn run(pieces: &[&[u8]], end: End, replay: ReplayReasoning) -> Vec<Result<ModelEvent, ModelError>> {
    let mut items: Vec<Result<Bytes, ModelError>> =
        pieces.iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    if let End::Broken = end {
        items.push(Err(fault(ErrorClass::Connection, "cut".into())));
    }
    let reading = Reading { content_type: String::new(), replay, without_event: Duration::from_secs(60) };
    block_on(body::events(stream::iter(items).boxed(), reading).collect())
}

/// The answer, and a check that its text is what was shown.
fn answer_of(events: Vec<Result<ModelEvent, ModelError>>) -> Result<ModelAnswer, ModelError> {
    let (mut text, mut reasoning) = (String::new(), String::new());
    for event in events {
        match event? {
            ModelEvent::Text(piece) => text.push_str(&piece),
            ModelEvent::Reasoning(piece) => reasoning.push_str(&piece),
            ModelEvent::Finished(answer) => {
                assert_eq!(answer.text, text);
                assert_eq!(answer.reasoning.clone().unwrap_or_default(), reasoning);
                return Ok(answer);
            }
        }
    }
    panic!("the stream ended without an answer or an error");
}

fn answer(body: &str) -> Result<ModelAnswer, ModelError> {
    answer_of(run(&[body.as_bytes()], End::Clean, ReplayReasoning::AsCame))
}

/// A body of events out of chunks.
fn events(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

/// Chunks out of deltas, then the end.
fn deltas(deltas: &[&str], finish: &str) -> String {
    let chunks: Vec<String> =
        deltas.iter().map(|delta| format!(r#"{{"id":"r1","choices":[{{"index":0,"delta":{delta}}}]}}"#)).collect();
    let mut chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let last = format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]}}"#);
    chunks.extend([last.as_str(), "[DONE]"]);
    events(&chunks)
}

fn class(body: &str) -> ErrorClass {
    answer(body).unwrap_err().class
}
