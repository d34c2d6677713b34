//! What a verb is given.

use super::{
    arguments::{Global, Needs, Verb},
    door::Door,
    exit::{Exit, Failure},
    paper::Paper,
};
use crate::config::{self, DataFolder, Secrets, Settings};
use dispatch_events::framed::keys_beside;
use std::path::PathBuf;

/// The folder, the output, and the way to the host.
#[derive(Debug)]
pub struct Context {
    /// The data folder.
    pub folder: DataFolder,
    /// The log file that stands in its place, for verbs that only read.
    pub file: Option<PathBuf>,
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
        let file = folder.path().is_file().then(|| folder.path().to_owned());
        Ok(Self { folder, file, paper: Paper::new(global) })
    }

    /// Refuses a verb that a log file can't serve.
    ///
    /// # Errors
    /// What it lacks, and the way out.
    pub fn serves(&self, verb: &Verb) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        let (shown, keys) = (file.display(), keys_beside(file));
        match verb.needs() {
            Needs::Records => Ok(()),
            Needs::Payloads if keys.exists() => Ok(()),
            Needs::Payloads => Err(Failure::new(
                Exit::Refused,
                format!(
                    "the payloads in {shown} are sealed, and its keys are not here: put them beside it as {}, or use \
                     `dispatch events` and `dispatch audit verify`, which need none",
                    keys.display()
                ),
            )),
            Needs::Folder => Err(Failure::new(
                Exit::Refused,
                format!(
                    "{shown} is a log file, which is only read: this verb needs a data folder (`dispatch restore` makes \
                     one of a backup)"
                ),
            )),
        }
    }

    /// The settings, with where each came from.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn loaded(&self) -> Result<config::Loaded, Failure> {
        match self.file {
            // A file has no settings, and what this machine would do does not matter.
            Some(_) => Ok(config::read("", "", std::iter::empty())?),
            None => Ok(config::load(&self.folder, variables())?),
        }
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
        if self.file.is_some() {
            return Ok(Secrets::default());
        }
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
