//! Keys of models and backends: the environment, then `secrets.toml`, which only its owner may read.

use super::{ConfigError, ConfigErrors, file};
use std::{collections::BTreeMap, fmt, io, path::Path};

/// The secrets of `secrets.toml`, behind those of the environment. Never printed.
#[derive(Clone, Default)]
pub struct Secrets {
    stored: BTreeMap<String, String>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.stored.keys()).finish()
    }
}

impl Secrets {
    /// Reads `secrets.toml`; none if there is no such file.
    ///
    /// # Errors
    /// The file can be read by others, or is not a list of `NAME = "value"`.
    pub fn load(path: &Path) -> Result<Self, ConfigErrors> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(ConfigError::at(&path.display(), format!("it can't be read: {error}")).into()),
        };
        refuse_loose(path)?;
        // A message of the TOML reader may quote the line, and the line may hold the secret.
        let values = file::values(&path.display().to_string(), &text)
            .map_err(|errors| ConfigErrors(errors.0.into_iter().map(|error| shape(&error.place)).collect()))?;
        let mut stored = BTreeMap::new();
        for given in values {
            match (given.path.as_slice(), given.value) {
                ([name], toml::Value::String(value)) => stored.insert(name.clone(), value),
                _ => return Err(shape(&given.origin).into()),
            };
        }
        Ok(Self { stored })
    }

    /// A secret by the name of its variable.
    pub fn get(&self, name: &str) -> Option<String> {
        let set = std::env::var(name).ok().filter(|value| !value.is_empty());
        set.or_else(|| self.stored.get(name).filter(|value| !value.is_empty()).cloned())
    }

    /// Where a secret is, for people.
    pub fn place(&self, name: &str) -> Option<&'static str> {
        if std::env::var_os(name).is_some_and(|value| !value.is_empty()) {
            return Some("the environment");
        }
        self.stored.get(name).filter(|value| !value.is_empty()).map(|_| "secrets.toml")
    }
}

fn shape(place: &impl fmt::Display) -> ConfigError {
    ConfigError::at(place, "a secret is written as NAME = \"value\", one a line, without sections")
}

#[cfg(unix)]
fn refuse_loose(path: &Path) -> Result<(), ConfigErrors> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)
        .map_err(|error| ConfigError::at(&path.display(), format!("it can't be read: {error}")))?
        .permissions()
        .mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let why = format!("others may read it (mode {:03o}): run `chmod 600 {}`", mode & 0o777, path.display());
    Err(ConfigError::at(&path.display(), why).into())
}

#[cfg(not(unix))]
fn refuse_loose(_: &Path) -> Result<(), ConfigErrors> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn written(text: &str, mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (folder, path)
    }

    #[test]
    fn the_owners_file_is_read_and_never_shown() {
        let (_folder, path) = written("A_KEY_OF_THIS_TEST = \"hunter2\"\n", 0o600);
        let secrets = Secrets::load(&path).unwrap();
        assert_eq!(secrets.get("A_KEY_OF_THIS_TEST").as_deref(), Some("hunter2"));
        assert_eq!(secrets.place("A_KEY_OF_THIS_TEST"), Some("secrets.toml"));
        assert!(!format!("{secrets:?}").contains("hunter2"));
    }

    #[test]
    fn a_file_that_others_may_read_is_refused_with_the_command_that_mends_it() {
        for mode in [0o644, 0o640, 0o604, 0o620] {
            let (_folder, path) = written("KEY = \"hunter2\"\n", mode);
            let error = Secrets::load(&path).unwrap_err().to_string();
            assert!(error.contains("chmod 600") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_broken_line_is_named_and_not_quoted() {
        for text in ["A = \"fine\"\nB = hunter2\n", "A = \"fine\"\nB = 12\n", "A = \"fine\"\nB.c = \"hunter2\"\n"] {
            let (_folder, path) = written(text, 0o600);
            let error = Secrets::load(&path).unwrap_err().to_string();
            assert!(error.contains("secrets.toml:2") && !error.contains("hunter2"), "{error}");
        }
    }
}
