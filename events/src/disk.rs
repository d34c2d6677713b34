//! Files that are on the disk when the call returns.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// Makes a folder that only its owner may enter, and syncs the folder it lies in.
///
/// # Errors
/// What the file system says.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = parent_of(path).filter(|parent| !parent.exists()) {
        create_private_dir(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => sync_parent(path),
    }
}

/// Begins the name of a file that has no name of its own yet.
const UNNAMED: &str = ".tmp";

/// Writes an owner-only file that must not be there yet: bytes, then the folder, are synced. It has its name when it is
/// whole, so neither a full disk nor a power cut leaves a part of it there.
///
/// # Errors
/// What the file system says; `AlreadyExists` if it is there.
pub fn write_new_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    unnamed(path, bytes)?.persist_noclobber(path).map_err(|error| error.error)?;
    sync_parent(path)
}

/// Replaces a file as one step: a reader sees the old bytes or the new ones, also after a power cut.
///
/// # Errors
/// What the file system says.
pub fn replace_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    unnamed(path, bytes)?.persist(path).map_err(|error| error.error)?;
    sync_parent(path)
}

/// Removes what a run that was killed had not named yet. Nobody may be writing in `folder`.
///
/// # Errors
/// What the file system says.
pub fn remove_unnamed(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNNAMED) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Synced bytes in the folder of `path`, without a name; gone with the value.
fn unnamed(path: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix(UNNAMED).tempfile_in(parent_of(path).unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Syncs a folder, so that the names in it survive a power cut.
///
/// # Errors
/// What the file system says.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Bytes that are free for this process on the file system that holds `path`.
///
/// # Errors
/// What the file system says.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let stat = rustix::fs::statvfs(path)?;
    Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Options for a file that only its owner may read.
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn sync_parent(path: &Path) -> io::Result<()> {
    sync_dir(parent_of(path).unwrap_or(Path::new(".")))
}

/// The folder of a path; none if it is the working folder.
fn parent_of(path: &Path) -> Option<&Path> {
    path.parent().filter(|parent| !parent.as_os_str().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_written_once_and_what_has_no_name_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        write_new_synced(&path, b"first").unwrap();
        assert_eq!(write_new_synced(&path, b"second").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        // What a kill between two of its steps leaves.
        unnamed(&path, b"third").unwrap().keep().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        remove_unnamed(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
