//! The frozen system prompt and tools.

use dispatch_events::{
    Digest, Event, Recorded, SharedText, Version,
    catalogue::{message::Message, prompt::PromptSource},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The system prompt as it was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuiltPrompt {
    /// Identity and guidance.
    #[serde(skip)]
    pub stable: Arc<str>,
    /// Where that text stands for all sessions.
    pub stable_at: SharedText,
    /// The caller's system message, which stands in `session.opened`.
    pub caller: String,
    /// The project's context file.
    pub context: String,
    /// Memory blocks and the date.
    pub volatile: String,
    /// What the tiers were made of.
    pub sources: Vec<PromptSource>,
    /// Digest of the whole text.
    pub digest: Digest,
    /// Version of the event.
    pub version: Version,
}

impl BuiltPrompt {
    /// The text as it is sent: the tiers that hold something, joined by blank lines.
    pub fn text(&self) -> String {
        join([&self.stable, &self.caller, &self.context, &self.volatile])
    }
}

/// The pieces that hold something, joined by blank lines.
pub fn join(pieces: [&str; 4]) -> String {
    let pieces: Vec<&str> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
    pieces.join("\n\n")
}

/// The tools as they were frozen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FrozenTools {
    /// The JSON array, exactly as it is sent.
    #[serde(skip)]
    pub schemas: Arc<str>,
    /// Where that text stands for all sessions.
    pub schemas_at: SharedText,
    /// Names in its order.
    pub names: Vec<String>,
    /// Version of the event.
    pub version: Version,
}

/// What stands before the first message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Prompt {
    /// The system prompt, once it is built.
    pub built: Option<BuiltPrompt>,
    /// The tools, once they are frozen.
    pub tools: Option<FrozenTools>,
    /// What the model is told with the next input, once: the conversation began anew.
    pub note: Option<String>,
    caller: String,
}

impl Prompt {
    /// This prompt as a fork begins with it: a head that its parent had not finished is built anew.
    pub(crate) fn inherited(mut self) -> Self {
        self.built = self.built.filter(|_| self.tools.is_some());
        self
    }

    /// The caller's system message; empty if there is none.
    pub(crate) fn caller(&self) -> &str {
        &self.caller
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        let shared = || recorded.shared.first().cloned().unwrap_or_default();
        match recorded.event() {
            // A fork has its parent's.
            Some(Event::SessionOpened(event)) if event.parent.is_some() => {}
            Some(Event::SessionOpened(event)) => self.caller = event.system.clone().unwrap_or_default(),
            Some(Event::PromptBuilt(event)) => {
                self.built = Some(BuiltPrompt {
                    stable: shared(),
                    stable_at: event.stable,
                    caller: self.caller.clone(),
                    context: event.context.clone(),
                    volatile: event.volatile.clone(),
                    sources: event.sources.clone(),
                    digest: event.digest,
                    version: recorded.version,
                });
            }
            Some(Event::ToolsetFrozen(event)) => {
                self.tools = Some(FrozenTools {
                    schemas: shared(),
                    schemas_at: event.schemas,
                    names: event.names.clone(),
                    version: recorded.version,
                });
            }
            Some(Event::SessionReset(event)) => {
                (self.built, self.tools) = (None, None);
                self.note.clone_from(&event.note);
            }
            // A turn that ends before its first request sends nothing: the note waits for the next one.
            Some(Event::MessageRecorded(event))
                if matches!(event.message, Message::User { .. }) && event.api_content.is_some() =>
            {
                self.note = None;
            }
            _ => {}
        }
    }
}
