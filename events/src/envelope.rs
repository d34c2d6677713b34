//! The record around an event: a fixed, hand-written header and the stored payload.
//!
//! Big-endian. The first 162 bytes are known to the writer and are the associated data of the sealed payload; what is
//! known only at commit stands behind them.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 4 | magic `DSP1` |
//! | 4 | 1 | envelope version, 1 |
//! | 5 | 1 | codec of the payload |
//! | 6 | 2 | flags |
//! | 8 | 16 | key id |
//! | 24 | 16 | stream |
//! | 40 | 8 | version |
//! | 48 | 16 | event id |
//! | 64 | 8 | recorded_at, microseconds |
//! | 72 | 8 | epoch |
//! | 80 | 16 | correlation |
//! | 96 | 16 | causation |
//! | 112 | 16 | principal |
//! | 128 | 2 | schema version |
//! | 130 | 32 | event type, padded with zeros |
//! | 162 | 4 | payload length |
//! | 166 | 32 | hash of the event before it in its stream |
//! | 198 | 8 | position |
//! | 206 | 32 | hash |
//! | 238 | 4 | CRC32C over bytes 0..238 and the payload |
//!
//! `hash = BLAKE3(prev_hash ‖ bytes 0..166 ‖ BLAKE3(stored payload))`: it leaves the position out, so that a stream
//! keeps its hashes in another log, and it runs over sealed bytes, so that it can be checked without a key.

use crate::{CorrelationId, Digest, Epoch, EventId, Position, PrincipalId, StreamId, Timestamp, Version, keys::KeyId};

/// Length of a header in bytes.
pub const HEADER_LEN: usize = 242;
/// Length of the part that the writer knows.
pub const WRITER_LEN: usize = 162;
/// Longest event type in bytes.
pub const TYPE_LEN: usize = 32;

const MAGIC: &[u8; 4] = b"DSP1";
const ENVELOPE_VERSION: u8 = 1;
/// Length of the part that the hash runs over.
pub const CHAINED_LEN: usize = 166;

/// Flags of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// The payload is sealed.
    pub const SEALED: u16 = 1;
    /// The payload is a reference to a blob that holds the event.
    pub const BLOB: u16 = 1 << 1;

    /// Whether all these bits are set.
    pub fn has(self, bits: u16) -> bool {
        self.0 & bits == bits
    }
}

/// The header of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Codec of the payload.
    pub codec: u8,
    /// How the payload is kept.
    pub flags: Flags,
    /// Key that seals it.
    pub key: KeyId,
    /// Stream.
    pub stream: StreamId,
    /// Number in the stream.
    pub version: Version,
    /// Identity of the event.
    pub id: EventId,
    /// When it was recorded; for people.
    pub recorded_at: Timestamp,
    /// Host run that wrote it.
    pub epoch: Epoch,
    /// Turn or command.
    pub correlation: CorrelationId,
    /// Event or admission that led to it.
    pub causation: EventId,
    /// Who caused it, opaque.
    pub principal: PrincipalId,
    /// Schema version of the payload.
    pub schema: u16,
    /// Dotted event type.
    pub kind: String,
    /// Length of the stored payload in bytes.
    pub length: u32,
    /// Hash of the event before it in the stream; zeros before the first.
    pub prev_hash: Digest,
    /// Place in the whole log; assigned at commit.
    pub position: Position,
    /// Hash of this event; assigned at commit.
    pub hash: Digest,
}

/// Where a record says that it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Stream.
    pub stream: StreamId,
    /// Number in the stream.
    pub version: Version,
    /// Place in the whole log.
    pub position: Position,
}

/// Why bytes are not a record.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EnvelopeError {
    /// Not a record of this program.
    #[error("this is not a record of Dispatch (no `DSP1` at its start)")]
    Foreign,
    /// Written by a later release.
    #[error("the record has envelope version {0}, this build reads up to {ENVELOPE_VERSION}: use a newer release")]
    Newer(u8),
    /// Cut off.
    #[error("the record is cut off: {has} of {wants} bytes")]
    Short {
        /// Bytes that are there.
        has: usize,
        /// Bytes that should be.
        wants: usize,
    },
    /// The checksum does not fit.
    #[error("the record is damaged: its checksum is {actual:08x}, it says {stored:08x}")]
    Checksum {
        /// What the bytes give.
        actual: u32,
        /// What the record says.
        stored: u32,
    },
    /// The type is not text.
    #[error("the record's event type is not text")]
    Type,
}

impl Header {
    /// The bytes that the writer knows, which are the associated data of the sealed payload.
    pub fn writer_bytes(&self) -> [u8; WRITER_LEN] {
        let mut bytes = [0; WRITER_LEN];
        let mut at = Cursor { bytes: &mut bytes, at: 0 };
        at.put(MAGIC);
        at.put(&[ENVELOPE_VERSION, self.codec]);
        at.put(&self.flags.0.to_be_bytes());
        at.put(&self.key.0);
        at.put(&self.stream.bytes());
        at.put(&self.version.0.to_be_bytes());
        at.put(&self.id.bytes());
        at.put(&self.recorded_at.0.to_be_bytes());
        at.put(&self.epoch.0.to_be_bytes());
        at.put(&self.correlation.bytes());
        at.put(&self.causation.bytes());
        at.put(&self.principal.bytes());
        at.put(&self.schema.to_be_bytes());
        let kind = &self.kind.as_bytes()[..self.kind.len().min(TYPE_LEN)];
        at.put(kind);
        bytes
    }

    /// The hash that this header and its stored payload give.
    pub fn chained(&self, payload: &[u8]) -> Digest {
        chained(self.prev_hash, &self.writer_bytes(), self.length, Digest::of(payload))
    }

    /// Reads the header of a record and checks the record's checksum.
    ///
    /// # Errors
    /// [`EnvelopeError`], which says what is wrong with the bytes.
    pub fn parse(record: &[u8]) -> Result<(Self, &[u8]), EnvelopeError> {
        if record.len() < HEADER_LEN {
            return Err(EnvelopeError::Short { has: record.len(), wants: HEADER_LEN });
        }
        if &record[..4] != MAGIC {
            return Err(EnvelopeError::Foreign);
        }
        if record[4] != ENVELOPE_VERSION {
            return Err(EnvelopeError::Newer(record[4]));
        }
        let mut at = Reader { bytes: record, at: 5 };
        let header = Self {
            codec: at.take::<1>()[0],
            flags: Flags(u16::from_be_bytes(at.take())),
            key: KeyId(at.take()),
            stream: StreamId::from_bytes(at.take()),
            version: Version(u64::from_be_bytes(at.take())),
            id: EventId::from_bytes(at.take()),
            recorded_at: Timestamp(i64::from_be_bytes(at.take())),
            epoch: Epoch(u64::from_be_bytes(at.take())),
            correlation: CorrelationId::from_bytes(at.take()),
            causation: EventId::from_bytes(at.take()),
            principal: PrincipalId::from_bytes(at.take()),
            schema: u16::from_be_bytes(at.take()),
            kind: kind_of(&at.take::<TYPE_LEN>())?,
            length: u32::from_be_bytes(at.take()),
            prev_hash: Digest(at.take()),
            position: Position(u64::from_be_bytes(at.take())),
            hash: Digest(at.take()),
        };
        let stored = u32::from_be_bytes(at.take());
        let wants = HEADER_LEN + header.length as usize;
        if record.len() < wants {
            return Err(EnvelopeError::Short { has: record.len(), wants });
        }
        let payload = &record[HEADER_LEN..wants];
        let actual = checksum(&record[..HEADER_LEN - 4], payload);
        if actual == stored { Ok((header, payload)) } else { Err(EnvelopeError::Checksum { actual, stored }) }
    }

    /// The place that a record names, without any check; `None` if it is shorter than a header.
    pub fn place(record: &[u8]) -> Option<Place> {
        let mut at = Reader { bytes: record.get(..HEADER_LEN)?, at: 24 };
        let (stream, version) = (StreamId::from_bytes(at.take()), Version(u64::from_be_bytes(at.take())));
        at.at = 198;
        Some(Place { stream, version, position: Position(u64::from_be_bytes(at.take())) })
    }

    /// Stream, version and event id that a writer's bytes name.
    pub fn written_place(writer: &[u8; WRITER_LEN]) -> (StreamId, Version, EventId) {
        let mut at = Reader { bytes: writer, at: 24 };
        let stream = StreamId::from_bytes(at.take());
        (stream, Version(u64::from_be_bytes(at.take())), EventId::from_bytes(at.take()))
    }

    /// Length of the record that begins here, header included, if the header is whole.
    pub fn record_len(bytes: &[u8]) -> Option<usize> {
        let length = bytes.get(WRITER_LEN..WRITER_LEN + 4)?;
        let length: [u8; 4] = length.try_into().ok()?;
        Some(HEADER_LEN + u32::from_be_bytes(length) as usize)
    }
}

/// Writes the record for a writer's bytes, once commit has given it a place: returns its hash.
pub fn write_record(
    out: &mut Vec<u8>,
    writer: &[u8; WRITER_LEN],
    payload: &[u8],
    prev_hash: Digest,
    position: Position,
) -> Digest {
    let start = out.len();
    let length = u32::try_from(payload.len()).expect("payloads are bounded far below 4 GiB when they are sealed");
    let hash = chained(prev_hash, writer, length, Digest::of(payload));
    out.reserve(HEADER_LEN + payload.len());
    out.extend_from_slice(writer);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&prev_hash.0);
    out.extend_from_slice(&position.0.to_be_bytes());
    out.extend_from_slice(&hash.0);
    let crc = checksum(&out[start..], payload);
    out.extend_from_slice(&crc.to_be_bytes());
    out.extend_from_slice(payload);
    hash
}

/// One step of the log's own chain, over (position, hash): a missing stream shows.
pub fn log_chained(previous: Digest, position: Position, hash: Digest) -> Digest {
    Digest::of_pieces([previous.0.as_slice(), &position.0.to_be_bytes(), &hash.0])
}

fn chained(prev_hash: Digest, writer: &[u8; WRITER_LEN], length: u32, payload: Digest) -> Digest {
    let mut header = [0; CHAINED_LEN];
    header[..WRITER_LEN].copy_from_slice(writer);
    header[WRITER_LEN..].copy_from_slice(&length.to_be_bytes());
    Digest::of_pieces([prev_hash.0.as_slice(), &header, &payload.0])
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(header), payload)
}

fn kind_of(bytes: &[u8; TYPE_LEN]) -> Result<String, EnvelopeError> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(TYPE_LEN);
    std::str::from_utf8(&bytes[..end]).map(str::to_owned).map_err(|_| EnvelopeError::Type)
}

struct Cursor<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Cursor<'_> {
    fn put(&mut self, field: &[u8]) {
        self.bytes[self.at..self.at + field.len()].copy_from_slice(field);
        self.at += field.len();
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.bytes[self.at..self.at + N]);
        self.at += N;
        field
    }
}

#[cfg(test)]
mod tests;
