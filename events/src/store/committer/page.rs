//! What a page must be, whatever the engine: no gap, no record of another place. Damage is an error, never a shorter
//! conversation.

use crate::{
    Position, StreamId, Version,
    envelope::{Header, Place},
    store::ReadError,
};

/// Versions rise by one from `from`; what is durable is there. A record below the durable `end` of its stream lies below
/// the log's: one that names a later position would be taken for one that is not durable yet, and left out.
pub(super) fn forward(
    records: &[Vec<u8>],
    stream: StreamId,
    from: Version,
    limit: usize,
    end: Version,
    durable: u64,
) -> Result<(), ReadError> {
    let first = from.0.max(1);
    if records.is_empty() && limit > 0 && first <= end.0 {
        return Err(ReadError::missing(format!("stream {stream}, version {first}"), "the record is missing"));
    }
    for (record, version) in records.iter().zip(first..) {
        let place = in_stream(record, stream, Version(version))?;
        if version <= end.0 && place.position.0 > durable {
            let why = format!("the record names position {}, which does not exist", place.position);
            return Err(damaged(&format!("stream {stream}, version {version}"), &why));
        }
    }
    Ok(())
}

/// Versions fall by one from `from`, which is durable.
pub(super) fn backward(records: &[Vec<u8>], stream: StreamId, from: Version, limit: usize) -> Result<(), ReadError> {
    if records.is_empty() && limit > 0 && from.0 > 0 {
        return Err(ReadError::missing(format!("stream {stream}, version {from}"), "the record is missing"));
    }
    for (record, below) in records.iter().zip(0..) {
        in_stream(record, stream, Version(from.0.saturating_sub(below)))?;
    }
    Ok(())
}

/// Positions rise by one from `from`; what is durable is there.
pub(super) fn whole(records: &[Vec<u8>], from: Position, limit: usize, durable: u64) -> Result<(), ReadError> {
    let first = from.0.max(1);
    if records.is_empty() && limit > 0 && first <= durable {
        return Err(ReadError::missing(format!("position {first}"), "the record is missing"));
    }
    for (record, position) in records.iter().zip(first..) {
        if Header::place(record).is_none_or(|place| place.position.0 != position) {
            return Err(damaged(&format!("position {position}"), "another record lies there"));
        }
    }
    Ok(())
}

fn in_stream(record: &[u8], stream: StreamId, version: Version) -> Result<Place, ReadError> {
    match Header::place(record) {
        Some(place) if place.stream == stream && place.version == version => Ok(place),
        _ => Err(damaged(&format!("stream {stream}, version {version}"), "another record lies there")),
    }
}

fn damaged(place: &str, why: &str) -> ReadError {
    ReadError::Damaged { place: place.to_owned(), why: why.to_owned() }
}
