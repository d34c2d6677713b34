//! The root below which file tools look, and which paths lie below it.
//!
//! A path is judged twice: as it is written, and as the file system resolves it, links included. After opening, the
//! file has to be the one that was judged. What lies outside is answered the same whether it exists or not.

mod credentials;

use std::{
    fs::{self, File, Metadata},
    io,
    path::{Component, Path, PathBuf},
};

/// A workspace root.
pub struct Workspace {
    root: PathBuf,
    closed: Vec<PathBuf>,
}

/// A path that lies below the root, links resolved.
#[derive(Debug)]
pub struct Inside {
    /// Where it is.
    pub real: PathBuf,
    /// The same, relative to the root, for people; `.` for the root itself.
    pub shown: String,
}

impl Workspace {
    /// A root; folders in `closed` (the host's own data) are never looked into, wherever they lie.
    pub fn new(root: impl Into<PathBuf>, closed: Vec<PathBuf>) -> Self {
        Self { root: root.into(), closed }
    }

    /// Resolves a path that a model wrote.
    ///
    /// # Errors
    /// In words: outside, missing, or closed.
    pub fn resolve(&self, written: &str) -> Result<Inside, String> {
        let root = self.root()?;
        check_text(written)?;
        let outside = || format!("`{written}` lies outside of the workspace {}; name a path inside", root.display());
        let joined = flatten(&root.join(strip_root(Path::new(written), &self.root))).ok_or_else(outside)?;
        if !joined.starts_with(&root) {
            return Err(outside());
        }
        let real = match fs::canonicalize(root.join(strip_root(Path::new(written), &self.root))) {
            Ok(real) => real,
            Err(error) => {
                let parent = nearest(&joined);
                return Err(if parent.is_none_or(|parent| !parent.starts_with(&root)) {
                    outside()
                } else if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                    format!("there is no `{written}` in the workspace {}; see `list_files`", root.display())
                } else {
                    format!("`{written}` can't be reached: {error}")
                });
            }
        };
        let Ok(relative) = real.strip_prefix(&root) else { return Err(outside()) };
        if self.is_closed(&real) {
            return Err(format!("`{written}` belongs to Dispatch itself and is closed to tools"));
        }
        let shown =
            if relative.as_os_str().is_empty() { ".".to_owned() } else { printable(&relative.to_string_lossy()) };
        Ok(Inside { shown, real })
    }

    /// Opens a regular file below the root that holds no credentials.
    ///
    /// # Errors
    /// In words.
    pub fn open(&self, written: &str) -> Result<(File, Metadata, Inside), String> {
        let inside = self.resolve(written)?;
        let shown = &inside.shown;
        if credentials::is_credential(Path::new(shown)) || credentials::is_credential(Path::new(written)) {
            return Err(format!("`{shown}` is a place for credentials and is closed to tools; ask the person instead"));
        }
        let before = fs::metadata(&inside.real).map_err(|error| format!("`{shown}` can't be read: {error}"))?;
        if before.is_dir() {
            return Err(format!("`{shown}` is a folder; use `list_files`"));
        }
        if !before.is_file() {
            return Err(format!("`{shown}` is no regular file and is not read"));
        }
        let file = open_unlinked(&inside.real).map_err(|error| format!("`{shown}` can't be opened: {error}"))?;
        let meta = file.metadata().map_err(|error| format!("`{shown}` can't be read: {error}"))?;
        if !same_file(&before, &meta) || fs::canonicalize(&inside.real).ok().as_ref() != Some(&inside.real) {
            return Err(format!("`{shown}` was exchanged while it was opened; try again"));
        }
        Ok((file, meta, inside))
    }

    /// Whether a path, links resolved, lies in a closed folder.
    pub(super) fn is_closed(&self, real: &Path) -> bool {
        self.closed.iter().any(|closed| real.starts_with(fs::canonicalize(closed).as_ref().unwrap_or(closed)))
    }

    fn root(&self) -> Result<PathBuf, String> {
        let missing = |why: &str| format!("the workspace {} {why}; make it, or set another", self.root.display());
        match fs::canonicalize(&self.root) {
            Ok(root) if root.is_dir() => Ok(root),
            Ok(_) => Err(missing("is no folder")),
            Err(error) => Err(missing(&format!("can't be reached ({error})"))),
        }
    }
}

fn check_text(written: &str) -> Result<(), String> {
    let shown = printable(written);
    if written.contains('\0') {
        return Err(format!("`{shown}` holds a NUL character, which no path has"));
    }
    if written.starts_with('~') {
        return Err(format!("`{shown}`: `~` is not expanded; give a path relative to the workspace"));
    }
    let drive = written.as_bytes();
    let has_drive =
        drive.len() > 2 && drive[0].is_ascii_alphabetic() && drive[1] == b':' && matches!(drive[2], b'\\' | b'/');
    if cfg!(unix) && (has_drive || written.starts_with("\\\\")) {
        return Err(format!("`{shown}` is a path of Windows; give a path relative to the workspace, with /"));
    }
    Ok(())
}

/// An absolute path below the root as it was configured, made relative: the root itself may be a link.
fn strip_root<'a>(written: &'a Path, root: &Path) -> &'a Path {
    written.strip_prefix(root).unwrap_or(written)
}

/// The path without `.` and `..`; `None` if it climbs above its start.
fn flatten(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// The nearest parent that exists, links resolved.
fn nearest(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|parent| fs::canonicalize(parent).ok())
}

/// A name in which control characters can't forge lines.
pub(super) fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(unix)]
fn open_unlinked(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe that took the file's place must not block the open.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    fs::OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_unlinked(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn same_file(before: &Metadata, after: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    after.is_file() && before.dev() == after.dev() && before.ino() == after.ino()
}

#[cfg(not(unix))]
fn same_file(before: &Metadata, after: &Metadata) -> bool {
    after.is_file() && before.is_file()
}

#[cfg(test)]
mod tests;
