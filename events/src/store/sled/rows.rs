//! The rows: keys and values as bytes, big-endian.

use crate::{
    Digest, Position, StreamId, Version,
    keys::KeyId,
    store::{Head, ReadError, engine::Frame, tail::FramePlace},
};

/// Largest value in bytes. A leaf holds up to 17 values and must stay below a quarter of a segment (128 KiB), or sled
/// writes it to a file that it never syncs; 4,000 gave no such file in any test.
pub const VALUE_MAX: usize = 4000;

/// `(stream, first version, part)`.
pub fn frame_key(stream: StreamId, version: Version, part: u16) -> [u8; 26] {
    let mut key = [0; 26];
    key[..16].copy_from_slice(&stream.bytes());
    key[16..24].copy_from_slice(&version.0.to_be_bytes());
    key[24..].copy_from_slice(&part.to_be_bytes());
    key
}

/// Stream and first version of a frame key.
pub fn frame_of(key: &[u8]) -> Result<(StreamId, Version), ReadError> {
    if key.len() != 26 {
        return Err(damaged("frames", "a key of another length"));
    }
    Ok((stream_of("frames", &key[..16])?, Version(number(&key[16..24], "frames")?)))
}

/// A position as a key.
pub fn position_key(position: Position) -> [u8; 8] {
    position.0.to_be_bytes()
}

/// `stream ++ first version ++ count ++ log hash`.
pub fn position_value(frame: &Frame) -> [u8; 60] {
    let mut value = [0; 60];
    value[..16].copy_from_slice(&frame.stream.bytes());
    value[16..24].copy_from_slice(&frame.version.0.to_be_bytes());
    value[24..28].copy_from_slice(&frame.count.to_be_bytes());
    value[28..].copy_from_slice(&frame.log_hash.0);
    value
}

/// What [`position_value`] wrote.
pub fn position_of(key: &[u8], value: &[u8]) -> Result<FramePlace, ReadError> {
    if value.len() != 60 {
        return Err(damaged("positions", "a value of another length"));
    }
    let count: [u8; 4] = value[24..28].try_into().map_err(|_| damaged("positions", "no count"))?;
    let row = FramePlace {
        first: Position(number(key, "positions")?),
        stream: stream_of("positions", &value[..16])?,
        version: Version(number(&value[16..24], "positions")?),
        count: u32::from_be_bytes(count),
        log_hash: digest(&value[28..])?,
    };
    if row.count == 0 { Err(damaged("positions", "an empty frame")) } else { Ok(row) }
}

/// `version ++ hash ++ key id`.
pub fn head_value(head: &Head) -> [u8; 56] {
    let mut value = [0; 56];
    value[..8].copy_from_slice(&head.version.0.to_be_bytes());
    value[8..40].copy_from_slice(&head.hash.0);
    value[40..].copy_from_slice(&head.key.0);
    value
}

/// What [`head_value`] wrote.
pub fn head_of(stream: StreamId, value: &[u8]) -> Result<Head, ReadError> {
    let place = || damaged(&format!("heads, stream {stream}"), "a value of another length");
    if value.len() != 56 {
        return Err(place());
    }
    let key = value[40..].try_into().map_err(|_| place())?;
    Ok(Head { version: Version(number(&value[..8], "heads")?), hash: digest(&value[8..40])?, key: KeyId(key) })
}

/// A count as a value.
pub fn open_value(count: u32) -> [u8; 4] {
    count.to_be_bytes()
}

/// What [`open_value`] wrote.
pub fn open_of(value: &[u8]) -> Result<u32, ReadError> {
    value.try_into().map(u32::from_be_bytes).map_err(|_| damaged("open", "a value of another length"))
}

/// A stream id out of a row of `tree`.
pub fn stream_of(tree: &str, bytes: &[u8]) -> Result<StreamId, ReadError> {
    bytes.try_into().map(StreamId::from_bytes).map_err(|_| damaged(tree, "not a stream id"))
}

/// A number of eight bytes out of a row of `tree`.
pub fn number(bytes: &[u8], tree: &str) -> Result<u64, ReadError> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| damaged(tree, "not a number of eight bytes"))
}

fn digest(bytes: &[u8]) -> Result<Digest, ReadError> {
    bytes.try_into().map(Digest).map_err(|_| damaged("a row", "not a digest"))
}

/// Damage in a tree.
pub fn damaged(place: &str, why: &str) -> ReadError {
    ReadError::damaged(place, why)
}

/// An error of sled as an error of ours.
pub fn io(error: sled::Error) -> ReadError {
    match error {
        sled::Error::Corruption { at, .. } => damaged(&format!("sled page {at:?}"), "sled says it is corrupted"),
        other => ReadError::Io(other.to_string()),
    }
}
