//! A small HTTP/1.1 server that does what a script says, right or wrong.
//!
//! A finished server library cannot cut a body in two, send one byte per write or promise a length that it does not
//! keep, and all of these are faults that the host must survive. So the loop is written out: `incoming` reads one
//! request, a handler turns it into a [`Reply`], `play` carries out the reply step by step, [`Server`] owns the
//! listener and the thread, and [`Recorder`] keeps what came in.
//! They are public because the other far sides (channels, webhooks, MCP servers) are built from them.

mod incoming;
mod play;
mod recorder;
mod reply;
mod request;
mod server;
mod wire;

pub use recorder::{Recorder, peak_in_flight};
pub use reply::{Framing, Reply, Step};
pub use request::{Ended, Outcome, Request};
pub use server::{Handler, Server};
