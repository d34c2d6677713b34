//! The file of a blob: a header, then the bytes in sealed chunks ([`crate::seal::ChunkSealer`]).
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `DSPB` |
//! | 1 | format: 1 |
//! | 19 | random prefix of the chunks' nonces |
//! | 8 | how many plain bytes there are, big-endian |
//! | 32 | proof: BLAKE3, keyed with a key of the session, over the bytes above and the address |
//! | 16 more than it holds, each | chunks of [`CHUNK`] plain bytes; the last has what is left |
//!
//! The last chunk is empty in an empty blob only. The proof says before the first chunk is read that this is the file of
//! this address and how long it is: a file that was cut, lengthened or put in the place of another is found at once.

use super::BlobError;
use crate::{
    Digest,
    keys::SessionKey,
    seal::{PREFIX_LEN, TAG_LEN},
};

/// Plain bytes of a chunk: what a blob needs in memory on its way in or out.
pub const CHUNK: usize = 128 * 1024;

pub(super) const HEADER_LEN: usize = PROOF_AT + 32;

const MAGIC: [u8; 4] = *b"DSPB";
const FORMAT: u8 = 1;
const PREFIX_AT: usize = 5;
const LENGTH_AT: usize = PREFIX_AT + PREFIX_LEN;
const PROOF_AT: usize = LENGTH_AT + 8;

/// The use of the key that makes the proof.
const PROVING: &str = "dispatch 2026 blob headers";

/// The header of a blob's file.
pub(super) struct Header {
    pub prefix: [u8; PREFIX_LEN],
    /// Plain bytes of the whole.
    pub length: u64,
    proof: blake3::Hash,
}

impl Header {
    pub fn new(key: &SessionKey, address: Digest, prefix: [u8; PREFIX_LEN], length: u64) -> Self {
        Self { prefix, length, proof: proof(key, address, prefix, length) }
    }

    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..PROOF_AT].copy_from_slice(&unproved(self.prefix, self.length));
        bytes[PROOF_AT..].copy_from_slice(self.proof.as_bytes());
        bytes
    }

    /// Reads a header. Whether it is the address's own needs the key: [`Header::is_of`].
    pub fn parse(bytes: &[u8; HEADER_LEN], address: Digest) -> Result<Self, BlobError> {
        if bytes[..4] != MAGIC {
            return Err(BlobError::Damaged(address));
        }
        if bytes[4] != FORMAT {
            return Err(BlobError::Format(address, bytes[4]));
        }
        Ok(Self {
            prefix: bytes[PREFIX_AT..LENGTH_AT].try_into().expect("19 bytes"),
            length: u64::from_be_bytes(bytes[LENGTH_AT..PROOF_AT].try_into().expect("eight bytes")),
            proof: blake3::Hash::from_bytes(bytes[PROOF_AT..].try_into().expect("32 bytes")),
        })
    }

    /// Whether this header was written for this address with this key.
    pub fn is_of(&self, key: &SessionKey, address: Digest) -> bool {
        self.proof == proof(key, address, self.prefix, self.length)
    }

    /// How long the file is that has this header; `None` if no file is so long.
    pub fn file_len(&self) -> Option<u64> {
        let tags = self.length.div_ceil(CHUNK as u64).max(1).checked_mul(TAG_LEN as u64)?;
        self.length.checked_add(tags)?.checked_add(HEADER_LEN as u64)
    }
}

fn unproved(prefix: [u8; PREFIX_LEN], length: u64) -> [u8; PROOF_AT] {
    let mut bytes = [0; PROOF_AT];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4] = FORMAT;
    bytes[PREFIX_AT..LENGTH_AT].copy_from_slice(&prefix);
    bytes[LENGTH_AT..].copy_from_slice(&length.to_be_bytes());
    bytes
}

fn proof(key: &SessionKey, address: Digest, prefix: [u8; PREFIX_LEN], length: u64) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(&key.derive(PROVING));
    hasher.update(&unproved(prefix, length)).update(&address.0);
    hasher.finalize()
}
