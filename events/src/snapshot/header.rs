//! What stands in clear before the sealed state.

use crate::{Digest, StreamId, Version};

const MAGIC: &[u8; 8] = b"DSPSNAP1";

/// 8 bytes of magic and format, 16 of stream, 32 of mark, 8 of version (big-endian), 32 of hash.
pub(super) const HEADER_LEN: usize = 8 + 16 + 32 + 8 + 32;

/// Whose state it is, up to where, and in which shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub stream: StreamId,
    pub mark: Digest,
    pub version: Version,
    pub hash: Digest,
}

impl Header {
    pub fn bytes(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..24].copy_from_slice(&self.stream.bytes());
        bytes[24..56].copy_from_slice(&self.mark.0);
        bytes[56..64].copy_from_slice(&self.version.0.to_be_bytes());
        bytes[64..].copy_from_slice(&self.hash.0);
        bytes
    }

    /// `None` if it is no header of this format.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (stream, rest) = rest.split_first_chunk()?;
        let (mark, rest) = rest.split_first_chunk()?;
        let (version, rest) = rest.split_first_chunk()?;
        let hash = rest.try_into().ok()?;
        Some(Self {
            stream: StreamId::from_bytes(*stream),
            mark: Digest(*mark),
            version: Version(u64::from_be_bytes(*version)),
            hash: Digest(hash),
        })
    }
}
