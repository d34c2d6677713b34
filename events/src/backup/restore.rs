//! From a backup to a data folder.
//!
//! The log's folder is marked as an unfinished copy before anything else is written, and the mark goes when the log in it
//! is verified, which comes last. A restore that was killed is called again, and goes on.

use super::{BackupError, Stage, along};
use crate::{
    Clock, Log, StreamId,
    blob::{BlobError, BlobStore, Space},
    copy::{self, Copied, Step},
    disk,
    framed::{FramedStore, keys_beside},
    keys::{KeyError, KeyId, archive::Archive, erased},
    store::EngineKind,
    verify::{self, Report},
};
use std::{
    collections::HashSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The log.
    pub copied: Copied,
    /// Blobs that were written.
    pub blobs: u64,
    /// Blobs that are no whole file in the backup, and were left out: what names them can't be read.
    pub damaged_blobs: u64,
    /// Files that were taken along.
    pub files: u64,
    /// Streams of the backup that stay erased: their keys are destroyed, and none of their blobs was written.
    pub erased: Vec<StreamId>,
    /// What reading the new folder found.
    pub report: Report,
}

/// Makes the data folder `data` of the backup `file` and the keys beside it. `data` is empty or not there, but for a list of
/// erased keys that may stand in it; `newer` is another such list, from a data folder or backup that knows more.
/// The caller holds the folder's lock. Blocks. `progress` is told the stage, and how much of how much of it is done.
///
/// # Errors
/// [`BackupError`]; a folder that was begun is not opened as a log, and a second call goes on in it.
pub fn restore(
    file: &Path,
    data: &Path,
    engine: EngineKind,
    newer: Option<&Path>,
    clock: Arc<dyn Clock>,
    mut progress: impl FnMut(Stage, u64, u64),
) -> Result<Restored, BackupError> {
    let beside = keys_beside(file);
    if !beside.exists() {
        return Err(BackupError::NoKeys(beside));
    }
    vacant(data)?;
    let mut archive = Archive::read(&beside)?;
    let gone = forgotten(&archive, data, newer)?;
    // Before anything of it is written: a key that was destroyed never reaches the new folder's disk.
    archive.destroy(&gone);
    let keys = archive.keyring();
    let store = Arc::new(FramedStore::open(file, keys.name_secret(false)?)?);
    let source = Log::new(store.clone(), keys, BlobStore::in_file(store.clone()), clock.clone());

    copy::begin(&data.join("log"), engine)?;
    archive.write(&data.join("keys"), &gone)?;
    let erased = store.sealed_with(&gone);
    let (blobs, damaged_blobs) = write_blobs(&source, &store, data, &erased, &mut progress)?;
    let files = write_files(&store, data, &mut progress)?;
    let copied = copy::copy_with(&source, &data.join("log"), engine, true, |step, at, of| {
        progress(if step == Step::Writing { Stage::Log } else { Stage::Verifying }, at.0, of.0);
    })?;
    disk::sync_dir(data).map_err(|error| io(data, error))?;

    let log = Log::open(data, engine, clock)?;
    let report = verify::verify_with(&log, |at| progress(Stage::Verifying, at.0, copied.head.position.0))?;
    if !report.is_sound() {
        return Err(BackupError::NotSound { file: data.to_owned(), report: Box::new(report) });
    }
    let mut erased: Vec<_> = erased.into_iter().collect();
    erased.sort_unstable();
    Ok(Restored { copied, blobs, damaged_blobs, files, erased, report })
}

/// Refuses a folder that holds anything but a list of erased keys, a lock, or a restore that was begun.
fn vacant(data: &Path) -> Result<(), BackupError> {
    disk::create_private_dir(data).map_err(|error| io(data, error))?;
    if copy::is_unfinished(&data.join("log")) {
        return Ok(());
    }
    for (folder, allowed) in [(data.to_owned(), &["keys", "lock"][..]), (data.join("keys"), &[erased::FILE])] {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.map_err(|error| io(&folder, error))?,
        };
        for entry in entries {
            let found = entry.map_err(|error| io(&folder, error))?.file_name().to_string_lossy().into_owned();
            let begun = found == "log" && copy::is_vacant(&folder.join("log")).unwrap_or(false);
            if !allowed.contains(&found.as_str()) && !begun {
                return Err(BackupError::Holds { folder, found: format!("`{found}`") });
            }
        }
    }
    Ok(())
}

/// Every key that any list names.
fn forgotten(archive: &Archive, data: &Path, newer: Option<&Path>) -> Result<Vec<KeyId>, KeyError> {
    let mut gone: HashSet<KeyId> = archive.erased()?.into_iter().collect();
    gone.extend(erased::read(&data.join("keys").join(erased::FILE))?);
    if let Some(newer) = newer {
        // A list that was named has to be there: nothing stays erased by a slip of the pen.
        fs::metadata(newer)?;
        gone.extend(erased::read(newer)?);
    }
    let mut gone: Vec<_> = gone.into_iter().collect();
    gone.sort_unstable_by_key(|id| id.0);
    Ok(gone)
}

/// How many were written, and how many were left out: one bad file is no reason to give up all the others.
fn write_blobs(
    source: &Log,
    store: &FramedStore,
    data: &Path,
    erased: &HashSet<StreamId>,
    progress: &mut impl FnMut(Stage, u64, u64),
) -> Result<(u64, u64), BackupError> {
    let target = BlobStore::open(&data.join("blobs"))?;
    let wanted = |space: &Space| !matches!(space, Space::Session(stream) if erased.contains(stream));
    let blobs: Vec<_> = store.blobs().filter(|(space, _)| wanted(space)).collect();
    let mut damaged = 0;
    for (done, (space, address)) in blobs.iter().enumerate() {
        match target.write_sealed(*space, *address, source.blobs().read_sealed(*space, *address)?) {
            Err(BlobError::Damaged(_) | BlobError::Format(..)) => damaged += 1,
            written => drop(written?),
        }
        progress(Stage::Blobs, done as u64 + 1, blobs.len() as u64);
    }
    Ok((blobs.len() as u64 - damaged, damaged))
}

fn write_files(
    store: &FramedStore,
    data: &Path,
    progress: &mut impl FnMut(Stage, u64, u64),
) -> Result<u64, BackupError> {
    let of = store.files().count() as u64;
    for (written, (name, pieces)) in store.files().enumerate() {
        along::fit(name)?;
        let path: PathBuf = data.join(name);
        let folder = path.parent().unwrap_or(data);
        disk::create_private_dir(folder).map_err(|error| io(folder, error))?;
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            for piece in pieces {
                file.write_all(&piece?)?;
            }
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            disk::sync_dir(folder)
        };
        write().map_err(|error| io(&path, error))?;
        progress(Stage::Files, written as u64 + 1, of);
    }
    Ok(of)
}

fn io(path: &Path, error: io::Error) -> BackupError {
    BackupError::Io { path: path.to_owned(), error }
}
