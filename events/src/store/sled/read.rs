//! Reading: frames are put together from their parts and split into records. The index of heads says how far a stream
//! goes, so a frame that is missing is damage and never a shorter stream.

use super::rows::{self, frame_key, frame_of, position_key, position_of};
use crate::{
    Position, StreamId, Version,
    envelope::Header,
    store::{ReadError, engine::Page, tail::FramePlace},
};
use sled::{IVec, Tree};

/// The records of one frame, with the version of the first.
pub struct FrameRecords {
    /// Version of the first record.
    pub version: Version,
    /// The records; never empty.
    pub records: Vec<Vec<u8>>,
}

impl FrameRecords {
    fn next(&self) -> Version {
        Version(self.version.0 + self.records.len() as u64)
    }
}

/// Records from `from` on to the `end` that the stream had before this call.
pub fn stream(
    frames: &Tree,
    end: Version,
    stream: StreamId,
    from: Version,
    limit: usize,
) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let from = Version(from.0.max(1));
    if from > end {
        return Ok(page.records);
    }
    let mut next = first_at_or_below(frames, stream, from)?.ok_or_else(|| missing(stream, from))?;
    // One scan over the stream's rows: a look-up for each frame would cost as much again as reading it.
    let last = frame_key(stream, Version(u64::MAX), u16::MAX);
    let mut rows = frames.range(frame_key(stream, next, 0)..=last).peekable();
    while next <= end && page.records.len() < limit {
        let mut parts = Parts::new(stream, next);
        while let Some(row) = rows.next_if(|row| row.as_ref().map_or(true, |(key, _)| key[..24] == parts.key[..24])) {
            let (key, part) = row.map_err(rows::io)?;
            parts.add(&key, &part)?;
        }
        let frame = parts.frame()?;
        next = frame.next();
        for (record, version) in frame.records.into_iter().zip(frame.version.0..) {
            if version >= from.0 && !page.add(record) {
                return Ok(page.records);
            }
        }
    }
    Ok(page.records)
}

/// Records from `from` down, which is at most the end of the stream.
pub fn stream_back(
    frames: &Tree,
    end: Version,
    stream: StreamId,
    from: Version,
    limit: usize,
) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut page = Page::new(limit);
    let mut wanted = from.min(end);
    while wanted.0 > 0 && page.records.len() < limit {
        let version = first_at_or_below(frames, stream, wanted)?.ok_or_else(|| missing(stream, wanted))?;
        let frame = load(frames, stream, version)?;
        if frame.next() <= wanted {
            return Err(missing(stream, wanted));
        }
        let versions = frame.version.0..;
        for (version, record) in versions.zip(frame.records).collect::<Vec<_>>().into_iter().rev() {
            if version <= wanted.0 && !page.add(record) {
                return Ok(page.records);
            }
        }
        wanted = Version(version.0.saturating_sub(1));
    }
    Ok(page.records)
}

/// Records of the whole log from `from` on.
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
            return Err(ReadError::missing(format!("position {}", expected.unwrap_or_default()), why));
        }
        expected = Some(row.last().next());
        if row.last() < from {
            continue;
        }
        for (record, position) in load_row(frames, &row)?.into_iter().zip(row.first.0..) {
            if position >= from.0 && !page.add(record) {
                return Ok(page.records);
            }
        }
        if page.records.len() >= limit {
            break;
        }
    }
    Ok(page.records)
}

/// All records of the frame that a row of `positions` names, of any size.
pub fn load_row(frames: &Tree, row: &FramePlace) -> Result<Vec<Vec<u8>>, ReadError> {
    let frame = load(frames, row.stream, row.version)?;
    if frame.records.len() == row.count as usize {
        return Ok(frame.records);
    }
    let why = format!("{} records where {} were written", frame.records.len(), row.count);
    Err(rows::damaged(&format!("position {}", row.first), &why))
}

/// The frame of `stream` that begins at or below `version`.
fn first_at_or_below(frames: &Tree, stream: StreamId, version: Version) -> Result<Option<Version>, ReadError> {
    let low = frame_key(stream, Version(0), 0);
    let high = frame_key(stream, version, u16::MAX);
    let found = frames.range(low..=high).next_back().transpose().map_err(rows::io)?;
    found.map(|(key, _)| frame_of(&key).map(|(_, version)| version)).transpose()
}

fn load(frames: &Tree, stream: StreamId, version: Version) -> Result<FrameRecords, ReadError> {
    let mut parts = Parts::new(stream, version);
    for row in frames.range(frame_key(stream, version, 0)..=frame_key(stream, version, u16::MAX)) {
        let (key, part) = row.map_err(rows::io)?;
        parts.add(&key, &part)?;
    }
    parts.frame()
}

fn missing(stream: StreamId, version: Version) -> ReadError {
    ReadError::missing(place(stream, version), "the append is missing")
}

fn place(stream: StreamId, version: Version) -> String {
    format!("stream {stream}, version {version}")
}

/// A frame whose parts come in, in order.
struct Parts {
    stream: StreamId,
    version: Version,
    key: [u8; 26],
    expected: u32,
    bytes: Vec<u8>,
}

impl Parts {
    fn new(stream: StreamId, version: Version) -> Self {
        Self { stream, version, key: frame_key(stream, version, 0), expected: 0, bytes: Vec::new() }
    }

    fn add(&mut self, key: &IVec, part: &[u8]) -> Result<(), ReadError> {
        if key[24..] != u16::try_from(self.expected).unwrap_or(u16::MAX).to_be_bytes() {
            return Err(rows::damaged(&place(self.stream, self.version), "a part of an append is missing"));
        }
        self.expected += 1;
        self.bytes.extend_from_slice(part);
        Ok(())
    }

    fn frame(self) -> Result<FrameRecords, ReadError> {
        let mut records = Vec::new();
        let mut rest = self.bytes.as_slice();
        while !rest.is_empty() {
            let record = Header::record_len(rest).and_then(|length| rest.get(..length));
            let record =
                record.ok_or_else(|| rows::damaged(&place(self.stream, self.version), "a record is cut off"))?;
            records.push(record.to_vec());
            rest = &rest[record.len()..];
        }
        if records.is_empty() {
            Err(missing(self.stream, self.version))
        } else {
            Ok(FrameRecords { version: self.version, records })
        }
    }
}
