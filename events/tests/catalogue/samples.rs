//! One place for the samples, grouped as the catalogue is. `empty` has every optional part absent and every list empty,
//! `full` has all of them, `plain` has neither; other names are one alternative of an enum each, because the order of
//! the alternatives is on disk.

mod host;
mod input;
mod memory;
mod message;
mod model;
mod obligation;
mod prompt;
mod session;
mod tool;
mod turn;

use dispatch_events::{Digest, Event, RawJson};
use uuid::Uuid;

/// An event and the name of its variant.
pub struct Sample {
    pub variant: &'static str,
    pub event: Event,
}

/// Every sample.
pub fn all() -> Vec<Sample> {
    [
        host::samples(),
        session::samples(),
        input::samples(),
        turn::samples(),
        prompt::samples(),
        message::samples(),
        model::samples(),
        tool::samples(),
        memory::samples(),
        obligation::samples(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn sample(variant: &'static str, event: impl Into<Event>) -> Sample {
    Sample { variant, event: event.into() }
}

fn plain(event: impl Into<Event>) -> Sample {
    sample("plain", event)
}

fn empty(event: impl Into<Event>) -> Sample {
    sample("empty", event)
}

fn full(event: impl Into<Event>) -> Sample {
    sample("full", event)
}

/// An id whose bytes show their order.
fn id(low: u8) -> Uuid {
    Uuid::from_bytes([0x01, 0x92, 0xab, 0xcd, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, low])
}

fn digest(first: u8) -> Digest {
    let mut bytes = [0; 32];
    for (byte, value) in bytes.iter_mut().zip(first..) {
        *byte = value;
    }
    Digest(bytes)
}

/// JSON as nobody would write it again: spaces, escapes, a repeated key, digits that a float would lose.
fn raw_json() -> RawJson {
    RawJson(
        "{ \"b\" :1.0000000000000000001,\r\n\t\"a\":\"\\u00e9 é 漢字 🦀 \\/\", \"b\":[ ] , \"n\":-0 }  \n".to_owned(),
    )
}

/// Text of one, two, three and four bytes a character, with a zero and a line end in it.
fn text() -> String {
    "plain, é, 漢字, 🦀, e\u{301}, \u{202e}, \0, \r\n".to_owned()
}
