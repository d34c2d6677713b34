//! Ctrl-C: once stops the turn, twice leaves.

use crate::cli::{door::Door, exit::Failure, paper::Paper};
use dispatch_events::TurnId;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Two presses within this mean "leave".
const TWICE: Duration = Duration::from_secs(2);

/// What was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// Once.
    Once,
    /// Again within two seconds, or the process was told to end.
    Twice,
}

/// The presses.
pub struct Interrupts {
    pressed: Signal,
    ended: Signal,
    last: Option<Instant>,
}

impl Interrupts {
    /// Begins to listen: from now on Ctrl-C does not end the process.
    pub fn listen() -> Result<Self, Failure> {
        let on = |kind| signal(kind).map_err(|error| Failure::failed(format!("signals can't be received: {error}")));
        Ok(Self { pressed: on(SignalKind::interrupt())?, ended: on(SignalKind::terminate())?, last: None })
    }

    /// The next press.
    pub async fn next(&mut self) -> Pressed {
        tokio::select! {
            _ = self.ended.recv() => Pressed::Twice,
            _ = self.pressed.recv() => {
                let now = Instant::now();
                let before = self.last.replace(now);
                if before.is_some_and(|before| now - before < TWICE) { Pressed::Twice } else { Pressed::Once }
            }
        }
    }
}

/// Stops the turn that is on the screen, and no other: between the press and the host's answer it may end, and the next
/// person's input may begin.
pub async fn the_turn(paper: Paper, door: &Door, session: &str, turn: Option<TurnId>) -> Result<(), Failure> {
    let Some(turn) = turn else {
        paper
            .note("\nthis input still waits, so there is nothing to stop (Ctrl-C again leaves; it stays in the queue)");
        return Ok(());
    };
    paper.note("\nstopping the turn (Ctrl-C again leaves)");
    match door.interrupt(session, Some(turn)).await {
        // It ended first: its end is on its way to the screen.
        Err(failure) if failure.code == "stale_generation" => Ok(()),
        done => done.map(|_| ()),
    }
}
