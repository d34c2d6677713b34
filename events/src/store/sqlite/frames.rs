//! Reading frames: by stream, and by position. What the rows claim is checked: places follow each other, a frame holds
//! exactly its records, and a stream goes as far as its head says, no shorter and no longer.

use super::{
    error,
    index::HEADS,
    rows::{self, int},
};
use crate::{
    Position, StreamId, Version,
    store::{
        Head, ReadError,
        engine::{Page, split_frame},
        tail::FramePlace,
    },
};
use rusqlite::{Connection, OptionalExtension, Row};

const OF_STREAM: &str = "SELECT position, stream, version, count, log_hash, crc, bytes FROM frames \
    WHERE stream = ?1 AND version >= \
    (SELECT version FROM frames WHERE stream = ?1 AND version <= ?2 ORDER BY version DESC LIMIT 1) ORDER BY version";
const OF_STREAM_BACK: &str = "SELECT position, stream, version, count, log_hash, crc, bytes FROM frames \
    WHERE stream = ?1 AND version <= ?2 ORDER BY version DESC";
const LAST_OF_STREAM: &str = "SELECT position, stream, version, count, log_hash, crc FROM frames \
    WHERE stream = ?1 ORDER BY version DESC LIMIT 1";
const OF_LOG: &str = "SELECT position, stream, version, count, log_hash, crc, bytes FROM frames WHERE position >= \
    (SELECT position FROM frames WHERE position <= ?1 ORDER BY position DESC LIMIT 1) ORDER BY position";
const AT_OR_BELOW: &str = "SELECT position, stream, version, count, log_hash, crc FROM frames \
    WHERE position <= ?1 ORDER BY position DESC LIMIT ?2";
const AT: &str = "SELECT position, stream, version, count, log_hash, crc, bytes FROM frames WHERE position = ?1";

/// End of a stream, which is where its last frame ends.
pub fn head(reader: &Connection, stream: StreamId) -> Result<Option<Head>, ReadError> {
    let row = HEADS.get(reader, &stream.bytes())?.map(|value| rows::head_of(&value)).transpose()?;
    let mut statement = reader.prepare_cached(LAST_OF_STREAM).map_err(error::read)?;
    let last = statement.query_row([stream.bytes()], |row| Ok(rows::place_of(row))).optional();
    let last = last.map_err(error::read)?.transpose()?;
    let reaches = last.map(|place| Version(place.version.0 + u64::from(place.count) - 1));
    if last.is_some_and(|place| place.stream != stream) || reaches != row.map(|head| head.version) {
        let why = "the index of heads and the frames do not agree on where it ends";
        let ends_early = row.is_some_and(|head| reaches.is_none_or(|reached| reached < head.version));
        let place = format!("stream {stream}");
        return Err(if ends_early { ReadError::missing(place, why) } else { ReadError::damaged(place, why) });
    }
    Ok(row)
}

/// Records of a stream from `from` on.
pub fn stream(reader: &Connection, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let end = head(reader, stream)?.map_or(0, |head| head.version.0);
    let from = from.0.max(1);
    if from > end || limit == 0 {
        return Ok(page.records);
    }
    let missing = |version: u64| missing(stream, version);
    let mut statement = reader.prepare_cached(OF_STREAM).map_err(error::read)?;
    let mut rows = statement.query((stream.bytes(), int(from))).map_err(error::read)?;
    let mut next = from;
    while let Some(row) = rows.next().map_err(error::read)? {
        let place = rows::place_of(row)?;
        let (first, behind) = (place.version.0, place.version.0 + u64::from(place.count));
        // The frame that `from` lies in may begin before it; every later one begins where the last ended.
        let follows = if next == from { first <= from && from < behind } else { first == next };
        if place.stream != stream || !follows {
            return Err(missing(next));
        }
        for (record, version) in records(row, &place)?.into_iter().zip(first..) {
            if version >= from && !page.add(record.to_vec()) {
                return Ok(page.records);
            }
        }
        if page.records.len() >= limit {
            return Ok(page.records);
        }
        next = behind;
    }
    if next == end + 1 { Ok(page.records) } else { Err(missing(next)) }
}

/// Records of a stream from `from` down.
pub fn stream_back(
    reader: &Connection,
    stream: StreamId,
    from: Version,
    limit: usize,
) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let end = head(reader, stream)?.map_or(0, |head| head.version.0);
    let mut wanted = from.0.min(end);
    if wanted == 0 || limit == 0 {
        return Ok(page.records);
    }
    let mut statement = reader.prepare_cached(OF_STREAM_BACK).map_err(error::read)?;
    let mut rows = statement.query((stream.bytes(), int(wanted))).map_err(error::read)?;
    while let Some(row) = rows.next().map_err(error::read)? {
        let place = rows::place_of(row)?;
        let (first, behind) = (place.version.0, place.version.0 + u64::from(place.count));
        // Only the frame that a page begins in may go on behind it.
        let follows = if page.records.is_empty() { behind > wanted } else { behind == wanted + 1 };
        if place.stream != stream || first > wanted || !follows {
            return Err(missing(stream, wanted));
        }
        let records = records(row, &place)?;
        for (version, record) in (first..).zip(records).collect::<Vec<_>>().into_iter().rev() {
            if version <= wanted && !page.add(record.to_vec()) {
                return Ok(page.records);
            }
        }
        wanted = first - 1;
        if wanted == 0 || page.records.len() >= limit {
            return Ok(page.records);
        }
    }
    Err(missing(stream, wanted))
}

/// Records of the whole log from `from` on.
pub fn log(reader: &Connection, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let from = from.0.max(1);
    let mut statement = reader.prepare_cached(OF_LOG).map_err(error::read)?;
    let mut rows = statement.query([int(from)]).map_err(error::read)?;
    let mut expected = None;
    while let Some(row) = rows.next().map_err(error::read)? {
        let place = rows::place_of(row)?;
        if expected.is_some_and(|expected| expected != place.first) {
            let why = format!("a gap: position {} follows", place.first);
            return Err(ReadError::missing(format!("position {}", expected.unwrap_or_default()), why));
        }
        expected = Some(place.last().next());
        if place.last().0 < from {
            continue;
        }
        for (record, position) in records(row, &place)?.into_iter().zip(place.first.0..) {
            if position >= from && !page.add(record.to_vec()) {
                return Ok(page.records);
            }
        }
        if page.records.len() >= limit {
            break;
        }
    }
    Ok(page.records)
}

/// The frame that begins at `position` or is the last before it, and `count - 1` before that one, newest first.
pub fn places(reader: &Connection, position: Position, count: usize) -> Result<Vec<FramePlace>, ReadError> {
    let mut statement = reader.prepare_cached(AT_OR_BELOW).map_err(error::read)?;
    let rows = statement.query_map((int(position.0), int(count as u64)), |row| Ok(rows::place_of(row)));
    rows.map_err(error::read)?.map(|row| row.map_err(error::read)?).collect()
}

/// The records of the frame at a place.
pub fn load(reader: &Connection, place: &FramePlace) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut statement = reader.prepare_cached(AT).map_err(error::read)?;
    let loaded = statement.query_row([int(place.first.0)], |row| {
        Ok(records(row, place).map(|records| records.into_iter().map(<[u8]>::to_vec).collect()))
    });
    loaded.map_err(error::read)?
}

fn records<'a>(row: &'a Row, place: &FramePlace) -> Result<Vec<&'a [u8]>, ReadError> {
    let at = || format!("position {}", place.first);
    let bytes = row.get_ref(6).map_err(error::read)?.as_blob();
    let bytes = bytes.map_err(|_| ReadError::damaged(at(), "the records are not bytes"))?;
    split_frame(bytes, place.count, at)
}

fn missing(stream: StreamId, version: u64) -> ReadError {
    ReadError::missing(format!("stream {stream}, version {version}"), "the append is missing")
}
