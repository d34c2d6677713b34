//! Anchors: signed statements of what the log was, kept elsewhere.
//!
//! The chains show a change by somebody who can't make all of the log anew. Who holds the data folder can: every hash, every
//! index and every witness of it. An anchor that lies in another place, and whose signing key the forger did not have when
//! the change was made, shows also that. With the public key anybody can check an anchor, and an exported log against it, and
//! forge neither.
//!
//! An anchor is a JSON document. What is signed is not its text, but these bytes, big-endian, one behind the other:
//!
//! | bytes | field |
//! |---|---|
//! | 16 | `dispatch anchor` and a zero |
//! | 4 | format, 1 |
//! | 8 | position of the last event |
//! | 32 | the log's chain there |
//! | 8 | number of streams |
//! | 32 | digest of the heads: BLAKE3 over `stream ‖ version ‖ hash` (16, 8 and 32 bytes) of each, sorted by stream |
//! | 2 + n | length and text of `made_at` |
//! | 2 + n | length and text of `release` |
//! | 32 | public key |
//!
//! The list of heads is not signed by itself: it has to give the signed digest. The signature is Ed25519 (RFC 8032),
//! verified strictly.
//!
//! | file | what it is |
//! |---|---|
//! | `key` | the key that signs, `keys/anchor`, and its public half |
//! | `heads` | the ends of all streams at one position of a log that goes on |
//! | `check` | a log against an anchor |

mod check;
mod heads;
mod key;

pub use check::AnchorReport;
pub use heads::AnchoredHead;
pub use key::{AnchorKey, PublicKey};

pub(crate) use key::FILE;

use crate::{Digest, Log, Position, store::ReadError};
use key::Signed;
use serde::{Deserialize, Serialize};
use std::io;

/// Format of the anchors that this build makes and reads.
pub const FORMAT: u32 = 1;
/// Most heads that an anchor lists unless the caller says otherwise: about 16 MB of JSON.
pub const HEADS_LISTED: usize = 100_000;

const DOMAIN: &[u8; 16] = b"dispatch anchor\0";

/// What the log was, signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// [`FORMAT`].
    pub format: u32,
    /// Position of the last event.
    pub position: Position,
    /// The log's own chain there.
    pub log_hash: Digest,
    /// How many streams there were.
    pub streams: u64,
    /// Digest over the ends of all of them.
    pub heads_digest: Digest,
    /// The ends of all of them, sorted by stream. Left out where there are too many: then the digest alone shows that
    /// something is missing or changed, but not what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heads: Option<Vec<AnchoredHead>>,
    /// When, by the clock of the host that made it (RFC 3339).
    pub made_at: String,
    /// Release of Dispatch that made it.
    pub release: String,
    /// Key that the signature belongs to.
    pub public_key: PublicKey,
    /// The signature.
    pub signature: Signed,
}

/// Why an anchor is not believed, or was not made.
#[derive(Debug, thiserror::Error)]
pub enum AnchorError {
    /// The document is not an anchor.
    #[error("this is not an anchor of Dispatch: {0}")]
    Foreign(String),
    /// It was made by another release.
    #[error("the anchor has format {0}, this build reads {FORMAT}: use the release that made it")]
    Format(u32),
    /// It is signed with another key than the one that is trusted.
    #[error(
        "the anchor is signed with the key {found}, not with {trusted}: whoever made it, it was not the one you trust"
    )]
    WrongKey {
        /// The key that it names.
        found: PublicKey,
        /// The key that was asked for.
        trusted: PublicKey,
    },
    /// It is not what was signed.
    #[error("the anchor was changed after it was signed ({0}): look for another copy of it")]
    Changed(&'static str),
    /// The signing key is damaged.
    #[error(
        "the signing key `keys/anchor` is damaged: restore it, or move it away, and a new one is made with the next anchor"
    )]
    KeyDamaged,
    /// The signing key can't be read or written.
    #[error("the signing key `keys/anchor` can't be used: {0}")]
    Io(#[from] io::Error),
    /// The log can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Anchor {
    /// Signs what the log is now, listing the heads if there are at most `most_heads`. It may run while the log is
    /// written. What the log says of itself is signed without being checked: verify it first. Blocks.
    ///
    /// # Errors
    /// [`AnchorError::Read`].
    pub fn make(log: &Log, key: &AnchorKey, most_heads: usize) -> Result<Self, AnchorError> {
        let end = log.store().log_head();
        let heads = heads::at(&**log.store(), end.position)?;
        let mut anchor = Self {
            format: FORMAT,
            position: end.position,
            log_hash: end.hash,
            streams: heads.len() as u64,
            heads_digest: heads::digest(&heads),
            heads: (heads.len() <= most_heads).then_some(heads),
            made_at: log.clock().now().rfc3339(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            public_key: key.public(),
            signature: Signed::default(),
        };
        anchor.signature = key.sign(&anchor.signed_bytes());
        Ok(anchor)
    }

    /// Reads the document. It is not believed before [`Anchor::verify`] says so.
    ///
    /// # Errors
    /// [`AnchorError::Foreign`] or [`AnchorError::Format`].
    pub fn from_json(text: &str) -> Result<Self, AnchorError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let foreign = |error: serde_json::Error| AnchorError::Foreign(error.to_string());
        match serde_json::from_str::<Format>(text).map_err(foreign)?.format {
            FORMAT => serde_json::from_str(text).map_err(foreign),
            other => Err(AnchorError::Format(other)),
        }
    }

    /// The document.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers, texts and lists of them")
    }

    /// Whether this is what was signed, with the key that is trusted. Without one only the first half is known: that
    /// nobody changed it who does not have the key that it names, which a forger may have made.
    ///
    /// # Errors
    /// [`AnchorError`] says why it is not to be believed.
    pub fn verify(&self, trusted: Option<&PublicKey>) -> Result<(), AnchorError> {
        if self.format != FORMAT {
            return Err(AnchorError::Format(self.format));
        }
        if let Some(trusted) = trusted.filter(|trusted| **trusted != self.public_key) {
            return Err(AnchorError::WrongKey { found: self.public_key, trusted: *trusted });
        }
        if !self.public_key.signed(&self.signed_bytes(), &self.signature) {
            return Err(AnchorError::Changed("the signature does not fit"));
        }
        if let Some(heads) = &self.heads {
            let sorted = heads.windows(2).all(|pair| pair[0].stream < pair[1].stream);
            if !sorted || heads.len() as u64 != self.streams || heads::digest(heads) != self.heads_digest {
                return Err(AnchorError::Changed("the list of heads is not the one that was signed"));
            }
        }
        Ok(())
    }

    fn signed_bytes(&self) -> Vec<u8> {
        let mut bytes = DOMAIN.to_vec();
        bytes.extend_from_slice(&self.format.to_be_bytes());
        bytes.extend_from_slice(&self.position.0.to_be_bytes());
        bytes.extend_from_slice(&self.log_hash.0);
        bytes.extend_from_slice(&self.streams.to_be_bytes());
        bytes.extend_from_slice(&self.heads_digest.0);
        for text in [&self.made_at, &self.release] {
            // A text that is longer than its length can say was not written by Dispatch, and does not verify.
            bytes.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend_from_slice(self.public_key.bytes());
        bytes
    }
}
