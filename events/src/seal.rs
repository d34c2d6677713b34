//! Sealing of payloads: XChaCha20-Poly1305, the header's writer part as associated data.
//!
//! Sealed bytes are a random nonce of 24 bytes, then the ciphertext with its tag of 16.
//!
//! What is too large to be sealed at once is sealed in chunks: [`ChunkSealer`] and [`ChunkOpener`].

mod chunks;

pub(crate) use chunks::{ChunkOpener, ChunkSealer, PREFIX_LEN, TAG_LEN};

use crate::keys::{KeyBytes, random};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};

const NONCE_LEN: usize = 24;

/// Why bytes could not be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The system gave no random bytes, or the text is too long.
    #[error("the payload can't be sealed: {0}")]
    Seal(String),
    /// The bytes, the header or the key are not the ones that were sealed.
    #[error("the payload does not open with its key: the record or its header was changed")]
    Open,
}

/// Seals a text under a key, bound to `header`.
///
/// # Errors
/// [`SealError::Seal`].
pub fn seal(key: &KeyBytes, header: &[u8], text: &[u8]) -> Result<Vec<u8>, SealError> {
    let nonce: [u8; NONCE_LEN] = random().map_err(|error| SealError::Seal(error.to_string()))?;
    let sealed = cipher(key)
        .encrypt(&XNonce::from(nonce), Payload { msg: text, aad: header })
        .map_err(|_| SealError::Seal("too long".into()))?;
    let mut out = Vec::with_capacity(NONCE_LEN + sealed.len());
    out.extend_from_slice(&nonce);
    out.extend_from_slice(&sealed);
    Ok(out)
}

/// Opens what [`seal`] gave.
///
/// # Errors
/// [`SealError::Open`] when anything was changed.
pub fn open(key: &KeyBytes, header: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
    let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).ok_or(SealError::Open)?;
    let nonce: [u8; NONCE_LEN] = nonce.try_into().map_err(|_| SealError::Open)?;
    cipher(key).decrypt(&XNonce::from(nonce), Payload { msg: sealed, aad: header }).map_err(|_| SealError::Open)
}

fn cipher(key: &KeyBytes) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new((&**key).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_header_or_key_opens_nothing() {
        let (key, other) = (KeyBytes::new([1; 32]), KeyBytes::new([2; 32]));
        let sealed = seal(&key, b"header", b"text").unwrap();
        assert_eq!(open(&key, b"header", &sealed).unwrap(), b"text");
        assert!(open(&key, b"other", &sealed).is_err());
        assert!(open(&other, b"header", &sealed).is_err());
        assert!(open(&key, b"header", &sealed[..10]).is_err());
    }
}
