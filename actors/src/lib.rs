//! The actors: who does what, in which order, and what is recorded before it is done.
//!
//! Start with [`handle::HostHandle`], the one door for adapters; then [`session`], the only writer of a session's
//! stream, and [`turn`], which carries one input to its answer. What may happen is decided by the pure functions of
//! [`decide`]; an actor only appends what they return, and then acts.
//!
//! | actor | one per | what it owns |
//! |---|---|---|
//! | [`host::Host`] | process | the directory of active sessions, drain |
//! | [`session::Session`] | active session | its stream, its queue, its lease |
//! | [`turn::Turn`] | running turn | the conversation with the model |
//! | [`provider::Provider`] | model profile | how many calls run, how long to hold back |
//! | [`memory_worker::MemoryWorker`] | agent | the memory files, and the one line to the backend |
//! | [`tool_runner::ToolRunner`] | host | how many tools run, and for how long |
//! | [`courier::Courier`] | host | what is owed to the outside |
//! | [`hub::Hub`] | host | who listens |
//!
//! # What the actors guarantee
//! - **Record, then act.** No request leaves and no tool runs before the event that announces it is on the disk.
//! - **Order.** A session decides one thing at a time: while an append is under way its mailbox is not read.
//! - **Back-pressure.** Mailboxes are bounded; a full one is an answer ([`Refusal::Busy`]), not a loss.
//! - **A panic loses nothing that was acknowledged.** The address is dead, the session is rebuilt from its log, the
//!   command is tried once more.

mod backoff;
pub mod blocking;
pub mod command;
pub mod courier;
pub mod decide;
pub mod handle;
pub mod host;
pub mod hub;
pub mod memory_worker;
pub mod ports;
pub mod provider;
pub mod routing;
pub mod session;
pub mod settings;
pub mod shared;
pub mod start;
pub mod tool_runner;
pub mod turn;
pub mod wire;

pub use blocking::Blocking;
pub use command::{Erased, Forks, Interrupted, Opening, Receipt, Refusal, SessionRef, Stop, Submit};
pub use handle::HostHandle;
pub use settings::{HostParts, HostSettings, Ownership};
pub use start::StartError;
