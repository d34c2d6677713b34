//! The lines that a fork has from its parent. They keep their stream and version, and nothing in the fork names them by
//! version alone: its own events have the same versions.

use super::{LeftOut, Said, Transcript};
use dispatch_events::{StreamId, catalogue::tool::ToolOutcome};
use std::sync::Arc;

impl Transcript {
    /// This transcript as the beginning of a fork's; it stands in `stream`.
    pub(crate) fn inherited(mut self, stream: StreamId) -> Self {
        for problem in &mut self.problems[self.inherited_problems..] {
            *problem = format!("stream {stream}: {problem}");
        }
        // What was taken back is not part of the conversation; a fork has no word to bring it back.
        self.entries.retain(|entry| !matches!(entry.left_out, Some(LeftOut::Rewound(_))));
        self.again();
        self.rewinds.clear();
        self.slots.clear();
        (self.inherited, self.inherited_problems) = (self.entries.len(), self.problems.len());
        self
    }

    /// How many calls have no result, of those that are sent.
    pub fn unfinished(&self) -> usize {
        let sent = self.entries.iter().filter(|entry| entry.is_sent());
        sent.filter(|entry| matches!(entry.said, Said::Tool { result: None, .. })).count()
    }

    /// Whether the model said something that only a model of its kind takes back: reasoning, or fields of its vendor.
    pub fn has_foreign(&self) -> bool {
        self.entries.iter().filter(|entry| entry.is_sent()).any(|entry| match &entry.said {
            Said::Assistant { reasoning, extra, .. } => reasoning.is_some() || extra.is_some(),
            _ => false,
        })
    }

    /// Gives every inherited call that has no result this one: nobody brings the fork another.
    pub(crate) fn finish_inherited(&mut self, output: &str) {
        let output: Arc<str> = output.into();
        for entry in &mut self.entries[..self.inherited] {
            if let Said::Tool { result: result @ None, .. } = &mut entry.said {
                *result = Some((ToolOutcome::Cancelled, output.clone()));
            }
        }
    }

    /// Leaves out of the inherited messages what another model can't take back.
    pub(crate) fn drop_foreign(&mut self) {
        for entry in &mut self.entries[..self.inherited] {
            if let Said::Assistant { reasoning, extra, .. } = &mut entry.said {
                (*reasoning, *extra) = (None, None);
            }
        }
    }
}
