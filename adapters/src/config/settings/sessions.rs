//! Sessions: what they are called, who shares one, when one begins anew.

use dispatch_actors::{decide::reset::ResetPolicy, routing::Sharing};
use serde::{Deserialize, Serialize};

/// Sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sessions {
    /// Whether a session that nobody named is called by the first words of its first input.
    pub titles: bool,
    /// When a conversation begins anew by itself.
    pub reset: Reset,
    /// Minutes of silence after which it does, for `idle` and `both`.
    pub idle_minutes: u64,
    /// Hour of the day, local time, at which it does, for `daily` and `both`.
    pub at_hour: u32,
    /// Whether each participant of a group has a session of their own there.
    pub group_sessions_per_user: bool,
    /// Whether also inside a thread.
    pub thread_sessions_per_user: bool,
}

/// When a conversation begins anew by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reset {
    /// Never.
    #[default]
    None,
    /// After silence.
    Idle,
    /// Each day.
    Daily,
    /// Whichever comes first.
    Both,
}

impl Default for Sessions {
    fn default() -> Self {
        let Sharing { group_sessions_per_user, thread_sessions_per_user } = Sharing::default();
        Self {
            titles: true,
            reset: Reset::None,
            idle_minutes: 1440,
            at_hour: 4,
            group_sessions_per_user,
            thread_sessions_per_user,
        }
    }
}

impl Sessions {
    /// When a conversation begins anew by itself.
    pub fn reset_policy(self) -> ResetPolicy {
        let (idle, daily) = match self.reset {
            Reset::None => (false, false),
            Reset::Idle => (true, false),
            Reset::Daily => (false, true),
            Reset::Both => (true, true),
        };
        ResetPolicy { idle_minutes: idle.then_some(self.idle_minutes), at_hour: daily.then_some(self.at_hour) }
    }

    /// Who shares a chat's session.
    pub fn sharing(self) -> Sharing {
        Sharing {
            group_sessions_per_user: self.group_sessions_per_user,
            thread_sessions_per_user: self.thread_sessions_per_user,
        }
    }
}
