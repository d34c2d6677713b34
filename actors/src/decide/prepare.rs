//! What stands in the log before the first request: the frozen prompt and tools, what was recalled, the user message.

use dispatch_events::{
    Digest, Event, SharedText, TurnId,
    catalogue::{
        memory::{MemoryAdopted, MemoryRecallSkipped, MemoryRecalled},
        message::{ApiContent, Message, MessageRecorded, Piece},
        prompt::{PromptBuilt, PromptSource, ToolsetFrozen},
    },
};
use dispatch_projections::{SessionState, prompt::join};

use crate::ports::MemorySnapshot;

/// What stands between content and what is sent with it: a note, a recalled block.
pub const RECALL_SEPARATOR: &str = "\n\n";

/// How the recall went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recall {
    /// Nobody was asked.
    None,
    /// The block as it is sent, fence included.
    Found {
        /// Backend.
        backend: String,
        /// The block.
        block: String,
        /// Milliseconds.
        took_ms: u64,
    },
    /// The turn goes on without.
    Skipped {
        /// Backend.
        backend: String,
        /// Why.
        why: String,
        /// Milliseconds.
        took_ms: u64,
    },
}

/// The texts that a new prompt is made of.
#[derive(Clone, Copy, Debug)]
pub struct PromptTexts<'a> {
    /// The stable tier, where it is stored and what it says.
    pub stable: (SharedText, &'a str),
    /// Memory files as they are now.
    pub snapshot: &'a MemorySnapshot,
    /// The date line.
    pub date: &'a str,
    /// Agent.
    pub agent: &'a str,
}

/// The events that freeze a session's prompt.
pub fn build_prompt(state: &SessionState, texts: PromptTexts<'_>) -> (Vec<Event>, String) {
    // The caller's text stands in `session.opened`, and only there.
    let caller = state.opened.as_ref().and_then(|opened| opened.system.as_deref()).unwrap_or_default();
    let mut sources = vec![source("stable", "guidance", texts.stable.1)];
    if !caller.is_empty() {
        sources.push(source("context", "caller", caller));
    }
    let mut volatile = Vec::new();
    let blocks = [("MEMORY.md", &texts.snapshot.memory_block), ("USER.md", &texts.snapshot.user_block)];
    for (name, block) in blocks {
        if let Some(block) = block {
            sources.push(source("volatile", name, block));
            volatile.push(block.as_str());
        }
    }
    sources.push(source("volatile", "date", texts.date));
    volatile.push(texts.date);
    let volatile = volatile.join("\n\n");
    let context = String::new();
    let text = join([texts.stable.1, caller, &context, &volatile]);
    let digests = |entries: &[String]| entries.iter().map(|entry| Digest::of(entry.as_bytes())).collect();
    let events = vec![
        PromptBuilt { stable: texts.stable.0, context, volatile, sources, digest: Digest::of(text.as_bytes()) }.into(),
        MemoryAdopted {
            agent: texts.agent.to_owned(),
            memory: digests(&texts.snapshot.memory),
            user: digests(&texts.snapshot.user),
        }
        .into(),
    ];
    (events, text)
}

/// The event that freezes a session's tools.
pub fn freeze_tools(schemas: SharedText, names: &[String]) -> Event {
    ToolsetFrozen { schemas, names: names.to_vec() }.into()
}

/// The recall and the user message: the events, and the text that is sent for the message.
pub fn user_message(state: &SessionState, turn: TurnId, recall: &Recall) -> Option<(Vec<Event>, String)> {
    let admission = state.admissions.started().filter(|admission| admission.turn == Some(turn))?;
    let mut sent = dispatch_events::Part::joined(&admission.parts);
    let (mut events, mut pieces) = (Vec::new(), Vec::new());
    if let Some(note) = &state.prompt.note {
        let piece = format!("{RECALL_SEPARATOR}{note}");
        sent.push_str(&piece);
        pieces.push(Piece::Text(piece));
    }
    match recall.clone() {
        Recall::None => {}
        Recall::Found { backend, block, took_ms } => {
            sent.push_str(RECALL_SEPARATOR);
            sent.push_str(&block);
            pieces.extend([Piece::Text(RECALL_SEPARATOR.to_owned()), Piece::Recalled]);
            events.push(MemoryRecalled { turn, backend, block, took_ms }.into());
        }
        Recall::Skipped { backend, why, took_ms } => {
            events.push(MemoryRecallSkipped { turn, backend, why, took_ms }.into());
        }
    }
    let digest = Digest::of(sent.as_bytes());
    let api_content = (!pieces.is_empty()).then_some(ApiContent::Appended { pieces, digest });
    let message = Message::User { admission: admission.id };
    events.push(MessageRecorded { turn, message, api_content }.into());
    Some((events, sent))
}

fn source(tier: &str, name: &str, text: &str) -> PromptSource {
    PromptSource { tier: tier.to_owned(), name: name.to_owned(), digest: Digest::of(text.as_bytes()) }
}
