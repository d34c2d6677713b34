//! Files that a backup takes along: settings, and memories, which live outside of the log.

use std::path::{Component, Path, PathBuf};

/// A file to take along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Along {
    /// Where it belongs, relative to the data folder, with `/`.
    pub name: String,
    /// Where it is now.
    pub path: PathBuf,
}

/// A name that a file in a backup can't have: it would leave the data folder, lie in what the log keeps, or is a secret
/// that a backup never has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a file named `{0}` has no place in a backup: take along only files of the data folder that hold no secret")]
pub struct Unfit(pub String);

/// What is in a data folder and never among the files taken along.
const NEVER: &[&str] = &["log", "keys", "blobs", "lock", "token", "secrets", "secrets.toml"];

/// Checked before a name is written, and again before it is made: the file may be from anywhere.
pub(super) fn fit(name: &str) -> Result<(), Unfit> {
    let unfit = || Unfit(name.to_owned());
    // `Path` would take `a//b` and `a/./b` for `a/b`: one file has one name.
    let plain = name.split('/').all(|part| !matches!(part, "" | "." | "..")) && !name.contains(['\\', '\0']);
    let normal = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let first = name.split('/').next().unwrap_or_default();
    if plain && normal && !NEVER.contains(&first) { Ok(()) } else { Err(unfit()) }
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn a_name_stays_in_the_data_folder_and_out_of_the_log() {
        for name in ["config.toml", "memories/main/MEMORY.md", "tokens.md"] {
            fit(name).unwrap();
        }
        for name in ["", "/etc/passwd", "../a", "a/../b", "a//b", "./a", "a/", "keys/erased", "log/db", "token", "a\\b"]
        {
            assert!(fit(name).is_err(), "{name}");
        }
        assert!(fit("secrets.toml").is_err());
    }
}
