//! The check of the log's end at every open: contiguous positions, index equals log, both chains. One check for every
//! engine; an engine only says where its last frames lie and how one is loaded.

use super::{Engine, LogHead, ReadError};
use crate::{
    Digest, EventId, Position, StreamId, Version,
    envelope::{Header, log_chained},
};
use std::collections::HashMap;

/// How many appends are checked, from the end.
pub(super) const CHECKED_APPENDS: usize = 64;

/// Where a frame is.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramePlace {
    /// Position of its first record.
    pub first: Position,
    /// Its stream.
    pub stream: StreamId,
    /// Version of its first record.
    pub version: Version,
    /// How many records.
    pub count: u32,
    /// The log's chain after its last record.
    pub log_hash: Digest,
}

impl FramePlace {
    /// Position of the frame's last record.
    pub fn last(&self) -> Position {
        Position(self.first.0.saturating_add(u64::from(self.count).saturating_sub(1)))
    }

    /// The end of a log whose last frame this is.
    pub fn end(&self) -> LogHead {
        LogHead { position: self.last(), hash: self.log_hash }
    }
}

/// Checks the last appends of the log. `newest` are the places of its last frames, newest first: one more than
/// [`CHECKED_APPENDS`], or all.
///
/// # Errors
/// [`ReadError::Damaged`], with the position.
pub(super) fn check(
    engine: &impl Engine,
    newest: &[FramePlace],
    load: impl Fn(&FramePlace) -> Result<Vec<Vec<u8>>, ReadError>,
) -> Result<(), ReadError> {
    nothing_behind(engine, newest.first().map_or(Position(0), FramePlace::last))?;
    let mut later = HashMap::new();
    for (index, place) in newest.iter().take(CHECKED_APPENDS).enumerate() {
        append(engine, place, newest.get(index + 1), &load(place)?, &mut later)?;
    }
    Ok(())
}

/// The newest event id lies in the log; if not, rows of `positions` were lost at its end.
fn nothing_behind(engine: &impl Engine, last: Position) -> Result<(), ReadError> {
    let newest = engine.greatest_id()?;
    let position = if newest == EventId::default() { None } else { engine.position_of(newest)? };
    match position {
        Some(position) if position > last => Err(damaged(position, "the index of positions does not know it")),
        None if last > Position(0) => Err(damaged(last, "the index of event ids is empty")),
        _ => Ok(()),
    }
}

/// First version and the hash before it, of the oldest append of a stream that was checked so far.
type Later = HashMap<StreamId, (Version, Digest)>;

fn append(
    engine: &impl Engine,
    row: &FramePlace,
    before: Option<&FramePlace>,
    records: &[Vec<u8>],
    later: &mut Later,
) -> Result<(), ReadError> {
    if row.first != before.map_or(Position(1), |before| before.last().next()) {
        return Err(damaged(row.first, "positions are not contiguous"));
    }
    let mut log_hash = before.map_or(Digest::default(), |before| before.log_hash);
    let mut previous: Option<Digest> = None;
    let mut first = (row.version, Digest::default());
    let mut version = row.version;
    for (record, position) in records.iter().zip(row.first.0..) {
        let position = Position(position);
        let (header, payload) = Header::parse(record).map_err(|error| damaged(position, &error.to_string()))?;
        let right_place = header.position == position && header.stream == row.stream && header.version == version;
        let chained = header.chained(payload) == header.hash && previous.is_none_or(|hash| hash == header.prev_hash);
        if !right_place || !chained {
            return Err(damaged(position, "the record is not the one that was written there"));
        }
        if engine.position_of(header.id)? != Some(position) {
            return Err(damaged(position, "the index of event ids does not know it"));
        }
        if previous.is_none() {
            first.1 = header.prev_hash;
        }
        log_hash = log_chained(log_hash, position, header.hash);
        previous = Some(header.hash);
        version = version.next();
    }
    if log_hash != row.log_hash {
        return Err(damaged(row.last(), "the log's own chain does not fit"));
    }
    follows(engine, row, (version, previous.unwrap_or_default()), later)?;
    later.insert(row.stream, first);
    Ok(())
}

/// What comes after an append in its stream: the append that was checked before it, or the head.
fn follows(engine: &impl Engine, row: &FramePlace, end: (Version, Digest), later: &Later) -> Result<(), ReadError> {
    if let Some(next) = later.get(&row.stream) {
        if *next != end {
            return Err(damaged(row.last(), "the append after it in its stream does not follow it"));
        }
        return Ok(());
    }
    let head = engine.head(row.stream)?;
    if head.is_none_or(|head| (head.version.next(), head.hash) != end) {
        return Err(ReadError::damaged(format!("stream {}", row.stream), "the index of heads does not fit the log"));
    }
    Ok(())
}

fn damaged(position: Position, why: &str) -> ReadError {
    ReadError::damaged(format!("position {position}"), why)
}
