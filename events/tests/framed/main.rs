//! The framed file, copies between engines, backups: what goes in comes out, anything else is named, and nothing that
//! leaves the data folder is clear text.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod backup;
mod copying;
mod damage;
mod damaging;
mod erasure;
mod reading;
#[path = "../store/subject.rs"]
#[expect(dead_code, reason = "shared with the suite of the store, which uses all of it")]
mod subject;
mod written;
