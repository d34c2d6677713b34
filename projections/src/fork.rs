//! What a fork begins with: its parent's conversation as of the fork point, and nothing else of it.
//!
//! Nothing is copied in the log. Whoever folds a fork folds its parent up to the fork point, makes an inherited state of
//! that, and goes on with the fork's own events.

use crate::{SessionState, state::FoldError};
use dispatch_events::{
    Event, Recorded, StreamId,
    catalogue::session::{ForkPoint, SessionBranched, SessionForked},
};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// Where a session's conversation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherited {
    /// The place in the parent's stream.
    pub from: ForkPoint,
    /// How many forks stand between this session and one that is none, this one included.
    pub depth: u32,
}

/// The forks of a session and, if it is one, its own origin.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Family {
    /// Where the conversation comes from; `None` if the session is no fork.
    pub inherited: Option<Inherited>,
    /// The forks of this session, in order. One may not be there: the host may have stopped before it was opened.
    pub branches: Vec<SessionBranched>,
}

impl SessionState {
    /// What the fork `child` has before its first event: the conversation of its parent as of now. Requests, tokens,
    /// inputs, turns, consents and all that is under way or owed stay the parent's alone.
    pub fn forked(parent: Self, child: StreamId) -> Self {
        let from = ForkPoint { stream: parent.stream, version: parent.version };
        let depth = parent.family.inherited.map_or(0, |inherited| inherited.depth) + 1;
        Self {
            prompt: parent.prompt.inherited(),
            transcript: parent.transcript.inherited(from.stream),
            calls: parent.calls.inherited(),
            memory: parent.memory,
            family: Family { inherited: Some(Inherited { from, depth }), branches: Vec::new() },
            ..Self::empty(child)
        }
    }

    /// A fork that is folded without its parent would look like a shorter conversation.
    pub(crate) fn belongs(&self, recorded: &Recorded) -> Result<(), FoldError> {
        let Some(Event::SessionOpened(opened)) = recorded.event() else { return Ok(()) };
        let from = self.family.inherited.map(|inherited| inherited.from);
        if opened.parent == from {
            return Ok(());
        }
        Err(FoldError::Origin { stream: self.stream, parent: opened.parent, folded: from })
    }

    /// Folds what an event says of forks.
    pub(crate) fn relate(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::SessionOpened(event)) if event.parent.is_some() => {
                // The caller's system message stands in the event that opened the first of the line.
                if let Some(opened) = &mut self.opened {
                    opened.system = Some(self.prompt.caller().to_owned()).filter(|caller| !caller.is_empty());
                }
            }
            Some(Event::SessionForked(event)) => self.settle(event),
            Some(Event::SessionBranched(event)) => self.family.branches.push(event.clone()),
            _ => {}
        }
    }

    fn settle(&mut self, event: &SessionForked) {
        if let Some(unfinished) = &event.unfinished {
            self.transcript.finish_inherited(unfinished);
        }
        if event.dropped.is_some() {
            self.transcript.drop_foreign();
        }
        self.calls.choose(event.profile.as_deref());
    }
}
