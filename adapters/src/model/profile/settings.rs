//! What `config.toml` says of models.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The part of the settings that is about models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// Profile that new sessions use; without it the only one of `models`, else the first whose key is there.
    pub default_model: Option<String>,
    /// `[models.NAME]`: new profiles, and changes to the built-in ones of the same name.
    pub models: BTreeMap<String, ProfileSettings>,
}

/// One `[models.NAME]`. What is left out is taken from the built-in profile of that name, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSettings {
    /// Where the API is, without the operation: usually ends in `/v1`.
    pub base_url: Option<String>,
    /// Wire form; `chat_completions` if left out.
    pub dialect: Option<String>,
    /// Model name as the vendor knows it.
    pub model: Option<String>,
    /// Name of the variable (or of the entry in `secrets.toml`) that holds the key; without it none is sent.
    pub api_key_env: Option<String>,
    /// Window in tokens.
    pub context_window: Option<u64>,
    /// Whether answers are asked for as a stream; true if left out.
    pub stream: Option<bool>,
    /// Seconds without a byte after which an answer is given up; 180 if left out, 900 for a server on this machine
    /// (a local model may read a long prompt for minutes before its first token).
    pub stall_timeout_s: Option<u64>,
    /// Whether reasoning goes back to the vendor.
    pub replay_reasoning: Option<ReplayReasoning>,
}

/// Whether the reasoning of an answer goes back with later requests. It acts when an answer is recorded; what is
/// recorded stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayReasoning {
    /// The fields that came, under the names that they came with.
    #[default]
    AsCame,
    /// Not at all: for servers that send reasoning and refuse it.
    Never,
    /// On every message, if only empty: for servers that refuse messages without it.
    Always,
}
