//! What stands before the first message: the system prompt and the tools. Built once per session, then frozen.

use crate::{Digest, SharedText};
use serde::{Deserialize, Serialize};

/// The session's system prompt was put together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptBuilt {
    /// Identity and guidance: the same for every session of a release.
    pub stable: SharedText,
    /// The project's context file. The caller's system message stands in `session.opened` and is sent before it.
    pub context: String,
    /// Memory blocks and the date.
    pub volatile: String,
    /// What each tier was made of.
    pub sources: Vec<PromptSource>,
    /// Digest of the whole text as it is sent.
    pub digest: Digest,
}

/// One piece of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptSource {
    /// Tier that it went to: `stable`, `context` or `volatile`.
    pub tier: String,
    /// Its name, for example `identity` or `MEMORY.md`.
    pub name: String,
    /// Digest of the piece.
    pub digest: Digest,
}

/// The session's tools were fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolsetFrozen {
    /// The JSON array of tool schemas, exactly as it is sent.
    pub schemas: SharedText,
    /// Names in the order of the array.
    pub names: Vec<String>,
}
