//! The check of the log's end at every open: contiguous positions, index equals log, both chains.

use super::{SledEngine, read, rows};
use crate::{
    Digest,
    envelope::{Header, log_chained},
    store::{Engine, ReadError},
};
use std::collections::HashMap;

/// How many appends are checked, from the end.
const CHECKED_APPENDS: usize = 64;

/// Checks the last appends of the log.
///
/// # Errors
/// [`ReadError::Damaged`], with the position.
pub fn check(engine: &SledEngine) -> Result<(), ReadError> {
    let rows: Vec<_> = engine
        .positions
        .iter()
        .rev()
        .take(CHECKED_APPENDS + 1)
        .map(|row| row.map_err(rows::io).and_then(|(key, value)| rows::position_of(&key, &value)))
        .collect::<Result<_, _>>()?;
    let mut newest = HashMap::new();
    for (index, row) in rows.iter().take(CHECKED_APPENDS).enumerate() {
        let before = rows.get(index + 1);
        let place = |position| format!("position {position}");
        let expected_first = before.map_or(1, |before| before.last().0 + 1);
        if row.first.0 != expected_first {
            return Err(rows::damaged(&place(row.first.0), "positions are not contiguous"));
        }
        let records = read::stream(&engine.frames, row.stream, row.version, row.count as usize)?;
        let mut log_hash = before.map_or(Digest::default(), |before| before.log_hash);
        let mut previous: Option<Digest> = None;
        for (offset, record) in records.iter().enumerate() {
            let position = row.first.0 + offset as u64;
            let (header, payload) =
                Header::parse(record).map_err(|error| rows::damaged(&place(position), &error.to_string()))?;
            let right_place = header.position.0 == position
                && header.stream == row.stream
                && header.version.0 == row.version.0 + offset as u64;
            let chained =
                header.chained(payload) == header.hash && previous.is_none_or(|hash| hash == header.prev_hash);
            if !right_place || !chained {
                return Err(rows::damaged(&place(position), "the record is not the one that was written there"));
            }
            if engine.position_of(header.id)? != Some(header.position) {
                return Err(rows::damaged(&place(position), "the index of event ids does not know it"));
            }
            log_hash = log_chained(log_hash, header.position, header.hash);
            previous = Some(header.hash);
            newest.entry(row.stream).or_insert((header.version, header.hash));
            if newest[&row.stream].0 < header.version {
                newest.insert(row.stream, (header.version, header.hash));
            }
        }
        if records.len() != row.count as usize || log_hash != row.log_hash {
            return Err(rows::damaged(&place(row.last().0), "the log's own chain does not fit"));
        }
    }
    for (stream, (version, hash)) in newest {
        let head = engine.head(stream)?;
        if head.is_none_or(|head| head.version != version || head.hash != hash) {
            return Err(rows::damaged(&format!("stream {stream}"), "the index of heads does not fit the log"));
        }
    }
    Ok(())
}
