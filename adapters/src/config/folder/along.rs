//! What a backup takes along: the settings and the memory files. Never the token, and no secrets.

use super::DataFolder;
use dispatch_events::backup::Along;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

impl DataFolder {
    /// The files that belong to the folder beside its log, in the order of their names.
    ///
    /// # Errors
    /// What the file system says.
    pub fn to_take_along(&self) -> io::Result<Vec<Along>> {
        let mut found = Vec::new();
        let settings = self.config_file();
        if settings.is_file() {
            found.push(Along { name: "config.toml".to_owned(), path: settings });
        }
        for agent in entries(&self.path().join("memories"))? {
            for file in entries(&agent)? {
                let name = file.strip_prefix(self.path()).ok().and_then(Path::to_str).map(str::to_owned);
                // Copies that an edit saved are people's too; locks are empty and made again.
                let kept = file.is_file() && file.extension().is_none_or(|extension| extension != "lock");
                match name.filter(|_| kept) {
                    Some(name) => found.push(Along { name, path: file }),
                    None => tracing::debug!(file = %file.display(), "not a memory file: it is not taken along"),
                }
            }
        }
        Ok(found)
    }
}

/// What is in a folder and has no dot before its name; nothing where there is no folder.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(found);
        }
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_memories_go_along_and_no_secret_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("memories/main")).unwrap();
        for name in ["config.toml", "token", "secrets.toml", "memories/main/USER.md", "memories/main/.tmp1.md"] {
            fs::write(at(name), "x").unwrap();
        }
        fs::write(at("memories/main/USER.md.lock"), "").unwrap();
        let names = DataFolder::at(folder.path()).to_take_along().unwrap();
        let names: Vec<_> = names.into_iter().map(|along| along.name).collect();
        assert_eq!(names, ["config.toml", "memories/main/USER.md"]);
        assert!(DataFolder::at(at("nothing")).to_take_along().unwrap().is_empty());
    }
}
