//! `host.json`: who runs in a data folder, and where it listens.
//!
//! A hint, never a proof: after a `kill -9` it is still there. Whoever reads it asks the address; whoever wants the
//! folder takes its lock.

use dispatch_events::{Timestamp, disk};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The running host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFile {
    /// Process id, for people.
    pub pid: u32,
    /// Where it listens.
    pub url: String,
    /// Since when, RFC 3339.
    pub started: String,
}

impl HostFile {
    /// This process, listening at `url`.
    pub fn this(url: &str, now: Timestamp) -> Self {
        Self { pid: std::process::id(), url: url.to_owned(), started: now.rfc3339() }
    }

    /// What the file says; `None` if there is none, or if it is no such file.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Writes it, and keeps it as long as the answer lives.
    ///
    /// # Errors
    /// What the file system says.
    pub fn publish(&self, path: &Path) -> io::Result<Published> {
        let mut text = serde_json::to_vec(self).map_err(io::Error::other)?;
        text.push(b'\n');
        disk::replace_synced(path, &text)?;
        Ok(Published { path: path.to_owned() })
    }
}

/// The written file; it goes when this is dropped.
#[derive(Debug)]
pub struct Published {
    path: PathBuf,
}

impl Drop for Published {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "host.json stays; the next start replaces it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_there_while_the_host_runs_and_gone_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("host.json");
        let this = HostFile::this("http://127.0.0.1:8642", Timestamp(0));
        let published = this.publish(&path).unwrap();
        assert_eq!(HostFile::read(&path), Some(this));
        drop(published);
        assert!(!path.exists());
    }

    #[test]
    fn a_torn_file_is_no_host() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("host.json");
        for text in ["", "{", "{\"pid\":\"x\"}"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(HostFile::read(&path), None, "{text}");
        }
    }
}
