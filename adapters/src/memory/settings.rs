//! The `[memory]` part of the settings. Unknown keys are errors.

use serde::{Deserialize, Serialize};
use std::fmt;

/// `[memory]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemorySettings {
    /// The external backend; `none` keeps everything in the two files.
    pub backend: BackendName,
    /// What becomes of writes that the process did not get rid of before it ended.
    pub mode: MemoryMode,
    /// Milliseconds that a turn waits for recall, once, before its first model call.
    pub recall_timeout_ms: u64,
    /// Milliseconds that a shutdown waits for open writes.
    pub drain_timeout_ms: u64,
    /// Characters that `MEMORY.md` may have, delimiters included.
    pub memory_char_limit: usize,
    /// Characters that `USER.md` may have, delimiters included.
    pub user_char_limit: usize,
    /// `[memory.mem0]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem0: Option<Mem0Settings>,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            backend: BackendName::None,
            mode: MemoryMode::Durable,
            recall_timeout_ms: 8000,
            drain_timeout_ms: 5000,
            memory_char_limit: 2200,
            user_char_limit: 1375,
            mem0: None,
        }
    }
}

/// The external backends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackendName {
    /// No backend.
    #[default]
    None,
    /// <https://mem0.ai>, or a server of one's own.
    Mem0,
    /// Not built yet.
    Honcho,
    /// Not built yet.
    Hindsight,
    /// Not built yet.
    Openviking,
    /// Not built yet.
    Retaindb,
    /// Not built yet.
    Supermemory,
    /// Not built yet.
    Holographic,
    /// Not built yet.
    Byterover,
}

impl BackendName {
    /// The name in the settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Mem0 => "mem0",
            Self::Honcho => "honcho",
            Self::Hindsight => "hindsight",
            Self::Openviking => "openviking",
            Self::Retaindb => "retaindb",
            Self::Supermemory => "supermemory",
            Self::Holographic => "holographic",
            Self::Byterover => "byterover",
        }
    }
}

impl fmt::Display for BackendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What becomes of writes towards the backend that are open when the process ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMode {
    /// They are met after the next start.
    #[default]
    Durable,
    /// They are abandoned, counted and named.
    BestEffort,
}

/// `[memory.mem0]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mem0Settings {
    /// A server of one's own; without it the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Name of the secret that holds the API key. Optional when self-hosted.
    pub api_key_env: String,
    /// Whose memories: every search is limited to this user.
    pub user_id: String,
    /// Who wrote: goes with every write.
    pub agent_id: String,
    /// Whether the far side sorts hits once more with a model of its own. Slower.
    pub rerank: bool,
    /// Hits that the backend scores lower are left out; hits without a score stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
}

impl Default for Mem0Settings {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key_env: "MEM0_API_KEY".to_owned(),
            user_id: "dispatch-user".to_owned(),
            agent_id: "main".to_owned(),
            rerank: false,
            min_score: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_written_gives_the_documented_values() {
        let settings: MemorySettings = toml::from_str("").unwrap();
        assert_eq!(settings, MemorySettings::default());
        let documented = (settings.recall_timeout_ms, settings.drain_timeout_ms, settings.mode);
        assert_eq!(documented, (8000, 5000, MemoryMode::Durable));
        assert_eq!((settings.memory_char_limit, settings.user_char_limit), (2200, 1375));
    }

    #[test]
    fn the_documented_table_is_read() {
        let settings: MemorySettings = toml::from_str(
            "backend = \"mem0\"\nmode = \"best_effort\"\nrecall_timeout_ms = 1\ndrain_timeout_ms = 2\n\
             [mem0]\nbase_url = \"http://127.0.0.1:8000\"\napi_key_env = \"OTHER\"\n",
        )
        .unwrap();
        assert_eq!((settings.backend, settings.mode), (BackendName::Mem0, MemoryMode::BestEffort));
        let mem0 = settings.mem0.unwrap();
        assert_eq!(mem0.base_url.as_deref(), Some("http://127.0.0.1:8000"));
        assert_eq!(mem0.api_key_env, "OTHER");
    }

    #[test]
    fn unknown_keys_and_names_are_errors() {
        for bad in ["backnd = \"none\"", "backend = \"mem1\"", "mode = \"soon\"", "[mem0]\nurl = \"x\""] {
            assert!(toml::from_str::<MemorySettings>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_is_written_as_it_is_read() {
        for name in ["none", "mem0", "honcho", "hindsight", "openviking", "retaindb", "supermemory", "holographic"] {
            let read: MemorySettings = toml::from_str(&format!("backend = \"{name}\"")).unwrap();
            assert_eq!(read.backend.as_str(), name);
        }
    }
}
