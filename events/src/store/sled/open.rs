//! Opening: what is known to be curable is cured, everything else is a refusal that names the way out.

use super::{CACHE_BYTES, SledEngine, read, reserve::Reserve, rows};
use crate::{
    disk,
    store::{
        OpenError, ReadError, room,
        tail::{self, CHECKED_APPENDS},
        witness::Witness,
    },
};
use std::{
    fs::{self, File, TryLockError},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How often, and how far apart, a held lock is looked at again before it is believed: sled gives its own lock back a
/// moment after its last handle is dropped, from a thread of its pool. The lock of the data folder is what tells two hosts
/// apart, and it never waits.
const LOCK_LOOKS: u32 = 100;
const LOCK_LOOK_MS: u64 = 20;

impl SledEngine {
    /// Opens the log in `folder`, or makes a new one.
    ///
    /// # Errors
    /// [`OpenError`]; nothing was changed but the snapshot files that were set aside.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::open_checked(folder, |engine| engine.witness.check(engine).and_then(|()| engine.check_tail()))
    }

    /// Opens the log in `folder` without the check of its tail, which rests on the indexes: for who repairs those, and
    /// reads every record before.
    ///
    /// # Errors
    /// As [`SledEngine::open`].
    pub fn open_for_repair(folder: &Path) -> Result<Self, OpenError> {
        Self::open_checked(folder, |engine| engine.witness.check(engine))
    }

    fn open_checked(folder: &Path, check: impl Fn(&Self) -> Result<(), ReadError>) -> Result<Self, OpenError> {
        let io = |error| OpenError::Io { folder: folder.to_owned(), error };
        let damaged = |why: String| OpenError::Damaged { folder: folder.to_owned(), why };
        disk::create_private_dir(folder).map_err(io)?;
        if let Some(free_mib) = room::lacking(folder).map_err(io)? {
            return Err(OpenError::Full { folder: folder.to_owned(), free_mib });
        }
        if has_blob_files(folder) {
            return Err(damaged("sled wrote blob files, which it never syncs".into()));
        }
        // Before anything is moved: these files may be in the hands of the process that has the log open.
        if still_held(folder).map_err(io)? {
            return Err(OpenError::InUse { folder: folder.to_owned() });
        }
        set_aside(folder, |name| name.starts_with("snap.") && name.ends_with(".generating")).map_err(io)?;
        let db = match guarded(folder) {
            // A damaged snapshot; sled rebuilds from its log without it. `at: Some(..)` is damage of the log itself.
            Err(Refusal::Snapshot) => {
                tracing::warn!(folder = %folder.display(), "a snapshot file of sled was damaged: set aside");
                set_aside(folder, |name| name.starts_with("snap.")).map_err(io)?;
                guarded(folder).map_err(|refusal| damaged(refusal.words()))?
            }
            opened => opened.map_err(|refusal| damaged(refusal.words()))?,
        };
        let over = catch_unwind(AssertUnwindSafe(|| Self::over(folder, db)));
        let engine = over
            .unwrap_or_else(|_| Err(TreeError::Sled("sled panicked while it opened a tree".into())))
            .map_err(|error| match error {
                TreeError::Io(error) => io(error),
                TreeError::Sled(why) => damaged(why),
            })?;
        let checked = catch_unwind(AssertUnwindSafe(|| check(&engine)));
        match checked {
            Ok(Ok(())) => Ok(engine),
            Ok(Err(ReadError::Io(why))) => Err(io(io::Error::other(why))),
            Ok(Err(error)) => Err(damaged(error.to_string())),
            Err(_) => Err(damaged("sled panicked while the end of the log was read".into())),
        }
    }

    fn check_tail(&self) -> Result<(), ReadError> {
        let newest = self.positions.iter().rev().take(CHECKED_APPENDS + 1);
        let newest = newest.map(|row| row.map_err(rows::io).and_then(|(key, value)| rows::position_of(&key, &value)));
        let newest: Vec<_> = newest.collect::<Result<_, _>>()?;
        tail::check(self, &newest, |place| read::load_row(&self.frames, place))
    }

    fn over(folder: &Path, db: sled::Db) -> Result<Self, TreeError> {
        let tree = |name: &str| db.open_tree(name).map_err(|error| TreeError::Sled(error.to_string()));
        let engine = Self {
            folder: folder.to_owned(),
            frames: tree("frames")?,
            positions: tree("positions")?,
            ids: tree("ids")?,
            heads: tree("heads")?,
            names: tree("names")?,
            open: tree("open")?,
            reserve: Reserve::default(),
            witness: Witness::open(folder).map_err(TreeError::Io)?,
            file: File::options().read(true).write(true).open(folder.join("db")).map_err(TreeError::Io)?,
            db,
            _let_go: LetGo(folder.to_owned()),
        };
        engine.db.flush().map_err(|error| TreeError::Sled(error.to_string()))?;
        engine.reserve.keep(&engine.file).map_err(TreeError::Io)?;
        engine.file.sync_all().map_err(TreeError::Io)?;
        disk::sync_dir(folder).map_err(TreeError::Io)?;
        if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            disk::sync_dir(parent).map_err(TreeError::Io)?;
        }
        Ok(engine)
    }
}

enum TreeError {
    Io(io::Error),
    Sled(String),
}

enum Refusal {
    Snapshot,
    Other(String),
}

impl Refusal {
    fn words(self) -> String {
        match self {
            Self::Snapshot => "sled can't read it, also without its snapshot files".into(),
            Self::Other(why) => why,
        }
    }
}

/// Opens sled; its panics on damaged files become refusals.
fn guarded(folder: &Path) -> Result<sled::Db, Refusal> {
    let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES);
    match catch_unwind(AssertUnwindSafe(|| config.open())) {
        Ok(Ok(db)) => Ok(db),
        Ok(Err(sled::Error::Corruption { at: None, .. })) => Err(Refusal::Snapshot),
        Ok(Err(error)) => Err(Refusal::Other(error.to_string())),
        Err(_) => Err(Refusal::Other("sled panicked while it opened the folder".into())),
    }
}

/// Whether sled's file stays locked for longer than a handle of this process takes to go.
fn still_held(folder: &Path) -> io::Result<bool> {
    for _ in 0..LOCK_LOOKS {
        if !held(folder)? {
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(LOCK_LOOK_MS));
    }
    Ok(true)
}

/// Waits, when it is dropped, until sled has let go of its folder: what is read, moved or opened there afterwards is not
/// changed any more by a thread that is still closing.
pub(super) struct LetGo(pub PathBuf);

impl Drop for LetGo {
    fn drop(&mut self) {
        match still_held(&self.0) {
            Ok(false) => {}
            Ok(true) => {
                tracing::warn!(folder = %self.0.display(), "sled has not let go of its folder after two seconds")
            }
            Err(error) => tracing::warn!(%error, "whether sled has let go of its folder can't be seen"),
        }
    }
}

/// Whether sled's file is locked. sled takes the lock itself when it opens; this only looks.
fn held(folder: &Path) -> io::Result<bool> {
    let file = match File::options().read(true).write(true).open(folder.join("db")) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => file.unlock().map(|()| false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Moves files of the folder into `aside/`, so that nothing is ever deleted on a guess.
fn set_aside(folder: &Path, which: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if which(&name.to_string_lossy()) {
            disk::create_private_dir(&folder.join("aside"))?;
            fs::rename(entry.path(), folder.join("aside").join(&name))?;
        }
    }
    Ok(())
}

/// Whether sled has written blob files.
pub(super) fn has_blob_files(folder: &Path) -> bool {
    fs::read_dir(folder.join("blobs")).is_ok_and(|mut entries| entries.next().is_some())
}
