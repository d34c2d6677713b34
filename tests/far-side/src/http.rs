//! A small HTTP/1.1 server that does what a script says, right or wrong.
//!
//! A finished server library cannot cut a body in two, send one byte per write or promise a length that it does not
//! keep, and all of these are faults that the host must survive. So the loop is written out: [`incoming`] reads one
//! request, a handler turns it into a [`Reply`], [`play`] carries out the reply step by step, [`server`] owns the
//! listener and the thread, and [`recorder`] keeps what came in.

mod incoming;
mod play;
mod recorder;
mod reply;
mod request;
mod server;
mod wire;

pub use reply::{Framing, Reply, Step};
pub use request::{Ended, Outcome, Request};

pub(crate) use recorder::{Recorder, peak_in_flight};
pub(crate) use server::Server;
