//! What was said, beside what was sent for it.

use crate::{admissions::Admissions, replay::WireMessage, turns::Turns};
use dispatch_events::{
    Digest, Event, Part, RawJson, Recorded, StreamId, Timestamp, TurnId, Version,
    catalogue::{
        message::{ApiContent, GivenRole, Message, MessageRecorded, Piece, ToolCall},
        tool::{CallRef, ToolFinished, ToolOutcome},
    },
};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, sync::Arc};

mod inherit;
mod left_out;
#[cfg(test)]
mod tests;

pub use left_out::LeftOut;

/// One line of the transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Stream that it stands in.
    pub stream: StreamId,
    /// Version of its event; of a tool's line that of `tool.finished`, once there is a result.
    pub version: Version,
    /// Turn that it belongs to.
    pub turn: TurnId,
    /// When that event was recorded; for people.
    pub at: Timestamp,
    /// Who speaks, and what.
    pub said: Said,
    /// Why it is not sent any more, if it is not.
    pub left_out: Option<LeftOut>,
}

/// Who speaks, and what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Said {
    /// A person.
    User {
        /// What was said.
        content: Arc<str>,
        /// What was sent for it, where that differs.
        api_content: Option<Arc<str>>,
    },
    /// The model.
    Assistant {
        /// What a person reads.
        content: Arc<str>,
        /// What is sent for it, where that differs.
        api_content: Option<Arc<str>>,
        /// Reasoning as it came.
        reasoning: Option<String>,
        /// Tool calls as they came.
        calls: Vec<ToolCall>,
        /// Other fields of the vendor's message.
        extra: Option<RawJson>,
        /// The turn was stopped while it came in.
        partial: bool,
    },
    /// A tool call's result, in the order of the calls. `None` while it has none.
    Tool {
        /// Which call.
        call: CallRef,
        /// The vendor's id of the call.
        id: String,
        /// Name of the tool.
        tool: String,
        /// How it ended, and what the model reads.
        result: Option<(ToolOutcome, Arc<str>)>,
    },
    /// A word of the host to the person: never sent to the model, never the assistant's.
    Notice {
        /// The word.
        content: Arc<str>,
    },
}

/// The transcript of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct Transcript {
    entries: Vec<Entry>,
    /// Entries that go to the model, in order.
    #[serde(skip_serializing)]
    wire: Vec<usize>,
    /// Where the result of a call goes.
    #[serde(skip_serializing)]
    slots: HashMap<CallRef, usize>,
    /// What the log does not hold together: named, because a conversation must not change in silence.
    problems: Vec<String>,
    /// Rewinds that can be taken back, by the versions of their events; the newest is the last.
    rewinds: Vec<Version>,
    /// How many of the first lines a fork has from its parent.
    inherited: usize,
    /// How many of the first problems are from there.
    inherited_problems: usize,
}

/// What a snapshot holds of it; the rest follows.
#[derive(Deserialize)]
struct Kept {
    entries: Vec<Entry>,
    problems: Vec<String>,
    rewinds: Vec<Version>,
    inherited: usize,
    inherited_problems: usize,
}

impl From<Kept> for Transcript {
    fn from(kept: Kept) -> Self {
        let mut transcript = Self {
            problems: kept.problems,
            rewinds: kept.rewinds,
            inherited: kept.inherited,
            inherited_problems: kept.inherited_problems,
            ..Self::default()
        };
        for entry in kept.entries {
            transcript.place(entry);
        }
        transcript
    }
}

impl Transcript {
    /// All lines, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What went wrong while it was folded.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// How many messages go to the model.
    pub fn wire_len(&self) -> usize {
        self.wire.len()
    }

    /// Whether the last message that goes to the model is a tool's result.
    pub fn ends_with_result(&self) -> bool {
        let last = self.wire.last().map(|index| &self.entries[*index].said);
        matches!(last, Some(Said::Tool { result: Some(_), .. }))
    }

    /// The messages from `from` on, as a dialect renders them.
    pub fn wire_messages(&self, from: usize) -> impl Iterator<Item = WireMessage> {
        self.wire.iter().skip(from).map(|index| wire_message(&self.entries[*index].said))
    }

    /// The messages from `from` on; a tool call without a result takes the one that `output` has for it.
    pub fn wire_messages_with<'a>(
        &'a self,
        from: usize,
        output: impl Fn(CallRef) -> Option<&'a str> + 'a,
    ) -> impl Iterator<Item = WireMessage> + 'a {
        self.wire.iter().skip(from).map(move |index| match &self.entries[*index].said {
            Said::Tool { call, id, tool, result: None } => WireMessage::Tool {
                call: id.clone(),
                tool: tool.clone(),
                output: output(*call).unwrap_or_default().to_owned(),
            },
            said => wire_message(said),
        })
    }

    /// How many leading messages are final: up to the first tool call without a result.
    pub fn whole_len(&self) -> usize {
        let open = |index: &usize| matches!(self.entries[*index].said, Said::Tool { result: None, .. });
        self.wire.iter().position(open).unwrap_or(self.wire.len())
    }

    /// The call as the model wrote it.
    pub fn call(&self, call: CallRef) -> Option<&ToolCall> {
        let slot = *self.slots.get(&call)?;
        // The slots of a message's calls follow it directly, in order.
        let message = slot.checked_sub(call.index as usize + 1)?;
        match &self.entries[message].said {
            Said::Assistant { calls, .. } => calls.get(call.index as usize),
            _ => None,
        }
    }

    /// The last successful output of a tool.
    pub fn last_output(&self, name: &str) -> Option<&str> {
        self.entries.iter().rev().filter(|entry| entry.left_out.is_none()).find_map(|entry| match &entry.said {
            Said::Tool { tool, result: Some((ToolOutcome::Ok, output)), .. } if tool == name => Some(&**output),
            _ => None,
        })
    }

    /// What the person said that the turn began with, and what its last answer was. `said` is the version of its user
    /// message: what was put into the turn later is not what it began with.
    pub fn exchange(&self, turn: TurnId, said: Option<Version>) -> (Option<Arc<str>>, Option<Arc<str>>) {
        let mut answer = None;
        // Later turns may stand behind this one: what is owed outlives its turn.
        for entry in self.entries.iter().rev().filter(|entry| entry.turn == turn) {
            match &entry.said {
                // The history that a caller gave stands before it, under the same turn.
                Said::User { content, .. } if said == Some(entry.version) => return (Some(content.clone()), answer),
                Said::Assistant { content, partial: false, .. } if answer.is_none() => answer = Some(content.clone()),
                _ => {}
            }
        }
        (None, answer)
    }

    /// Folds one event. Looks at the admissions for what was said, at the turns for what was recalled.
    pub fn apply(&mut self, recorded: &Recorded, admissions: &Admissions, turns: &Turns) {
        match recorded.event() {
            Some(Event::MessageRecorded(event)) => self.message(recorded, event, admissions, turns),
            Some(Event::ToolFinished(event)) => self.result(recorded, event),
            Some(Event::TurnInterrupted(event)) => {
                self.notice(recorded, event.turn, &format!("The turn was stopped: {}.", event.why));
            }
            Some(Event::TurnFailed(event)) => {
                self.notice(recorded, event.turn, &format!("The turn failed: {}", event.message));
            }
            Some(Event::InputRequeued(event)) => {
                let turn = admissions.get(event.admission).and_then(|admission| admission.turn).unwrap_or_default();
                let word = format!("The turn was aborted ({}) and starts again.", event.why);
                self.notice(recorded, turn, &word);
            }
            _ => self.rewritten(recorded),
        }
    }

    fn result(&mut self, recorded: &Recorded, event: &ToolFinished) {
        let entry = self.slots.get(&event.call).and_then(|index| self.entries.get_mut(*index));
        let Some(Entry { version, at, said: Said::Tool { result, .. }, .. }) = entry else {
            let call = event.call;
            let call = format!("call {} of version {}", call.index, call.message);
            return self.problem(recorded, &format!("{call} has a result and is not in the transcript"));
        };
        if result.is_some() {
            // The model has read the first one.
            return self.problem(recorded, "a second result of a tool call, the first one stands");
        }
        *result = Some((event.outcome, event.output.as_str().into()));
        (*version, *at) = (recorded.version, recorded.recorded_at);
    }

    fn message(&mut self, recorded: &Recorded, event: &MessageRecorded, admissions: &Admissions, turns: &Turns) {
        let content: Arc<str> = match &event.message {
            Message::User { admission } => match admissions.get(*admission) {
                Some(admission) => Part::joined(&admission.parts).into(),
                None => {
                    self.problem(recorded, &format!("the admission {admission} of a user message is not in the log"));
                    Arc::default()
                }
            },
            Message::Given { parts, .. } | Message::Assistant { parts, .. } => Part::joined(parts).into(),
        };
        let recalled = turns.get(event.turn).and_then(|turn| turn.recalled.as_deref());
        let api_content = event.api_content.as_ref().and_then(|api| {
            let text = resolve(&content, api, recalled);
            if text.is_none() {
                self.problem(recorded, "api_content does not give its digest, so the content is sent");
            }
            text
        });
        let said = match &event.message {
            Message::User { .. } | Message::Given { role: GivenRole::User, .. } => Said::User { content, api_content },
            Message::Given { role: GivenRole::Assistant, .. } => Said::Assistant {
                content,
                api_content,
                reasoning: None,
                calls: Vec::new(),
                extra: None,
                partial: false,
            },
            Message::Assistant { reasoning, calls, extra, partial, .. } => Said::Assistant {
                content,
                api_content,
                reasoning: reasoning.clone(),
                calls: calls.clone(),
                extra: extra.clone(),
                partial: *partial,
            },
        };
        // What is said from here on stands behind what a rewind left out: it can't come back in between.
        self.rewinds.clear();
        self.push(recorded, event.turn, said);
        if let Message::Assistant { calls, .. } = &event.message {
            for (index, call) in calls.iter().enumerate() {
                let at = CallRef { message: recorded.version, index: index as u32 };
                let said = Said::Tool { call: at, id: call.id.clone(), tool: call.tool.clone(), result: None };
                self.push(recorded, event.turn, said);
            }
        }
    }

    fn problem(&mut self, recorded: &Recorded, what: &str) {
        self.problems.push(format!("version {}: {what}", recorded.version));
    }

    fn notice(&mut self, recorded: &Recorded, turn: TurnId, word: &str) {
        self.push(recorded, turn, Said::Notice { content: word.into() });
    }

    fn push(&mut self, recorded: &Recorded, turn: TurnId, said: Said) {
        let (stream, version, at) = (recorded.stream, recorded.version, recorded.recorded_at);
        self.place(Entry { stream, version, turn, at, said, left_out: None });
    }

    /// Puts a line behind the others. What is known of places follows from the line alone.
    fn place(&mut self, entry: Entry) {
        let place = self.entries.len();
        // An inherited call has a version of another stream: one of the fork's own events has it too.
        if let Said::Tool { call, .. } = &entry.said
            && place >= self.inherited
        {
            self.slots.insert(*call, place);
        }
        if entry.is_sent() {
            self.wire.push(place);
        }
        self.entries.push(entry);
    }
}

/// The text that was sent; `None` if the pieces don't give the recorded digest.
fn resolve(content: &str, api: &ApiContent, recalled: Option<&str>) -> Option<Arc<str>> {
    match api {
        ApiContent::Exact(text) => Some(text.as_str().into()),
        ApiContent::Appended { pieces, digest } => {
            let mut text = content.to_owned();
            for piece in pieces {
                match piece {
                    Piece::Text(piece) => text.push_str(piece),
                    Piece::Recalled => text.push_str(recalled?),
                }
            }
            (Digest::of(text.as_bytes()) == *digest).then(|| text.into())
        }
    }
}

fn wire_message(said: &Said) -> WireMessage {
    match said {
        Said::User { content, api_content } => {
            WireMessage::User { text: api_content.as_deref().unwrap_or(content).to_owned() }
        }
        Said::Assistant { content, api_content, reasoning, calls, extra, .. } => WireMessage::Assistant {
            text: api_content.as_deref().unwrap_or(content).to_owned(),
            reasoning: reasoning.clone(),
            calls: calls.clone(),
            extra: extra.clone(),
        },
        Said::Tool { id, tool, result, .. } => WireMessage::Tool {
            call: id.clone(),
            tool: tool.clone(),
            output: result.as_ref().map(|(_, output)| output.to_string()).unwrap_or_default(),
        },
        Said::Notice { content } => WireMessage::User { text: content.to_string() },
    }
}
