//! Every key there is. One table: the check of files and variables, the suggestions and the tests read it.

use super::{ConfigError, Given, Origin};
use crate::{access, http_client};

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text that is not empty.
    Text,
    /// A base address.
    Address,
    /// The name of an environment variable, never the secret itself.
    SecretName,
    /// A whole number in a range, both ends included.
    Whole(i64, i64),
    /// A number from 0 to 1.
    Share,
    /// `true` or `false`.
    Switch,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of principals, each as `adapter:subject`.
    Principals,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// From the section down; `*` is a name that the user chooses.
    pub pattern: &'static str,
    /// What it takes.
    pub kind: Kind,
}

const fn key(pattern: &'static str, kind: Kind) -> Key {
    Key { pattern, kind }
}

/// Dialects that a profile can name.
pub const DIALECTS: &[&str] = &["chat_completions", "responses", "anthropic_messages", "gemini"];
/// Engines that a log can live in.
pub const ENGINES: &[&str] = &["sled", "sqlite", "postgres"];
/// Memory backends.
pub const BACKENDS: &[&str] =
    &["none", "honcho", "mem0", "hindsight", "openviking", "retaindb", "supermemory", "holographic", "byterover"];
/// What `turn.busy_mode` takes.
pub const BUSY_MODES: &[&str] = &["queue", "steer", "interrupt"];
/// What `models.*.replay_reasoning` takes.
pub const REPLAY_REASONING: &[&str] = &["as_came", "never", "always"];

const PRINCIPALS: &str = "must be a list of principals, each as `adapter:subject`, for example [\"http:alice\"]";
const MINUTES_10_MS: i64 = 600_000;
const DAY_S: i64 = 86_400;

/// The table.
pub const KEYS: &[Key] = &[
    key("default_model", Kind::Text),
    key("models.*.base_url", Kind::Address),
    key("models.*.dialect", Kind::OneOf(DIALECTS)),
    key("models.*.model", Kind::Text),
    key("models.*.api_key_env", Kind::SecretName),
    key("models.*.context_window", Kind::Whole(1_024, 100_000_000)),
    key("models.*.stream", Kind::Switch),
    key("models.*.stall_timeout_s", Kind::Whole(1, DAY_S)),
    key("models.*.replay_reasoning", Kind::OneOf(REPLAY_REASONING)),
    key("access.refuse", Kind::Principals),
    key("gateway.listen", Kind::Text),
    key("gateway.hosts", Kind::Texts),
    key("gateway.origins", Kind::Texts),
    key("log.engine", Kind::OneOf(ENGINES)),
    key("memory.backend", Kind::OneOf(BACKENDS)),
    key("memory.mode", Kind::OneOf(&["durable", "best_effort"])),
    key("memory.recall_timeout_ms", Kind::Whole(1, MINUTES_10_MS)),
    key("memory.drain_timeout_ms", Kind::Whole(0, MINUTES_10_MS)),
    key("memory.memory_char_limit", Kind::Whole(1, 1_000_000)),
    key("memory.user_char_limit", Kind::Whole(1, 1_000_000)),
    key("memory.mem0.base_url", Kind::Address),
    key("memory.mem0.api_key_env", Kind::SecretName),
    key("memory.mem0.user_id", Kind::Text),
    key("memory.mem0.agent_id", Kind::Text),
    key("memory.mem0.rerank", Kind::Switch),
    key("memory.mem0.min_score", Kind::Share),
    key("sessions.titles", Kind::Switch),
    key("sessions.reset", Kind::OneOf(&["none", "idle", "daily", "both"])),
    key("sessions.idle_minutes", Kind::Whole(1, 5_256_000)),
    key("sessions.at_hour", Kind::Whole(0, 23)),
    key("sessions.group_sessions_per_user", Kind::Switch),
    key("sessions.thread_sessions_per_user", Kind::Switch),
    key("tools.workspace", Kind::Text),
    key("turn.lease_ttl_s", Kind::Whole(1, DAY_S)),
    key("turn.lease_renew_s", Kind::Whole(1, DAY_S)),
    key("turn.lease_wait_s", Kind::Whole(0, DAY_S)),
    key("turn.max_model_calls", Kind::Whole(1, 10_000)),
    key("turn.idle_limit_s", Kind::Whole(1, DAY_S)),
    key("turn.busy_mode", Kind::OneOf(BUSY_MODES)),
    key("turn.recovery", Kind::OneOf(&["pause", "resume"])),
];

/// The key that a path names.
pub fn find(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().find(|key| matches(key.pattern, path))
}

fn matches(pattern: &str, path: &[String]) -> bool {
    let steps: Vec<&str> = pattern.split('.').collect();
    steps.len() == path.len()
        && steps.iter().zip(path).all(|(step, name)| match *step {
            "*" => !name.is_empty(),
            step => step == name,
        })
}

/// Checks one value.
///
/// # Errors
/// An unknown key, with the nearest right one, or a value that the key does not take.
pub fn check(given: &Given) -> Result<(), ConfigError> {
    let key = find(&given.path).ok_or_else(|| unknown(&given.path, &given.origin))?;
    let wrong = |why: String| ConfigError::at(&given.origin, format!("`{}` {why}", given.key()));
    key.kind.check(&given.value).map_err(wrong)
}

/// The error for a key that is not there.
pub fn unknown(path: &[String], origin: &Origin) -> ConfigError {
    let written = path.join(".");
    if path.len() > 2 && path[0] == "memory" && BACKENDS[1..].contains(&path[1].as_str()) && path[1] != "mem0" {
        let why = format!("the memory backend `{}` is not built yet; this build has mem0", path[1]);
        return ConfigError::at(origin, why);
    }
    let nearest = KEYS
        .iter()
        .map(|key| candidate(key.pattern, path))
        .map(|candidate| (strsim::damerau_levenshtein(&candidate, &written), candidate))
        .min_by_key(|(distance, _)| *distance);
    let hint = match nearest {
        Some((distance, candidate)) if distance <= written.len() / 3 + 2 => spell(&candidate, origin),
        _ => "`dispatch config show` lists the keys there are".to_owned(),
    };
    ConfigError::at(origin, format!("there is no key `{written}`; {hint}"))
}

fn spell(candidate: &str, origin: &Origin) -> String {
    match origin {
        Origin::Environment(_) => {
            format!("did you mean `DISPATCH_{}`?", candidate.replace('-', "_").replace('.', "__").to_uppercase())
        }
        _ => format!("did you mean `{candidate}`?"),
    }
}

/// What a pattern could have been in this path: the path's own name in the place of the `*`.
fn candidate(pattern: &str, path: &[String]) -> String {
    pattern.replace('*', path.get(1).map_or("NAME", String::as_str))
}

impl Kind {
    /// An environment variable's text as a value of this kind; text that does not fit stays text, and fails the check.
    pub fn read(self, text: &str) -> toml::Value {
        let value = match self {
            Self::Whole(..) => text.trim().parse().ok().map(toml::Value::Integer),
            Self::Share => text.trim().parse().ok().map(toml::Value::Float),
            Self::Switch => text.trim().parse().ok().map(toml::Value::Boolean),
            Self::Texts | Self::Principals => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(toml::Value::Array(items.map(toml::Value::from).collect()))
            }
            Self::Text | Self::Address | Self::SecretName | Self::OneOf(_) => None,
        };
        value.unwrap_or_else(|| toml::Value::String(text.to_owned()))
    }

    fn check(self, value: &toml::Value) -> Result<(), String> {
        match (self, value) {
            (Self::Text, toml::Value::String(text)) if !text.trim().is_empty() => Ok(()),
            (Self::Text, toml::Value::String(_)) => Err("must not be empty".to_owned()),
            (Self::Text | Self::Address, other) if !other.is_str() => {
                Err(format!("must be a text in quotes, not {}", other.type_str()))
            }
            (Self::Address, toml::Value::String(text)) => {
                http_client::base_address(text).map(|_| ()).map_err(|error| format!("can't be used: {error}"))
            }
            (Self::SecretName, toml::Value::String(name)) if is_variable_name(name) => Ok(()),
            // The text is not repeated: it may be the secret itself.
            (Self::SecretName, _) => Err("must be the name of an environment variable (A to Z, 0 to 9, _), \
                                          not the secret itself; the value goes to the environment or to secrets.toml"
                .to_owned()),
            (Self::Whole(least, most), toml::Value::Integer(number)) if (least..=most).contains(number) => Ok(()),
            (Self::Whole(least, most), _) => {
                Err(format!("must be a whole number from {least} to {most}, not {}", shown(value)))
            }
            (Self::Share, toml::Value::Float(number)) if (0.0..=1.0).contains(number) => Ok(()),
            (Self::Share, _) => Err(format!("must be a number from 0.0 to 1.0, not {}", shown(value))),
            (Self::Switch, toml::Value::Boolean(_)) => Ok(()),
            (Self::Switch, _) => Err(format!("must be true or false, not {}", shown(value))),
            (Self::OneOf(words), toml::Value::String(text)) if words.contains(&text.as_str()) => Ok(()),
            (Self::OneOf(words), _) => Err(one_of(words, value)),
            (Self::Texts, toml::Value::Array(items)) if items.iter().all(toml::Value::is_str) => Ok(()),
            (Self::Principals, toml::Value::Array(items)) => {
                let wrong = items.iter().find(|item| item.as_str().and_then(access::principal).is_none());
                wrong.map_or(Ok(()), |wrong| Err(format!("{}, not {}", PRINCIPALS, shown(wrong))))
            }
            (Self::Principals, _) => Err(format!("{PRINCIPALS}, not {}", shown(value))),
            (Self::Texts, _) => Err("must be a list of texts, for example [\"one\", \"two\"]".to_owned()),
            (Self::Text | Self::Address, _) => Err("must be a text in quotes".to_owned()),
        }
    }
}

fn one_of(words: &[&str], value: &toml::Value) -> String {
    let list = format!("must be one of {}, not {}", words.join(", "), shown(value));
    let near = value.as_str().and_then(|text| {
        let rated = words.iter().map(|word| (strsim::damerau_levenshtein(word, text), word));
        rated.min_by_key(|(distance, _)| *distance).filter(|(distance, _)| *distance <= 2)
    });
    match near {
        Some((_, word)) => format!("{list}; did you mean `{word}`?"),
        None => list,
    }
}

fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => format!("`{text}`"),
        toml::Value::Array(_) | toml::Value::Table(_) => value.type_str().to_owned(),
        other => format!("`{other}`"),
    }
}

fn is_variable_name(name: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(rest)
}
