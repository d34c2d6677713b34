//! A state as bytes, and the mark of its shape.
//!
//! A snapshot saves the time of a replay and holds nothing of its own. Events are upgraded when they are read, snapshots
//! never: one whose mark is not this build's mark is thrown away, and the history is folded again.

use crate::SessionState;
use dispatch_events::{
    Digest, Event, SharedText,
    blob::BlobError,
    codec::{self, CodecError},
};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Number of the fold's rules and of the state's fields. **Raise it with every change of either**; a test that folds
/// fixed histories fails until that is done.
pub const FOLD_VERSION: u32 = 3;

/// The mark that a snapshot of this build carries: the fold's number, the codec, and what the fold is fed with.
pub fn shape() -> Digest {
    let mut mark = Vec::with_capacity(1024);
    mark.extend_from_slice(b"session state");
    mark.extend_from_slice(&FOLD_VERSION.to_be_bytes());
    mark.push(codec::BINCODE_2);
    for (name, schema) in Event::TYPES {
        mark.extend_from_slice(name.as_bytes());
        mark.extend_from_slice(&schema.to_be_bytes());
    }
    Digest::of(&mark)
}

/// Why bytes were not taken for a state: fold the history instead.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// They are not a state of this build.
    #[error("the snapshot can't be decoded: {0}")]
    Codec(#[from] CodecError),
    /// A text that it shares with other sessions is not there.
    #[error("the snapshot names a shared text: {0}")]
    Text(#[from] BlobError),
}

impl SessionState {
    /// The state as bytes: the same history gives the same bytes. Texts that all sessions share are named, not held.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when it is larger than a snapshot may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CodecError> {
        codec::encode_state(self)
    }

    /// The state that [`to_bytes`](Self::to_bytes) of a build with the same [`shape`] wrote. `text` gives the texts that
    /// it shares with other sessions.
    ///
    /// # Errors
    /// [`RestoreError`] when the bytes are anything else, or a text is not there.
    pub fn from_bytes(
        bytes: &[u8],
        text: impl Fn(SharedText) -> Result<Arc<str>, BlobError>,
    ) -> Result<Self, RestoreError> {
        let mut state: Self = codec::decode_state(bytes)?;
        if let Some(built) = &mut state.prompt.built {
            built.stable = text(built.stable_at)?;
        }
        if let Some(tools) = &mut state.prompt.tools {
            tools.schemas = text(tools.schemas_at)?;
        }
        Ok(state)
    }
}
