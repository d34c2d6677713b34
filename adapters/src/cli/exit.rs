//! Exit codes, and the error that carries one.

use crate::config::ConfigErrors;
use dispatch_actors::Refusal;
use std::process::ExitCode;

/// Code of the one refusal that has no counterpart in the API.
const FOLDER_IN_USE: &str = "folder_in_use";

/// How a verb ended, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// It failed.
    Failed = 1,
    /// The command line or the settings are wrong.
    Usage = 2,
    /// There is no such thing.
    NotFound = 3,
    /// A conflict, not allowed, paused, or not built.
    Refused = 4,
    /// The log is damaged.
    Damaged = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a verb did not do it: cause and next step, and the exit code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The stable code of the API, where there is one.
    pub code: String,
    /// For people.
    pub message: String,
}

impl Failure {
    /// A failure with an exit code.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, code: String::new(), message: message.into() }
    }

    /// It failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, message)
    }

    /// The command line is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A part of the contract that this build does not have.
    pub fn not_built(what: &str) -> Self {
        Self { code: "not_built".to_owned(), ..Self::new(Exit::Refused, format!("{what} is not built yet")) }
    }

    /// The answer of the API: its code decides.
    pub fn answered(code: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let exit = match code {
            "not_found" => Exit::NotFound,
            "invalid_params" | "too_large" => Exit::Usage,
            "storage_unavailable" if message.contains("is damaged") => Exit::Damaged,
            "storage_unavailable" | "persistence_failed" | "model_failed" => Exit::Failed,
            _ => Exit::Refused,
        };
        Self { exit, code: code.to_owned(), message }
    }

    /// Another process has the data folder.
    pub(super) fn held(message: impl Into<String>) -> Self {
        Self { code: FOLDER_IN_USE.to_owned(), ..Self::new(Exit::Refused, message) }
    }

    /// Whether another process has the data folder.
    pub(super) fn is_held(&self) -> bool {
        self.code == FOLDER_IN_USE
    }

    /// Whoever read the output closed it: nothing to say, and no failure.
    pub(super) fn reader_gone() -> Self {
        Self::new(Exit::Done, "")
    }

    /// Says it on stderr.
    pub fn tell(&self) {
        if !self.message.is_empty() {
            super::paper::say_error(&self.message, &self.code);
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::answered(refusal.code(), refusal.to_string())
    }
}

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Self {
        Self::usage(errors.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_api_become_exit_codes() {
        for (refusal, exit) in [
            (Refusal::NotFound("x".to_owned()), Exit::NotFound),
            (Refusal::Invalid("x".to_owned()), Exit::Usage),
            (Refusal::NameTaken("x".to_owned()), Exit::Refused),
            (Refusal::AdmissionConflict("x".to_owned()), Exit::Refused),
            (Refusal::Paused("x".to_owned()), Exit::Refused),
            (Refusal::Draining, Exit::Refused),
            (Refusal::NotBuilt("x".to_owned()), Exit::Refused),
            (Refusal::Persistence("disk".to_owned()), Exit::Failed),
            (Refusal::Storage("the disk is gone".to_owned()), Exit::Failed),
            (Refusal::Storage("the log is damaged at position 4: bits".to_owned()), Exit::Damaged),
        ] {
            assert_eq!(Failure::from(refusal.clone()).exit, exit, "{refusal:?}");
        }
    }
}
