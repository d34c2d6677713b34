//! Texts inside events.

use crate::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;

/// JSON that came from outside, kept as the text that it was: re-serialising changes bytes.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct RawJson(pub String);

impl RawJson {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One part of what a person said or reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Plain text.
    Text(String),
    /// Bytes that lie in the session's blob space.
    Blob {
        /// MIME type as it was given.
        media_type: String,
        /// Name as it was given: data, never a path.
        name: Option<String>,
        /// Address in the session's blob space.
        address: Digest,
        /// Length in bytes.
        length: u64,
    },
}

impl Part {
    /// The texts of several parts, joined by a newline.
    pub fn joined(parts: &[Part]) -> String {
        let mut text = String::new();
        for part in parts {
            let piece = match part {
                Part::Text(piece) => piece.as_str(),
                Part::Blob { .. } => continue,
            };
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(piece);
        }
        text
    }
}

/// A text that holds nothing personal and that many sessions share (tool schemas, the stable tier of a prompt). The
/// event names it; whoever reads the event gets the text beside it ([`crate::Recorded::shared`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SharedText {
    /// Address in the shared blob space.
    pub address: Digest,
    /// Length in bytes.
    pub length: u32,
}
