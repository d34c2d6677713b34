//! What a check found, and why a check could not be made.

use std::{fmt, io, path::PathBuf};

/// One violation: where it is, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path from the root of the repository, with `:LINE` behind it where a line is meant.
    pub place: String,
    /// The cause and the next step.
    pub says: String,
}

impl Finding {
    /// A finding at `place`.
    pub fn new(place: impl Into<String>, says: impl Into<String>) -> Self {
        Self { place: place.into(), says: says.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.says)
    }
}

/// A check that could not be made. It is never taken for a check that found nothing.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file or folder cannot be read or written: look at its permissions.
    #[error("{path}: {cause}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A file is not what its name says: correct it at the named place.
    #[error("{path}: {cause}; correct it there")]
    Unreadable {
        /// The file.
        path: String,
        /// What its parser says.
        cause: String,
    },
    /// A program that the check needs cannot be started: install it.
    #[error("cannot start {program}: {cause}; install it, or leave this check to a machine that has it")]
    Program {
        /// Its name.
        program: String,
        /// What the system says.
        cause: io::Error,
    },
    /// Nothing to check was found where something must be.
    #[error("{0}")]
    Nothing(String),
}

impl Failure {
    /// An I/O failure at `path`, in the form that `map_err` takes.
    pub fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Io { path, cause }
    }
}
