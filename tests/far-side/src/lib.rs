//! What Dispatch talks to in its end-to-end tests, and Dispatch itself as a child process.
//!
//! The tests drive the built binary over real sockets, so everything on the other end of a socket has to be ours: it
//! must answer exactly what a test wrote down, at the moment the test wants, with any fault that a real vendor has
//! shown, and it must keep what it was sent to the last byte.
//!
//! | module | what it is |
//! |---|---|
//! | [`http`] | a small HTTP/1.1 server on a thread of its own, which can break every rule on purpose |
//! | [`model`] | [`ScriptedModel`]: OpenAI chat completions, streaming or not, from a script |
//! | [`memory`] | [`ScriptedMemory`]: the self-hosted mem0 interface, from a script |
//! | [`body`] | the exact text of the parts of a request body, and their digests |
//! | [`host`] | [`HostProcess`]: `dispatch serve` as a child, with a client for its routes |
//!
//! Nothing here knows Dispatch's crates: a far side that shared code with the host would share its mistakes.
//!
//! A failed expectation panics with the reason, because the only callers are tests; what a test may want to look at
//! instead (a host that refuses to start) comes as a `Result`.

pub mod body;
pub mod host;
pub mod http;
pub mod memory;
pub mod model;

pub use body::{digests, first_difference, message_elements, raw_field, sha256};
pub use host::{ChatStream, CliOutput, Event, HostClient, HostProcess, HostReply, HostSetup, NotReady};
pub use http::{Ended, Outcome, Request};
pub use memory::{MemoryAnswer, ScriptedMemory};
pub use model::{Answer, Call, ScriptedModel, Usage};
pub use reqwest::Method;
