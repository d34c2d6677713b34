//! The settings as the program uses them, and their defaults.

mod sessions;

pub use sessions::{Reset, Sessions};

use super::{ConfigError, ConfigErrors, Given, Origin};
use crate::{memory::MemorySettings, model::ProfileSettings};
use dispatch_events::catalogue::session::BusyMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Profile that new sessions use; without one the environment's keys decide, then `rehearsal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// Who may have a turn.
    pub access: Access,
    /// The HTTP surface.
    pub gateway: Gateway,
    /// The log.
    pub log: Log,
    /// Memory.
    pub memory: MemorySettings,
    /// Sessions.
    pub sessions: Sessions,
    /// Tools.
    pub tools: Tools,
    /// Turns.
    pub turn: Turn,
    /// Model profiles by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ProfileSettings>,
}

/// Who may have a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Access {
    /// Principals, each as `adapter:subject`, that submit nothing new and whose waiting inputs are refused when their turn
    /// comes.
    pub refuse: Vec<String>,
}

/// The HTTP surface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gateway {
    /// Address and port; port 0 picks one.
    pub listen: String,
    /// Names that a request may give as its host, besides the ones of this machine.
    pub hosts: Vec<String>,
    /// Origins that a browser may come from, besides the host's own.
    pub origins: Vec<String>,
}

impl Default for Gateway {
    fn default() -> Self {
        Self { listen: "127.0.0.1:8642".to_owned(), hosts: Vec::new(), origins: Vec::new() }
    }
}

/// The log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// What it lives in.
    pub engine: String,
}

impl Default for Log {
    fn default() -> Self {
        Self { engine: "sled".to_owned() }
    }
}

/// Tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// Folder that they look into; without it, the one that the host is started in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// Turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turn {
    /// Life of a lease without renewal, in seconds.
    pub lease_ttl_s: u64,
    /// Time between two renewals, in seconds.
    pub lease_renew_s: u64,
    /// Most that a turn waits for another host's lease, in seconds.
    pub lease_wait_s: u64,
    /// Most model calls of one turn.
    pub max_model_calls: u32,
    /// A turn that gives no sign of life for this many seconds is aborted.
    pub idle_limit_s: u64,
    /// What an input that does not say wants of a running turn, in a session without a setting of its own.
    pub busy_mode: Busy,
    /// What becomes of a tool call whose outcome nobody knows.
    pub recovery: Recovery,
}

/// What an input that does not say wants of a running turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Busy {
    /// To wait for its turn.
    #[default]
    Queue,
    /// To go into the running turn.
    Steer,
    /// To stop the running turn and be the next.
    Interrupt,
}

impl From<Busy> for BusyMode {
    fn from(busy: Busy) -> Self {
        match busy {
            Busy::Queue => Self::Queue,
            Busy::Steer => Self::Steer,
            Busy::Interrupt => Self::Interrupt,
        }
    }
}

/// What becomes of a tool call whose outcome nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// The session pauses until somebody settles it.
    #[default]
    Pause,
    /// The model is told that the outcome is unknown.
    Resume,
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            lease_ttl_s: 300,
            lease_renew_s: 60,
            lease_wait_s: 1_800,
            max_model_calls: 90,
            idle_limit_s: 1_800,
            busy_mode: Busy::Queue,
            recovery: Recovery::Pause,
        }
    }
}

/// Checked values as typed settings.
pub(super) fn typed(values: &[Given]) -> Result<Settings, ConfigErrors> {
    let mut root = toml::Table::new();
    for given in values {
        insert(&mut root, &given.path, given.value.clone());
    }
    // Every value was checked against the table of keys; a test holds the table and these types together.
    Settings::deserialize(root).map_err(|error| ConfigError::at(&"settings", error.message()).into())
}

fn insert(table: &mut toml::Table, path: &[String], value: toml::Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = table.entry(first.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

/// Rules over more than one key.
pub(super) fn check_together(settings: &Settings, origins: &BTreeMap<String, Origin>) -> Result<(), ConfigErrors> {
    let place = |key: &str| origins.get(key).cloned().unwrap_or(Origin::Default);
    let mut errors = Vec::new();
    let turn = settings.turn;
    if turn.lease_renew_s >= turn.lease_ttl_s {
        let key = if origins.contains_key("turn.lease_renew_s") { "turn.lease_renew_s" } else { "turn.lease_ttl_s" };
        let (renew, ttl) = (turn.lease_renew_s, turn.lease_ttl_s);
        let why = format!(
            "a lease of {ttl} s that is renewed every {renew} s runs out: `turn.lease_renew_s` must be \
                           below `turn.lease_ttl_s`, at best a fifth of it"
        );
        errors.push(ConfigError::at(&place(key), why));
    }
    if errors.is_empty() { Ok(()) } else { Err(ConfigErrors(errors)) }
}
