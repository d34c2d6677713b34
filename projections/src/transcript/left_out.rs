//! What of a conversation is not sent any more. Nothing is removed: the lines stay, with the word why.

use super::{Entry, Said, Transcript};
use dispatch_events::{
    Event, Recorded, TurnId, Version,
    catalogue::session::{ForkPoint, ResetReason, SessionReset},
};
use serde::{Deserialize, Serialize};

/// Why a line is not sent any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftOut {
    /// Taken back, by the rewind of this version. People don't see it in the transcript either.
    Rewound(Version),
    /// The conversation began anew behind it, by the reset of this version. People still read it.
    Reset(Version),
}

impl Entry {
    /// Whether it goes to the model.
    pub(super) fn is_sent(&self) -> bool {
        self.left_out.is_none() && !matches!(self.said, Said::Notice { .. })
    }

    fn is_at(&self, place: ForkPoint) -> bool {
        self.stream == place.stream && self.version == place.version
    }

    /// Its place in the log.
    pub fn place(&self) -> ForkPoint {
        ForkPoint { stream: self.stream, version: self.version }
    }
}

impl Transcript {
    /// The user messages with which the exchanges begin that still hold, in order, with their turns. `begins` tells them
    /// from what was put into a turn later and from a history that the caller gave.
    pub fn exchanges<'a>(
        &'a self,
        begins: impl Fn(&Entry) -> bool + 'a,
    ) -> impl DoubleEndedIterator<Item = (ForkPoint, TurnId)> + 'a {
        let said = self.entries.iter().filter(|entry| entry.left_out.is_none());
        said.filter(move |entry| matches!(entry.said, Said::User { .. }) && begins(entry))
            .map(|entry| (entry.place(), entry.turn))
    }

    /// Whether a user message that still holds stands there.
    pub fn holds_message(&self, at: ForkPoint) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.is_at(at) && entry.left_out.is_none() && matches!(entry.said, Said::User { .. }))
    }

    /// The rewind that can be taken back.
    pub fn last_rewind(&self) -> Option<Version> {
        self.rewinds.last().copied()
    }

    /// Folds what changes the conversation itself.
    pub(super) fn rewritten(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::SessionRewound(event)) => {
                let Some(place) = self.entries.iter().position(|entry| entry.is_at(event.to)) else {
                    let what = format!("version {} is rewound to and is not in the transcript", event.to.version);
                    return self.problem(recorded, &what);
                };
                self.leave_out(place, LeftOut::Rewound(recorded.version));
                self.rewinds.push(recorded.version);
            }
            Some(Event::SessionRestored(event)) => {
                let brought_back = Some(LeftOut::Rewound(event.rewound));
                for entry in self.entries.iter_mut().filter(|entry| entry.left_out == brought_back) {
                    entry.left_out = None;
                }
                self.rewinds.retain(|rewind| *rewind != event.rewound);
                self.again();
            }
            Some(Event::SessionReset(event)) => {
                self.leave_out(0, LeftOut::Reset(recorded.version));
                self.rewinds.clear();
                self.notice(recorded, TurnId::default(), begun_anew(event));
            }
            _ => {}
        }
    }

    fn leave_out(&mut self, from: usize, why: LeftOut) {
        for entry in self.entries[from..].iter_mut().filter(|entry| entry.left_out.is_none()) {
            entry.left_out = Some(why);
        }
        self.again();
    }

    pub(super) fn again(&mut self) {
        let sent = self.entries.iter().enumerate().filter(|(_, entry)| entry.is_sent());
        self.wire = sent.map(|(place, _)| place).collect();
    }
}

fn begun_anew(reset: &SessionReset) -> &'static str {
    match reset.reason {
        ResetReason::Asked => "The conversation begins anew here.",
        ResetReason::Idle => "The conversation begins anew here, because nobody had spoken for a long time.",
        ResetReason::Daily => "The conversation begins anew here, because a new day has begun.",
    }
}
