//! The engines that a data folder can have.

use super::{Engine, EventStore, NameSecret, OpenError, ReadError, Store, sled::SledEngine, sqlite::SqliteEngine};
use crate::copy;
use std::{fmt, path::Path, str::FromStr, sync::Arc};

/// An engine, by name. What stands in `[log] engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EngineKind {
    /// The embedded default; see [`super::sled`].
    #[default]
    Sled,
    /// The second; see [`super::sqlite`].
    Sqlite,
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
        match self {
            Self::Open(error) => matches!(error, OpenError::Damaged { .. }),
            Self::Read(error) => error.is_damage(),
        }
    }
}

impl EngineKind {
    /// Every engine of this build.
    pub const ALL: &'static [Self] = &[Self::Sled, Self::Sqlite];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sled => "sled",
            Self::Sqlite => "sqlite",
        }
    }

    /// The engine whose log lies in `folder`; `None` where there is none yet.
    pub fn found_in(folder: &Path) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.lies_in(folder))
    }

    fn lies_in(self, folder: &Path) -> bool {
        match self {
            Self::Sled => SledEngine::lies_in(folder),
            Self::Sqlite => SqliteEngine::lies_in(folder),
        }
    }

    /// Opens the engine in `folder` alone, without a committer: for who fills a new log.
    ///
    /// # Errors
    /// [`OpenError`].
    pub(crate) fn open(self, folder: &Path) -> Result<Box<dyn Engine>, OpenError> {
        self.refuse_others(folder)?;
        Ok(match self {
            Self::Sled => Box::new(SledEngine::open(folder)?),
            Self::Sqlite => Box::new(SqliteEngine::open(folder)?),
        })
    }

    /// Opens the engine in `folder` without the check of the log's end, which rests on the indexes: for their repair.
    ///
    /// # Errors
    /// [`OpenError`], as for [`EngineKind::start`].
    pub(crate) fn open_for_repair(self, folder: &Path) -> Result<Box<dyn Engine>, OpenError> {
        if copy::is_unfinished(folder) {
            return Err(OpenError::Unfinished { folder: folder.to_owned() });
        }
        self.refuse_others(folder)?;
        Ok(match self {
            Self::Sled => Box::new(SledEngine::open_for_repair(folder)?),
            Self::Sqlite => Box::new(SqliteEngine::open_for_repair(folder)?),
        })
    }

    fn refuse_others(self, folder: &Path) -> Result<(), OpenError> {
        match Self::ALL.iter().copied().find(|kind| *kind != self && kind.lies_in(folder)) {
            Some(found) => Err(OpenError::OtherEngine { folder: folder.to_owned(), found, wanted: self }),
            None => Ok(()),
        }
    }

    /// Opens the engine in `folder`, or makes a new log there, and starts its committer.
    ///
    /// # Errors
    /// [`StartError`]; what was acknowledged before is untouched. A folder with another engine's log is refused:
    /// beside it this one would begin an empty log, and everything would seem gone.
    pub fn start(self, folder: &Path, names: NameSecret) -> Result<Arc<dyn EventStore>, StartError> {
        if copy::is_unfinished(folder) {
            return Err(OpenError::Unfinished { folder: folder.to_owned() }.into());
        }
        self.start_unfinished(folder, names)
    }

    /// As [`EngineKind::start`], also where a copy is not finished: for who verifies it.
    pub(crate) fn start_unfinished(self, folder: &Path, names: NameSecret) -> Result<Arc<dyn EventStore>, StartError> {
        self.refuse_others(folder)?;
        Ok(match self {
            Self::Sled => Arc::new(Store::start(SledEngine::open(folder)?, names)?),
            Self::Sqlite => Arc::new(Store::start(SqliteEngine::open(folder)?, names)?),
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
