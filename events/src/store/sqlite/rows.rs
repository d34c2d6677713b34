//! Columns and values as bytes, big-endian, with their checksums.

use super::error;
use crate::{
    Digest, Position, StreamId, Version,
    keys::KeyId,
    store::{Head, LogHead, ReadError, engine::Frame, tail::FramePlace},
};
use rusqlite::Row;

/// A number as SQLite has it. No version or position comes near its end; what asks for one behind it means the last.
pub fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Where a frame lies that is to be written.
pub fn place_for(frame: &Frame) -> FramePlace {
    let (first, stream, version) = (frame.position, frame.stream, frame.version);
    FramePlace { first, stream, version, count: frame.count, log_hash: frame.log_hash }
}

/// Checksum of a row of `frames`.
pub fn place_crc(place: &FramePlace) -> i64 {
    crc(&[
        b"frames",
        &place.first.0.to_be_bytes(),
        &place.stream.bytes(),
        &place.version.0.to_be_bytes(),
        &place.count.to_be_bytes(),
        &place.log_hash.0,
    ])
}

/// The first six columns of a row of `frames`.
pub fn place_of(row: &Row) -> Result<FramePlace, ReadError> {
    let first: i64 = row.get(0).map_err(error::read)?;
    let bad = |why| ReadError::damaged(format!("position {first}"), why);
    let number = |at| {
        let number = row.get::<_, i64>(at).map_err(error::read)?;
        u64::try_from(number).map_err(|_| bad("a negative number in the row of a frame"))
    };
    let place = FramePlace {
        first: Position(number(0)?),
        stream: StreamId::from_bytes(row.get(1).map_err(error::read)?),
        version: Version(number(2)?),
        count: u32::try_from(number(3)?).map_err(|_| bad("a frame with too many records"))?,
        log_hash: Digest(row.get(4).map_err(error::read)?),
    };
    if row.get::<_, i64>(5).map_err(error::read)? != place_crc(&place) || place.count == 0 {
        return Err(bad("the checksum of the frame's row does not fit"));
    }
    Ok(place)
}

/// Checksum of the one row of `log`.
pub fn log_crc(id: &[u8; 16]) -> i64 {
    crc(&[b"log", id])
}

/// Checksum of the one row of `log_end`.
pub fn end_crc(id: &[u8; 16], end: &LogHead) -> i64 {
    crc(&[b"log_end", id, &end.position.0.to_be_bytes(), &end.hash.0])
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
pub fn head_of(value: &[u8]) -> Result<Head, ReadError> {
    let value: [u8; 56] = exact("heads", value)?;
    let (version, rest) = value.split_at(8);
    let (hash, key) = rest.split_at(32);
    Ok(Head {
        version: Version(u64::from_be_bytes(exact("heads", version)?)),
        hash: Digest(exact("heads", hash)?),
        key: KeyId(exact("heads", key)?),
    })
}

/// A key or value of `index`, which has this many bytes.
pub fn exact<const N: usize>(index: &str, bytes: &[u8]) -> Result<[u8; N], ReadError> {
    let place = || format!("the index `{index}`");
    bytes.try_into().map_err(|_| ReadError::damaged(place(), format!("{} bytes where {N} were written", bytes.len())))
}

fn crc(pieces: &[&[u8]]) -> i64 {
    i64::from(pieces.iter().fold(0, |crc, piece| crc32c::crc32c_append(crc, piece)))
}
