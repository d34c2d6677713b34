//! Settings: where they come from, whether they are right, and what they are.
//!
//! | module | what it is |
//! |---|---|
//! | [`folder`] | the data folder: where it is, and the paths in it |
//! | [`keys`] | every key there is, with the values that it takes |
//! | [`file`](mod@file) | `config.toml` to values with their lines |
//! | [`environment`] | `DISPATCH_<SECTION>__<KEY>` to values with their names |
//! | [`settings`] | the typed result, and the defaults |
//! | [`secrets`] | keys of models and backends: the environment, then `secrets.toml` |
//! | [`token`], [`host_file`] | the API token, and who runs |
//!
//! Both sources give the same flat list of values, each with its [`Origin`]; they are checked against one table of keys,
//! laid over each other (the environment wins) and read as one typed [`Settings`]. All errors are reported at once.

pub mod environment;
pub mod error;
pub mod file;
pub mod folder;
pub mod host_file;
pub mod keys;
pub mod secrets;
pub mod settings;
pub mod token;

pub use error::{ConfigError, ConfigErrors};
pub use folder::DataFolder;
pub use secrets::Secrets;
pub use settings::{Recovery, Settings};

use dispatch_events::store::EngineKind;
use std::{collections::BTreeMap, fmt};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A file, and the line in it, from 1.
    File {
        /// The file as people find it.
        file: String,
        /// The line.
        line: usize,
    },
    /// An environment variable, by name.
    Environment(String),
    /// Nobody set it, and the log in the data folder has it so.
    Log,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { file, line } => write!(f, "{file}:{line}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Log => f.write_str("the log in the data folder"),
        }
    }
}

/// One value that somebody set.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The key, from the section down.
    pub path: Vec<String>,
    /// The value.
    pub value: toml::Value,
    /// Who set it.
    pub origin: Origin,
}

impl Given {
    /// The key as people write it.
    pub fn key(&self) -> String {
        self.path.join(".")
    }
}

/// Checked settings, and where each came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Where each set key came from; what is not here has its default.
    pub origins: BTreeMap<String, Origin>,
}

/// Reads the settings of a data folder, with `environment` laid over them.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(folder: &DataFolder, environment: impl Iterator<Item = (String, String)>) -> Result<Loaded, ConfigErrors> {
    let path = folder.config_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(ConfigError::at(&path.display(), format!("it can't be read: {error}")).into()),
    };
    let mut loaded = read(&path.display().to_string(), &text, environment)?;
    loaded.follow_log(folder);
    Ok(loaded)
}

impl Loaded {
    /// Where nobody named an engine, the one that wrote the log is meant: a folder that was copied to another engine is
    /// found as it is. One that somebody named stands, and is compared with the log when that is opened.
    fn follow_log(&mut self, folder: &DataFolder) {
        if self.origins.contains_key("log.engine") {
            return;
        }
        if let Some(found) = EngineKind::found_in(&folder.log()) {
            found.name().clone_into(&mut self.settings.log.engine);
            self.origins.insert("log.engine".to_owned(), Origin::Log);
        }
    }

    /// How many keys somebody set.
    pub fn set_keys(&self) -> usize {
        self.origins.values().filter(|origin| **origin != Origin::Log).count()
    }
}

/// Checks the text of a settings file, with `environment` laid over it.
///
/// # Errors
/// As [`load`].
pub fn read(
    file: &str,
    text: &str,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Loaded, ConfigErrors> {
    let mut errors = Vec::new();
    let mut given = file::values(file, text)?;
    given.retain(|value| keep_right(value, &mut errors));
    let over = environment::values(environment, &given, &mut errors);
    let merged = lay_over(given, over);
    let origins = merged.iter().map(|value| (value.key(), value.origin.clone())).collect();
    if !errors.is_empty() {
        return Err(ConfigErrors(errors));
    }
    let settings = settings::typed(&merged)?;
    settings::check_together(&settings, &origins)?;
    Ok(Loaded { settings, origins })
}

fn keep_right(value: &Given, errors: &mut Vec<ConfigError>) -> bool {
    match keys::check(value) {
        Ok(()) => true,
        Err(error) => {
            errors.push(error);
            false
        }
    }
}

fn lay_over(under: Vec<Given>, over: Vec<Given>) -> Vec<Given> {
    let mut merged: BTreeMap<Vec<String>, Given> = BTreeMap::new();
    for value in under.into_iter().chain(over) {
        merged.insert(value.path.clone(), value);
    }
    merged.into_values().collect()
}

#[cfg(test)]
mod tests;
