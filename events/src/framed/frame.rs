//! The bytes of a frame. Big-endian.
//!
//! Every frame is `kind u8 · length of the body u32 · body · CRC32C over all of it before u32`. The bodies:
//!
//! | kind | what | body |
//! |---|---|---|
//! | 1 | header | format u16 · engine (length u8, text) · written at i64, microseconds · position u64 and hash 32 of the log's head |
//! | 2 | append | position u64 of the first record · stream 16 · version u64 of it · count u32 · log hash 32 after the last · the records |
//! | 3 | blob | space u8 (0 shared, 1 session) · stream 16 (zeros if shared) · address 32 · piece u32 · last u8 · bytes |
//! | 4 | file | name (length u16, text) · piece u32 · last u8 · bytes |
//! | 5 | trailer | appends u64 · records u64 · blobs u64 · files u64 · position u64 and hash 32 of the log's head · BLAKE3 32 of every byte of the file before this frame |
//!
//! Pieces are at most [`PIECE`] bytes; pieces of one blob or file follow each other, from 0, and the last one says so.

use crate::{
    Digest, Position, StreamId, Timestamp, Version,
    blob::Space,
    envelope::HEADER_LEN,
    store::{APPEND_BYTES, APPEND_EVENTS, LogHead, engine},
};

/// Most bytes of a blob or file in one frame.
pub const PIECE: usize = 1024 * 1024;
/// Longest name of a file that is given along, in bytes.
pub const FILE_NAME: usize = 1024;
/// Longest body: an append of the largest size, with room for what sealing adds.
pub const BODY_MAX: usize = APPEND_BYTES + APPEND_EVENTS * (HEADER_LEN + 64) + 1024;
/// Bytes of a frame before its body.
pub const BEFORE: usize = 5;
/// Bytes of a frame behind its body.
pub const BEHIND: usize = 4;

/// The first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Format of the file.
    pub format: u16,
    /// Engine that the log came from.
    pub engine: String,
    /// When; for people.
    pub written_at: Timestamp,
    /// The log's head when the writing began: the file goes up to there.
    pub head: LogHead,
}

/// A part of a blob, as it is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobPiece {
    /// Whose blob.
    pub space: Space,
    /// Its address.
    pub address: Digest,
    /// Which piece.
    pub part: Part,
}

/// A part of a file that was given along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePiece {
    /// Its name, relative, with `/`.
    pub name: String,
    /// Which piece.
    pub part: Part,
}

/// One piece of something that may be longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number, from 0.
    pub number: u32,
    /// Whether it is the last.
    pub last: bool,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trailer {
    /// Appends in the file.
    pub appends: u64,
    /// Records in them.
    pub records: u64,
    /// Blobs.
    pub blobs: u64,
    /// Files that were given along.
    pub files: u64,
    /// The log's head behind the last append.
    pub head: LogHead,
    /// BLAKE3 of every byte before the trailer.
    pub digest: Digest,
}

/// A frame that was read.
#[derive(Debug)]
pub enum Frame {
    /// See [`FileHeader`].
    Header(FileHeader),
    /// The records of one append.
    Append(engine::Frame),
    /// See [`BlobPiece`].
    Blob(BlobPiece),
    /// See [`FilePiece`].
    File(FilePiece),
    /// See [`Trailer`].
    Trailer(Trailer),
}

const HEADER: u8 = 1;
const APPEND: u8 = 2;
const BLOB: u8 = 3;
const FILE: u8 = 4;
/// Kind of the last frame.
pub(super) const TRAILER: u8 = 5;

/// Where the records begin in the body of an append.
pub(super) const RECORDS_AT: u64 = 8 + 16 + 8 + 4 + 32;

/// A whole frame around a body that comes in pieces.
pub(crate) fn around(kind: u8, pieces: &[&[u8]]) -> Vec<u8> {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut out = Vec::with_capacity(BEFORE + length + BEHIND);
    out.push(kind);
    out.extend_from_slice(&u32::try_from(length).expect("bodies are bounded by BODY_MAX").to_be_bytes());
    for piece in pieces {
        out.extend_from_slice(piece);
    }
    out.extend_from_slice(&crc32c::crc32c(&out).to_be_bytes());
    out
}

impl FileHeader {
    pub(super) fn encode(&self) -> Vec<u8> {
        let engine = &self.engine.as_bytes()[..self.engine.len().min(usize::from(u8::MAX))];
        let head = head_bytes(self.head);
        let at = self.written_at.0.to_be_bytes();
        around(HEADER, &[&self.format.to_be_bytes(), &[engine.len() as u8], engine, &at, &head])
    }
}

pub(super) fn encode_append(frame: &engine::Frame) -> Vec<u8> {
    let (position, version) = (frame.position.0.to_be_bytes(), frame.version.0.to_be_bytes());
    let count = frame.count.to_be_bytes();
    around(APPEND, &[&position, &frame.stream.bytes(), &version, &count, &frame.log_hash.0, &frame.bytes])
}

pub(super) fn encode_blob(space: Space, address: Digest, number: u32, last: bool, bytes: &[u8]) -> Vec<u8> {
    let (kind, stream) = match space {
        Space::Shared => (0, StreamId::default()),
        Space::Session(stream) => (1, stream),
    };
    around(BLOB, &[&[kind], &stream.bytes(), &address.0, &number.to_be_bytes(), &[u8::from(last)], bytes])
}

pub(super) fn encode_file(name: &str, number: u32, last: bool, bytes: &[u8]) -> Vec<u8> {
    let length = (name.len() as u16).to_be_bytes();
    around(FILE, &[&length, name.as_bytes(), &number.to_be_bytes(), &[u8::from(last)], bytes])
}

impl Trailer {
    pub(super) fn encode(&self) -> Vec<u8> {
        let counts = [self.appends, self.records, self.blobs, self.files].map(u64::to_be_bytes);
        let [appends, records, blobs, files] = &counts;
        around(TRAILER, &[appends, records, blobs, files, &head_bytes(self.head), &self.digest.0])
    }
}

/// The frame that a body of this kind holds; `None` if it is none.
pub(super) fn decode(kind: u8, body: &[u8]) -> Option<Frame> {
    let mut fields = Fields(body);
    let frame = match kind {
        HEADER => Frame::Header(FileHeader {
            format: u16::from_be_bytes(fields.take()?),
            engine: {
                let [length] = fields.take()?;
                String::from_utf8(fields.bytes(usize::from(length))?.to_vec()).ok()?
            },
            written_at: Timestamp(i64::from_be_bytes(fields.take()?)),
            head: fields.head()?,
        }),
        APPEND => Frame::Append(engine::Frame {
            position: Position(fields.number()?),
            stream: StreamId::from_bytes(fields.take()?),
            version: Version(fields.number()?),
            count: u32::from_be_bytes(fields.take()?),
            log_hash: Digest(fields.take()?),
            bytes: fields.rest(),
        }),
        BLOB => {
            let ([kind], stream) = (fields.take()?, StreamId::from_bytes(fields.take()?));
            let space = match kind {
                0 => Space::Shared,
                1 => Space::Session(stream),
                _ => return None,
            };
            Frame::Blob(BlobPiece { space, address: Digest(fields.take()?), part: fields.part()? })
        }
        FILE => {
            let length = usize::from(u16::from_be_bytes(fields.take()?));
            let name = String::from_utf8(fields.bytes(length)?.to_vec()).ok()?;
            Frame::File(FilePiece { name, part: fields.part()? })
        }
        TRAILER => Frame::Trailer(Trailer {
            appends: fields.number()?,
            records: fields.number()?,
            blobs: fields.number()?,
            files: fields.number()?,
            head: fields.head()?,
            digest: Digest(fields.take()?),
        }),
        _ => return None,
    };
    fields.0.is_empty().then_some(frame)
}

fn head_bytes(head: LogHead) -> [u8; 40] {
    let mut bytes = [0; 40];
    bytes[..8].copy_from_slice(&head.position.0.to_be_bytes());
    bytes[8..].copy_from_slice(&head.hash.0);
    bytes
}

/// What is left of a body.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (field, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(field)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn head(&mut self) -> Option<LogHead> {
        Some(LogHead { position: Position(self.number()?), hash: Digest(self.take()?) })
    }

    fn part(&mut self) -> Option<Part> {
        let number = u32::from_be_bytes(self.take()?);
        let [last] = self.take()?;
        (last <= 1 && self.0.len() <= PIECE).then(|| Part { number, last: last == 1, bytes: self.rest() })
    }

    fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0).to_vec()
    }
}
