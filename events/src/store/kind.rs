//! The engines that a data folder can have.

use super::{EventStore, OpenError, ReadError, Store, sled::SledEngine};
use std::{fmt, path::Path, str::FromStr, sync::Arc};

/// An engine, by name. What stands in `[log] engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EngineKind {
    /// The embedded default; see [`super::sled`].
    #[default]
    Sled,
}

/// Why a store was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The engine's reason.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The end of the log can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl StartError {
    /// Whether the log itself is damaged, and not only out of reach.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Open(OpenError::Damaged { .. }) | Self::Read(ReadError::Damaged { .. }))
    }
}

impl EngineKind {
    /// Every engine of this build.
    pub const ALL: &'static [Self] = &[Self::Sled];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sled => "sled",
        }
    }

    /// Opens the engine in `folder`, or makes a new log there, and starts its committer.
    ///
    /// # Errors
    /// [`StartError`]; what was acknowledged before is untouched.
    pub fn start(self, folder: &Path) -> Result<Arc<dyn EventStore>, StartError> {
        Ok(match self {
            Self::Sled => Arc::new(Store::start(SledEngine::open(folder)?)?),
        })
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is of no engine of this build.
#[derive(Debug, thiserror::Error)]
#[error("no engine is called `{0}`: use one of {names}", names = names())]
pub struct UnknownEngine(pub String);

fn names() -> String {
    let names: Vec<_> = EngineKind::ALL.iter().map(|kind| kind.name()).collect();
    names.join(", ")
}

impl FromStr for EngineKind {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let kind = Self::ALL.iter().find(|kind| kind.name() == name);
        kind.copied().ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}
