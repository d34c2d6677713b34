//! Reading: frames are put together from their parts and split into records.

use super::rows::{self, frame_key, frame_of, position_key, position_of};
use crate::{
    Position, StreamId, Version,
    envelope::Header,
    store::{PAGE_BYTES, ReadError},
};
use sled::Tree;

/// The records of one frame, with the version of the first.
struct FrameRecords {
    version: Version,
    records: Vec<Vec<u8>>,
}

pub fn stream(frames: &Tree, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let mut next = first_at_or_below(frames, stream, from)?;
    while let Some(version) = next {
        let frame = load(frames, stream, version)?;
        next = Some(Version(frame.version.0 + frame.records.len() as u64));
        for (index, record) in frame.records.into_iter().enumerate() {
            if frame.version.0 + index as u64 >= from.0 && !page.add(record) {
                return Ok(page.records);
            }
        }
        if next.is_some_and(|version| !exists(frames, stream, version)) {
            next = None;
        }
    }
    Ok(page.records)
}

pub fn stream_back(frames: &Tree, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let mut next = first_at_or_below(frames, stream, from)?;
    while let Some(version) = next {
        let frame = load(frames, stream, version)?;
        for (index, record) in frame.records.into_iter().enumerate().rev() {
            if frame.version.0 + index as u64 <= from.0 && !page.add(record) {
                return Ok(page.records);
            }
        }
        next = match version.0 {
            0 | 1 => None,
            version => first_at_or_below(frames, stream, Version(version - 1))?,
        };
    }
    Ok(page.records)
}

pub fn all(positions: &Tree, frames: &Tree, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let from = Position(from.0.max(1));
    let below = positions.range(..=position_key(from)).next_back().transpose().map_err(rows::io)?;
    let start = match below {
        Some((key, _)) => rows::number(&key, "positions")?,
        None => return Ok(page.records),
    };
    let mut expected = None;
    for row in positions.range(position_key(Position(start))..) {
        let (key, value) = row.map_err(rows::io)?;
        let row = position_of(&key, &value)?;
        if expected.is_some_and(|expected| expected != row.first) {
            let why = format!("a gap: position {} follows", row.first);
            return Err(rows::damaged(&format!("position {}", expected.unwrap_or_default()), &why));
        }
        expected = Some(row.last().next());
        let frame = load(frames, row.stream, row.version)?;
        if frame.records.len() != row.count as usize {
            let why = format!("{} records where {} were written", frame.records.len(), row.count);
            return Err(rows::damaged(&format!("position {}", row.first), &why));
        }
        for (index, record) in frame.records.into_iter().enumerate() {
            if row.first.0 + index as u64 >= from.0 && !page.add(record) {
                return Ok(page.records);
            }
        }
    }
    Ok(page.records)
}

/// The frame of `stream` that begins at or below `version`.
fn first_at_or_below(frames: &Tree, stream: StreamId, version: Version) -> Result<Option<Version>, ReadError> {
    let version = Version(version.0.max(1));
    let low = frame_key(stream, Version(0), 0);
    let high = frame_key(stream, version, u16::MAX);
    let found = frames.range(low..=high).next_back().transpose().map_err(rows::io)?;
    found.map(|(key, _)| frame_of(&key).map(|(_, version)| version)).transpose()
}

fn exists(frames: &Tree, stream: StreamId, version: Version) -> bool {
    frames.contains_key(frame_key(stream, version, 0)).unwrap_or(true)
}

fn load(frames: &Tree, stream: StreamId, version: Version) -> Result<FrameRecords, ReadError> {
    let place = || format!("stream {stream}, version {version}");
    let mut bytes = Vec::new();
    let low = frame_key(stream, version, 0);
    let high = frame_key(stream, version, u16::MAX);
    for (expected, row) in frames.range(low..=high).enumerate() {
        let (key, part) = row.map_err(rows::io)?;
        if key[24..] != u16::try_from(expected).unwrap_or(u16::MAX).to_be_bytes() {
            return Err(rows::damaged(&place(), "a part of an append is missing"));
        }
        bytes.extend_from_slice(&part);
    }
    let mut records = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let record = Header::record_len(rest).and_then(|length| rest.get(..length));
        let record = record.ok_or_else(|| rows::damaged(&place(), "a record is cut off"))?;
        records.push(record.to_vec());
        rest = &rest[record.len()..];
    }
    if records.is_empty() {
        Err(rows::damaged(&place(), "the append is missing"))
    } else {
        Ok(FrameRecords { version, records })
    }
}

/// A page that is filled up to its limits.
struct Page {
    records: Vec<Vec<u8>>,
    limit: usize,
    bytes: usize,
}

impl Page {
    fn new(limit: usize) -> Self {
        Self { records: Vec::new(), limit, bytes: 0 }
    }

    /// Takes a record; false when the page was full already.
    fn add(&mut self, record: Vec<u8>) -> bool {
        let full = self.records.len() >= self.limit || (self.bytes > 0 && self.bytes + record.len() > PAGE_BYTES);
        if !full {
            self.bytes += record.len();
            self.records.push(record);
        }
        !full
    }
}
