//! The data folder: where it is, and the paths in it.

mod along;

use std::path::{Path, PathBuf};

/// The folder that holds everything that Dispatch keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder(PathBuf);

/// No folder is named, and there is no home folder to fall back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no data folder: give --data DIR, or set DISPATCH_HOME")]
pub struct NoDataFolder;

impl DataFolder {
    /// The folder at a path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder that `--data` names, else `DISPATCH_HOME`, else the user's data folder.
    ///
    /// # Errors
    /// [`NoDataFolder`] when nothing names one.
    pub fn find(named: Option<&Path>, variable: impl Fn(&str) -> Option<String>) -> Result<Self, NoDataFolder> {
        if let Some(path) = named {
            return Ok(Self::at(path));
        }
        let set = |name| variable(name).filter(|text| !text.is_empty());
        if let Some(home) = set("DISPATCH_HOME") {
            return Ok(Self::at(home));
        }
        // The XDG specification: a relative path in the variable is ignored.
        let xdg = set("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let base = xdg.or_else(|| set("HOME").map(|home| Path::new(&home).join(".local/share")));
        base.map(|base| Self(base.join("dispatch"))).ok_or(NoDataFolder)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// `log`: the event log, as its engine keeps it.
    pub fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    /// `keys`: what opens the events, and what signs anchors.
    pub fn keys(&self) -> PathBuf {
        self.0.join("keys")
    }

    /// `config.toml`: settings.
    pub fn config_file(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// `secrets.toml`: keys of models and backends.
    pub fn secrets_file(&self) -> PathBuf {
        self.0.join("secrets.toml")
    }

    /// `token`: what clients of the API show.
    pub fn token_file(&self) -> PathBuf {
        self.0.join("token")
    }

    /// `host.json`: who runs.
    pub fn host_file(&self) -> PathBuf {
        self.0.join("host.json")
    }

    /// `memories/AGENT`: the two memory files of an agent.
    pub fn memories(&self, agent: &str) -> PathBuf {
        self.0.join("memories").join(agent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_wins_then_the_variable_then_the_users_folder() {
        let all = |name: &str| match name {
            "DISPATCH_HOME" => Some("/home-variable".to_owned()),
            "XDG_DATA_HOME" => Some("/xdg".to_owned()),
            _ => Some("/home/me".to_owned()),
        };
        let without = |hidden: &'static [&'static str]| move |name: &str| all(name).filter(|_| !hidden.contains(&name));
        let find = |named: Option<&str>, hidden: &'static [&'static str]| {
            DataFolder::find(named.map(Path::new), without(hidden)).map(|folder| folder.0.display().to_string())
        };
        assert_eq!(find(Some("/flag"), &[]).unwrap(), "/flag");
        assert_eq!(find(None, &[]).unwrap(), "/home-variable");
        assert_eq!(find(None, &["DISPATCH_HOME"]).unwrap(), "/xdg/dispatch");
        assert_eq!(find(None, &["DISPATCH_HOME", "XDG_DATA_HOME"]).unwrap(), "/home/me/.local/share/dispatch");
        find(None, &["DISPATCH_HOME", "XDG_DATA_HOME", "HOME"]).unwrap_err();
    }

    #[test]
    fn a_relative_xdg_folder_is_ignored_as_its_specification_says() {
        let variable = |name: &str| match name {
            "XDG_DATA_HOME" => Some("relative".to_owned()),
            "HOME" => Some("/home/me".to_owned()),
            _ => None,
        };
        assert_eq!(DataFolder::find(None, variable).unwrap().path(), Path::new("/home/me/.local/share/dispatch"));
    }
}
