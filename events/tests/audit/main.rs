//! A log that answers for itself: what a check tells apart, anchors, and indexes that are made again.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod anchor;
mod checkpoint;
mod folder;
mod repair;
#[path = "../store/subject.rs"]
#[expect(dead_code, reason = "shared with the suite of the store, which uses all of it")]
mod subject;
mod verdicts;
