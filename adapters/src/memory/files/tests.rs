use super::*;
use dispatch_actors::ports::memory::MemoryOperation;
use dispatch_events::{Timestamp, catalogue::memory::MemoryChange, clock::FixedClock};
use std::fs;

mod edits;
mod prompt;
mod writing;

struct Fixture {
    folder: tempfile::TempDir,
    files: DiskMemory,
}

/// Files with the given `MEMORY.md`; `None` for no file.
fn with(memory: Option<&str>) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    if let Some(text) = memory {
        fs::write(folder.path().join("MEMORY.md"), text).unwrap();
    }
    let clock = Arc::new(FixedClock::at(Timestamp(1_700_000_000_500_000)));
    let files = DiskMemory::new(folder.path(), MemoryLimits { memory: 2200, user: 1375 }, clock);
    Fixture { folder, files }
}

impl Fixture {
    fn on_disk(&self) -> String {
        fs::read_to_string(self.folder.path().join("MEMORY.md")).unwrap()
    }

    fn plan(&self, operations: Vec<MemoryOperation>) -> Result<PlannedEdit, String> {
        self.files.plan(&MemoryEdit { target: MemoryTarget::Memory, operations })
    }

    fn edit(&self, operations: Vec<MemoryOperation>) -> Result<PlannedEdit, String> {
        let planned = self.plan(operations)?;
        self.files.write(&planned)?;
        Ok(planned)
    }

    fn backups(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| name.contains(".bak."));
        names.sort();
        names
    }
}

fn add(content: &str) -> MemoryOperation {
    MemoryOperation::Add { content: content.to_owned() }
}

fn replace(old_text: &str, content: &str) -> MemoryOperation {
    MemoryOperation::Replace { old_text: old_text.to_owned(), content: content.to_owned() }
}

fn remove(old_text: &str) -> MemoryOperation {
    MemoryOperation::Remove { old_text: old_text.to_owned() }
}

fn of(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}
