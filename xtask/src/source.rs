//! The Rust files of the repository.

pub mod function;

use crate::Failure;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// One Rust file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Path from the root of the repository, with `/` between its parts.
    pub path: String,
    /// All of its text.
    pub text: String,
}

/// The root of the repository that this program was built from.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Every `.rs` file below `root`, in the order of their paths. Build output and hidden folders are left out.
pub fn rust_files(root: &Path) -> Result<Vec<SourceFile>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Failure::at(&folder))? {
            let path = entry.map_err(Failure::at(&folder))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                let text = fs::read_to_string(&path).map_err(Failure::at(&path))?;
                files.push(SourceFile { path: below(root, &path), text });
            }
        }
    }
    if files.is_empty() {
        return Err(Failure::Nothing(format!("no Rust file below {}: start this in the repository", root.display())));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn below(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    relative.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_and_hidden_folders_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["b.rs", "a/src/lib.rs", "target/debug/made.rs", ".git/hook.rs", "a/README.md"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "fn f() {}\n").unwrap();
        }
        let found: Vec<_> = rust_files(folder.path()).unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(found, ["a/src/lib.rs", "b.rs"]);
    }

    #[test]
    fn an_empty_folder_is_not_a_clean_one() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(rust_files(folder.path()), Err(Failure::Nothing(_))));
    }
}
