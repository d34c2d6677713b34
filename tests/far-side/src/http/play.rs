//! Carrying out a reply, step by step, on a connection.

use std::io;
use std::time::{Duration, Instant};

use super::reply::{Framing, Reply, Step};
use super::request::{Ended, Outcome, Request};
use super::wire::Wire;

/// Plays the reply to the request and says how it went. The connection is usable afterwards only if it ended
/// [`Ended::Whole`] with a framing that marks the end.
pub(super) async fn play(wire: &mut Wire, request: &Request, reply: Reply) -> Outcome {
    let mut player =
        Player { wire, framing: reply.framing, pending: Vec::new(), arrived: request.arrived, first: None };
    let ended = match player.carry_out(reply).await {
        Ok(ended) => ended,
        // The only thing that can fail is the socket, and it fails because the other side is gone.
        Err(_) => Ended::HungUp,
    };
    Outcome { first_byte: player.first, busy: request.arrived.elapsed(), ended }
}

struct Player<'a> {
    wire: &'a mut Wire,
    framing: Framing,
    /// Collected, not yet written.
    pending: Vec<u8>,
    arrived: Instant,
    first: Option<Duration>,
}

impl Player<'_> {
    async fn carry_out(&mut self, reply: Reply) -> io::Result<Ended> {
        if !reply.before_headers.is_zero() {
            self.wire.pause(reply.before_headers).await?;
        }
        self.pending = reply.head();
        for step in reply.steps {
            match step {
                Step::Send(bytes) => self.collect(&bytes),
                Step::Flush => self.flush().await?,
                Step::Pause(length) => {
                    self.flush().await?;
                    self.wire.pause(length).await?;
                }
                Step::Cut => {
                    self.flush().await?;
                    return Ok(Ended::Cut);
                }
            }
        }
        if self.framing == Framing::Chunked {
            self.pending.extend_from_slice(b"0\r\n\r\n");
        }
        self.flush().await?;
        Ok(Ended::Whole)
    }

    fn collect(&mut self, bytes: &[u8]) {
        // An empty chunk would be read as the end of the body.
        if self.framing == Framing::Chunked && !bytes.is_empty() {
            self.pending.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
            self.pending.extend_from_slice(bytes);
            self.pending.extend_from_slice(b"\r\n");
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.wire.write(&self.pending).await?;
        self.first.get_or_insert_with(|| self.arrived.elapsed());
        self.pending.clear();
        Ok(())
    }
}
