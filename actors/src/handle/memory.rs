//! The agent's memory from outside.

use super::HostHandle;
use crate::{
    command::Refusal,
    memory_worker::{Edit, Entries},
    ports::MemoryEdit,
};
use dispatch_events::{Position, catalogue::memory::MemoryTarget};
use dispatch_projections::{memory::MemoryTimeline, view::MemoryView};
use serde::Serialize;

/// The memory files and the backend.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryFilesView {
    /// Agent.
    pub agent: String,
    /// Both files.
    pub files: Vec<MemoryFileView>,
    /// The external backend, if there is one.
    pub backend: Option<BackendView>,
}

/// One file.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryFileView {
    /// `memory` or `user`.
    pub target: &'static str,
    /// Name of the file.
    pub file: &'static str,
    /// Entries in order.
    pub entries: Vec<String>,
    /// Characters of all entries and their delimiters.
    pub characters: usize,
}

/// The external backend.
#[derive(Clone, Debug, Serialize)]
pub struct BackendView {
    /// Name.
    pub name: &'static str,
    /// What leaves the machine and where to.
    pub destination: String,
}

impl HostHandle {
    /// The memory files as they are.
    ///
    /// # Errors
    /// [`Refusal::Storage`] when a file can't be read.
    pub async fn memory_show(&self) -> Result<MemoryFilesView, Refusal> {
        let mut files = Vec::new();
        for (target, word) in [(MemoryTarget::Memory, "memory"), (MemoryTarget::User, "user")] {
            let entries = self.shared.memory.send(Entries(target)).await.map_err(|_| Refusal::Busy)?;
            let entries = entries.map_err(Refusal::Storage)?;
            let characters = entries.join("\n§\n").chars().count();
            files.push(MemoryFileView { target: word, file: target.file(), entries, characters });
        }
        let backend = self.shared.backend.as_ref();
        let backend = backend.map(|(name, destination)| BackendView { name, destination: destination.clone() });
        Ok(MemoryFilesView { agent: self.shared.settings.agent.clone(), files, backend })
    }

    /// Changes a memory file: recorded, then written.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the rule that the change breaks.
    pub async fn memory_edit(&self, edit: MemoryEdit, writer: &str) -> Result<String, Refusal> {
        let edit = Edit { edit, writer: writer.to_owned(), turn: None };
        self.shared.memory.send(edit).await.map_err(|_| Refusal::Busy)?.map_err(Refusal::Invalid)
    }

    /// Every moment of every memory, in the order of the log.
    ///
    /// # Errors
    /// [`Refusal::Storage`].
    pub async fn memory_timeline(&self) -> Result<MemoryView, Refusal> {
        let log = self.shared.log.clone();
        self.blocking(move || {
            let mut timeline = MemoryTimeline::default();
            let mut from = Position(1);
            loop {
                let page = log.read_all(from, 500).map_err(|error| error.to_string())?;
                let Some(last) = page.last() else { break };
                from = last.position.next();
                page.iter().for_each(|recorded| timeline.apply(recorded));
            }
            Ok(MemoryView::from(&timeline))
        })
        .await
    }
}
