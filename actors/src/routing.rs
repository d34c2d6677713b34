//! Routing keys: the one session of a chat, from where a message comes (hermes-behaviour.md §1.1).
//!
//! ```text
//! dm     agent:<agent>:<platform>:dm:<chat>[:<thread>]
//! other  agent:<agent>:<platform>:<type>[:<chat>][:<thread>][:<participant>]
//! ```
//!
//! The parts come from outside, so a colon in one is written as `%3A`: else a chat `1:2` and the thread `2` of a chat `1`
//! would share a session.

use crate::command::Refusal;
use serde::Deserialize;

#[cfg(test)]
mod tests;

/// Longest part of a key in bytes.
const PART_MAX: usize = 256;

/// Where a message comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteSource {
    /// Platform: `telegram`, `slack`, …
    pub platform: String,
    /// Kind of the chat.
    #[serde(default)]
    pub chat_type: ChatType,
    /// The chat.
    pub chat_id: Option<String>,
    /// A thread in it.
    pub thread_id: Option<String>,
    /// Who speaks.
    pub user_id: Option<String>,
    /// Who speaks, by a platform's other id, which is the stabler one where there is one.
    pub user_id_alt: Option<String>,
}

/// Kind of a chat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatType {
    /// Between two.
    #[default]
    Dm,
    /// Among several.
    Group,
    /// One that many read.
    Channel,
    /// A thread that is a chat of its own.
    Thread,
}

impl ChatType {
    fn word(self) -> &'static str {
        match self {
            Self::Dm => "dm",
            Self::Group => "group",
            Self::Channel => "channel",
            Self::Thread => "thread",
        }
    }
}

/// Who shares a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Each participant of a group has a session of their own there.
    pub group_sessions_per_user: bool,
    /// Also inside a thread.
    pub thread_sessions_per_user: bool,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { group_sessions_per_user: true, thread_sessions_per_user: false }
    }
}

/// The routing key of a source.
///
/// # Errors
/// [`Refusal::Invalid`] for a part that could not be a part of a key: too long, or with what a path or a terminal would
/// take for something else.
pub fn key(agent: &str, source: &RouteSource, sharing: Sharing) -> Result<String, Refusal> {
    let platform = part(Some(&source.platform), "platform")?
        .ok_or_else(|| Refusal::Invalid("a route needs `platform`, for example `telegram`".to_owned()))?;
    let chat = part(source.chat_id.as_deref(), "chat_id")?;
    let thread = part(source.thread_id.as_deref(), "thread_id")?;
    let participant = match part(source.user_id_alt.as_deref(), "user_id_alt")? {
        Some(alt) => Some(alt),
        None => part(source.user_id.as_deref(), "user_id")?,
    };
    let mut parts = vec!["agent".to_owned(), escaped(agent), platform, source.chat_type.word().to_owned()];
    match source.chat_type {
        ChatType::Dm => match (chat, participant) {
            (Some(chat), _) => parts.extend([Some(chat), thread].into_iter().flatten()),
            // Without a chat the person is the chat.
            (None, Some(person)) => parts.push(person),
            (None, None) => parts.extend(thread),
        },
        ChatType::Group | ChatType::Channel | ChatType::Thread => {
            let in_thread = thread.is_some() || source.chat_type == ChatType::Thread;
            let own = sharing.group_sessions_per_user && (!in_thread || sharing.thread_sessions_per_user);
            parts.extend([chat, thread, participant.filter(|_| own)].into_iter().flatten());
        }
    }
    Ok(parts.join(":"))
}

/// A part of a key; `None` for one that is not there or empty.
fn part(given: Option<&str>, member: &str) -> Result<Option<String>, Refusal> {
    let Some(text) = given.filter(|text| !text.is_empty()) else { return Ok(None) };
    let unsafe_in_paths = text.contains(['/', '\\']) || text == "." || text.contains("..");
    if text.len() > PART_MAX || unsafe_in_paths || text.chars().any(char::is_control) {
        return Err(Refusal::Invalid(format!(
            "`{member}` of a route has at most {PART_MAX} bytes, no slashes, no `..` and no control characters"
        )));
    }
    Ok(Some(escaped(text)))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace(':', "%3A")
}
