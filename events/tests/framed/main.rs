//! The framed file: what goes in comes out, anything else is named, and nothing of it is clear text.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod damage;
mod reading;
#[path = "../store/subject.rs"]
#[expect(dead_code, reason = "shared with the suite of the store, which uses all of it")]
mod subject;
mod written;
