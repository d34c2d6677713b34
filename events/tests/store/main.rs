//! The store: one conformance suite for every engine, then what only one engine or one layer has.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod conformance;
mod damage;
mod faulty;
mod gated;
mod log;
mod sled_engine;
mod sqlite_engine;
mod subject;
mod verify;

use subject::{InLine, Memory, Sled, Sqlite};

conformance::suite! {
    memory: Memory;
    in_line: InLine;
    sled: Sled;
    sqlite: Sqlite;
}
