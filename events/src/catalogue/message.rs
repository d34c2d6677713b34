//! What was said, and what was really sent for it.

use crate::{AdmissionId, Digest, Part, RawJson, TurnId};
use serde::{Deserialize, Serialize};

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageRecorded {
    /// The turn that it belongs to.
    pub turn: TurnId,
    /// Who speaks, and what.
    pub message: Message,
    /// What is sent to the model instead of the content, where that differs.
    pub api_content: Option<ApiContent>,
}

/// Who speaks, and what. Tool results are not here: a tool message is the fold of `tool.finished`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// A person: the parts of the admission, which stand there once.
    User {
        /// The admission that holds the parts.
        admission: AdmissionId,
    },
    /// The caller's own history, given with the request that opened the session.
    Given {
        /// Who spoke.
        role: GivenRole,
        /// What was said.
        parts: Vec<Part>,
    },
    /// The model.
    Assistant {
        /// What a person reads.
        parts: Vec<Part>,
        /// Reasoning that the vendor sent as text, replayed only where the vendor wants it.
        reasoning: Option<String>,
        /// Tools that it asks for, in order.
        calls: Vec<ToolCall>,
        /// Fields of the vendor's message that have no place above, as the text that came.
        extra: Option<RawJson>,
        /// True when the turn was stopped while the text came in.
        partial: bool,
    },
}

/// Who spoke in a history that the caller gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GivenRole {
    /// A person.
    User,
    /// A model.
    Assistant,
}

/// One tool call, as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The vendor's id of the call, never empty.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the text that came: never parsed and written again.
    pub arguments: RawJson,
}

/// Evidence of what was sent for a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ApiContent {
    /// The content, then these pieces.
    Appended {
        /// What follows the content.
        pieces: Vec<Piece>,
        /// Digest of the whole text, content included.
        digest: Digest,
    },
    /// These bytes instead of the content.
    Exact(String),
}

/// A piece of an appended api_content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Piece {
    /// This text.
    Text(String),
    /// The block of this turn's `memory.recalled`, where the text stands.
    Recalled,
}
