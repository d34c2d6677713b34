//! What a verb is given.

use super::{arguments::Global, door::Door, exit::Failure, paper::Paper};
use crate::config::{self, DataFolder, Secrets, Settings};

/// The folder, the output, and the way to the host.
#[derive(Debug)]
pub struct Context {
    /// The data folder.
    pub folder: DataFolder,
    /// The output.
    pub paper: Paper,
}

impl Context {
    /// What the flags and the environment say.
    ///
    /// # Errors
    /// When no data folder can be named.
    pub fn new(global: &Global) -> Result<Self, Failure> {
        let folder = DataFolder::find(global.data.as_deref(), |name| std::env::var(name).ok());
        let folder = folder.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self { folder, paper: Paper::new(global) })
    }

    /// The settings, with where each came from.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn loaded(&self) -> Result<config::Loaded, Failure> {
        Ok(config::load(&self.folder, variables())?)
    }

    /// The settings.
    ///
    /// # Errors
    /// As [`Self::loaded`].
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(self.loaded()?.settings)
    }

    /// The secrets.
    ///
    /// # Errors
    /// A file that others may read.
    pub fn secrets(&self) -> Result<Secrets, Failure> {
        Ok(Secrets::load(&self.folder.secrets_file())?)
    }

    /// The running host, or one inside.
    ///
    /// # Errors
    /// When neither can be had.
    pub async fn door(&self, verb: &str) -> Result<Door, Failure> {
        Door::open(self, verb).await
    }
}

/// The environment variables that are text; others are no settings of ours.
fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
