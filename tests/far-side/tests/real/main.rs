//! The far side over real sockets: what it promises to the tests that rely on it.

#![allow(clippy::unwrap_used, reason = "clippy allows it in test functions, and not in what they share")]

mod answers;
mod bodies;
mod client;
mod faults;
mod host;
mod memory;
mod process;
mod speed;
