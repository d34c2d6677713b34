//! The transcript.

use crate::{
    SessionState,
    transcript::{LeftOut, Said},
};
use dispatch_events::{StreamId, TurnId, Version, catalogue::message::ToolCall, catalogue::tool::ToolOutcome};
use serde::Serialize;

/// What was said, in clean text.
#[derive(Clone, Debug, Serialize)]
pub struct TranscriptView {
    /// In order.
    pub messages: Vec<MessageRow>,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
pub struct MessageRow {
    /// `user`, `assistant`, `tool`, or `notice` for a word of the host.
    pub role: &'static str,
    /// What a person reads.
    pub content: String,
    /// Turn.
    pub turn: TurnId,
    /// Version of its event.
    pub version: Version,
    /// Stream of its event.
    pub stream: StreamId,
    /// When, RFC 3339.
    pub at: String,
    /// Whether something else than the content was sent for it.
    pub has_api_content: bool,
    /// Tools that the assistant asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Name of the tool, in a tool's line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How the tool ended, in a tool's line.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "super::words::snake")]
    pub outcome: Option<ToolOutcome>,
    /// True when the turn was stopped while the text came in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// True when the conversation began anew behind it: it is not sent any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before_reset: bool,
}

impl TranscriptView {
    /// The transcript of a state.
    pub fn of(state: &SessionState) -> Self {
        let entries = state.transcript.entries().iter();
        let rows = entries.filter(|entry| !matches!(entry.left_out, Some(LeftOut::Rewound(_)))).filter_map(|entry| {
            let mut row = MessageRow {
                role: "notice",
                content: String::new(),
                turn: entry.turn,
                version: entry.version,
                stream: entry.stream,
                at: entry.at.rfc3339(),
                has_api_content: false,
                calls: Vec::new(),
                tool: None,
                outcome: None,
                partial: false,
                before_reset: entry.left_out.is_some(),
            };
            match &entry.said {
                Said::User { content, api_content } => {
                    row.role = "user";
                    row.content = content.to_string();
                    row.has_api_content = api_content.is_some();
                }
                Said::Assistant { content, api_content, calls, partial, .. } => {
                    row.role = "assistant";
                    row.content = content.to_string();
                    row.has_api_content = api_content.is_some();
                    row.calls.clone_from(calls);
                    row.partial = *partial;
                }
                Said::Tool { tool, result, .. } => {
                    let (outcome, output) = result.as_ref()?;
                    row.role = "tool";
                    row.content = output.to_string();
                    row.tool = Some(tool.clone());
                    row.outcome = Some(*outcome);
                }
                Said::Notice { content } => row.content = content.to_string(),
            }
            Some(row)
        });
        Self { messages: rows.collect() }
    }
}
