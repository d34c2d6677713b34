//! Sealing in chunks: STREAM (Hoang, Reyhanitabar, Rogaway, Vizár, 2015, <https://eprint.iacr.org/2015/189>) over
//! XChaCha20-Poly1305.
//!
//! A chunk's nonce is the stream's random prefix, the number of the chunk (32 bits, big-endian) and a byte that says
//! whether it is the last. So a chunk opens at its place in its own stream and nowhere else, and a stream that was cut
//! at a chunk's end has no last chunk. With 19 random bytes a repeated prefix is out of reach.

use super::SealError;
use crate::keys::KeyBytes;
use aead_stream::{DecryptorBE32, EncryptorBE32};
use chacha20poly1305::XChaCha20Poly1305;

/// Random bytes at the start of each nonce: the 24 of XChaCha20 without the chunk's number and the last byte.
pub(crate) const PREFIX_LEN: usize = 19;

/// By how many bytes a sealed chunk is longer than the plain one.
pub(crate) const TAG_LEN: usize = 16;

/// Seals chunks, in order.
pub(crate) struct ChunkSealer(EncryptorBE32<XChaCha20Poly1305>);

impl ChunkSealer {
    pub fn new(key: &KeyBytes, prefix: [u8; PREFIX_LEN]) -> Self {
        Self(EncryptorBE32::new((&**key).into(), &prefix.into()))
    }

    /// Seals a chunk that others follow, in its place; it grows by [`TAG_LEN`].
    pub fn next(&mut self, chunk: &mut Vec<u8>) -> Result<(), SealError> {
        self.0.encrypt_next_in_place(&[], chunk).map_err(|_| too_long())
    }

    /// Seals the last chunk.
    pub fn last(self, chunk: &mut Vec<u8>) -> Result<(), SealError> {
        self.0.encrypt_last_in_place(&[], chunk).map_err(|_| too_long())
    }
}

/// Opens what a [`ChunkSealer`] sealed, in the same order.
pub(crate) struct ChunkOpener(DecryptorBE32<XChaCha20Poly1305>);

impl ChunkOpener {
    pub fn new(key: &KeyBytes, prefix: [u8; PREFIX_LEN]) -> Self {
        Self(DecryptorBE32::new((&**key).into(), &prefix.into()))
    }

    /// Opens a chunk that others follow, in its place; it shrinks by [`TAG_LEN`]. After an error it holds nothing of use.
    pub fn next(&mut self, chunk: &mut Vec<u8>) -> Result<(), SealError> {
        self.0.decrypt_next_in_place(&[], chunk).map_err(|_| SealError::Open)
    }

    /// Opens the last chunk.
    pub fn last(self, chunk: &mut Vec<u8>) -> Result<(), SealError> {
        self.0.decrypt_last_in_place(&[], chunk).map_err(|_| SealError::Open)
    }
}

fn too_long() -> SealError {
    SealError::Seal("too many chunks".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(texts: &[&str]) -> Vec<Vec<u8>> {
        let mut sealer = ChunkSealer::new(&KeyBytes::new([1; 32]), [2; PREFIX_LEN]);
        let mut chunks: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        let (last, others) = chunks.split_last_mut().unwrap();
        others.iter_mut().for_each(|chunk| sealer.next(chunk).unwrap());
        sealer.last(last).unwrap();
        chunks
    }

    fn opener() -> ChunkOpener {
        ChunkOpener::new(&KeyBytes::new([1; 32]), [2; PREFIX_LEN])
    }

    #[test]
    fn a_chunk_opens_at_its_place_alone() {
        let chunks = sealed(&["first", "second", "third"]);
        assert_eq!(chunks[0].len(), "first".len() + TAG_LEN);
        let mut whole = opener();
        let mut copy = chunks.clone();
        whole.next(&mut copy[0]).unwrap();
        whole.next(&mut copy[1]).unwrap();
        whole.last(&mut copy[2]).unwrap();
        assert_eq!(copy, [b"first".to_vec(), b"second".to_vec(), b"third".to_vec()]);

        assert!(opener().next(&mut chunks[1].clone()).is_err(), "out of order");
        assert!(opener().last(&mut chunks[0].clone()).is_err(), "cut at a chunk's end");
        assert!(opener().last(&mut chunks[2].clone()).is_err(), "the first two are gone");
        let mut foreign = ChunkOpener::new(&KeyBytes::new([1; 32]), [3; PREFIX_LEN]);
        assert!(foreign.next(&mut chunks[0].clone()).is_err(), "another stream's prefix");
    }
}
