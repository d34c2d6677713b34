//! `MEMORY.md` and `USER.md` of one agent: small files that people read and edit too.
//!
//! An edit is planned, then recorded by whoever asked, then written. [`DiskMemory::plan`](MemoryFiles::plan) only
//! reads; [`DiskMemory::write`](MemoryFiles::write) puts the planned bytes there as one step, under a lock beside the
//! file, and only over the bytes that were planned for. So a crash between the two is made good by writing again, and
//! a hand edit in between is never overwritten.

mod drift;
mod edit;
mod entries;
mod guard;
mod snapshot;
mod words;

use dispatch_actors::ports::memory::{MemoryEdit, MemoryFiles, MemorySnapshot, PlannedEdit};
use dispatch_events::{
    Clock, Digest,
    catalogue::memory::{MemoryChange, MemoryTarget},
    disk,
};
use entries::Entries;
use std::{io, path::PathBuf, sync::Arc};

/// Bytes of a file that are read: a file above was not made by this program.
const FILE_BYTES: u64 = 1024 * 1024;

/// Characters that the files may have, delimiters included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Of `MEMORY.md`.
    pub memory: usize,
    /// Of `USER.md`.
    pub user: usize,
}

impl MemoryLimits {
    fn of(self, target: MemoryTarget) -> usize {
        match target {
            MemoryTarget::Memory => self.memory,
            MemoryTarget::User => self.user,
        }
    }
}

/// The files of one agent in a folder, `<data>/memories/<agent>`.
pub struct DiskMemory {
    folder: PathBuf,
    limits: MemoryLimits,
    clock: Arc<dyn Clock>,
}

impl DiskMemory {
    /// Files in `folder`, which is made by the first write.
    pub fn new(folder: impl Into<PathBuf>, limits: MemoryLimits, clock: Arc<dyn Clock>) -> Self {
        Self { folder: folder.into(), limits, clock }
    }

    fn path(&self, target: MemoryTarget) -> PathBuf {
        self.folder.join(target.file())
    }

    fn bytes(&self, target: MemoryTarget) -> Result<Vec<u8>, String> {
        let path = self.path(target);
        let refuse = |why: String| format!("{} can't be read: {why}; check it with a text editor", target.file());
        let length = match std::fs::metadata(&path) {
            Ok(meta) if !meta.is_file() => return Err(refuse("it is no regular file".to_owned())),
            Ok(meta) => meta.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(refuse(error.to_string())),
        };
        if length > FILE_BYTES {
            return Err(refuse(format!("it has {length} bytes, and at most {FILE_BYTES} are read")));
        }
        std::fs::read(&path).map_err(|error| refuse(error.to_string()))
    }

    fn read(&self, target: MemoryTarget) -> Result<Entries, String> {
        Entries::parse(&self.bytes(target)?)
            .ok_or_else(|| format!("{} is not UTF-8 text; save it as UTF-8 and try again", target.file()))
    }
}

impl MemoryFiles for DiskMemory {
    fn snapshot(&self) -> Result<MemorySnapshot, String> {
        let block = |target| {
            let entries = self.read(target)?;
            Ok::<_, String>(snapshot::block(target, &entries, self.limits.of(target)))
        };
        let (memory_block, memory) = block(MemoryTarget::Memory)?;
        let (user_block, user) = block(MemoryTarget::User)?;
        Ok(MemorySnapshot { memory_block, user_block, memory, user })
    }

    fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, String> {
        Ok(self.read(target)?.list().to_vec())
    }

    fn plan(&self, edit: &MemoryEdit) -> Result<PlannedEdit, String> {
        let bytes = self.bytes(edit.target)?;
        let limit = self.limits.of(edit.target);
        edit::check_contents(&edit.operations)?;
        let parsed = Entries::parse(&bytes);
        if let Some(why) = drift::reason(parsed.as_ref(), &edit.operations, limit) {
            let saved = drift::save_copy(&self.path(edit.target), &bytes, self.clock.now())?;
            return Err(words::drifted(edit.target, why, &saved));
        }
        let Some(entries) = parsed else { return Err(words::no_text(edit.target)) };
        let done = edit::apply(edit.target, &entries, &edit.operations, limit)?;
        // An edit that changes nothing leaves the bytes as they are, a person's spacing included.
        let after = if done.changes.is_empty() { entries.text().to_owned() } else { done.entries.join() };
        Ok(PlannedEdit {
            target: edit.target,
            changes: done.changes,
            before: Digest::of(&bytes),
            summary: done.summary,
            after,
        })
    }

    fn replay(&self, target: MemoryTarget, changes: &[MemoryChange]) -> Result<PlannedEdit, String> {
        let bytes = self.bytes(target)?;
        let entries = Entries::parse(&bytes).ok_or_else(|| words::no_text(target))?;
        let after = edit::replay(target, entries, changes)?.join();
        let (changes, before) = (changes.to_vec(), Digest::of(&bytes));
        Ok(PlannedEdit { target, changes, before, after, summary: String::new() })
    }

    fn write(&self, planned: &PlannedEdit) -> Result<(), String> {
        if planned.changes.is_empty() {
            return Ok(());
        }
        let file = planned.target.file();
        let failed = |error: io::Error| format!("{file} can't be written: {error}; nothing has changed");
        disk::create_private_dir(&self.folder).map_err(failed)?;
        let path = self.path(planned.target);
        let _held = guard::hold(&path).map_err(|why| format!("{file} can't be written: {why}"))?;
        let now = self.digest(planned.target)?;
        if now == Digest::of(planned.after.as_bytes()) {
            return Ok(());
        }
        if now != planned.before {
            return Err(format!(
                "{file} was changed by somebody else in the meantime, so nothing was written; try again"
            ));
        }
        disk::replace_synced(&path, planned.after.as_bytes()).map_err(failed)
    }

    fn digest(&self, target: MemoryTarget) -> Result<Digest, String> {
        Ok(Digest::of(&self.bytes(target)?))
    }
}

#[cfg(test)]
mod tests;
