//! What a commit writes.

use super::{
    error,
    index::{HEADS, IDS, NAMES, OPEN},
    rows::{self, int},
};
use crate::store::{ReadError, engine::Batch};
use rusqlite::Connection;

const FRAME: &str = "INSERT INTO frames (position, stream, version, count, log_hash, crc, bytes) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const END: &str = "UPDATE log_end SET position = ?1, log_hash = ?2, crc = ?3";

/// Writes every row of a batch, inside a transaction of the caller.
pub fn batch(writer: &Connection, log: &[u8; 16], batch: &Batch) -> Result<(), ReadError> {
    let mut insert = writer.prepare_cached(FRAME).map_err(error::read)?;
    for frame in &batch.frames {
        let place = rows::place_for(frame);
        let crc = rows::place_crc(&place);
        let (position, stream, version) = (int(place.first.0), place.stream.bytes(), int(place.version.0));
        let row = (position, stream, version, place.count, place.log_hash.0, crc, &frame.bytes);
        insert.execute(row).map_err(error::read)?;
    }
    if let Some(frame) = batch.frames.last() {
        let end = rows::place_for(frame).end();
        let row = (int(end.position.0), end.hash.0, rows::end_crc(log, &end));
        writer.prepare_cached(END).and_then(|mut update| update.execute(row)).map_err(error::read)?;
    }
    let mut ids: Vec<_> = batch.ids.iter().map(|(id, position)| (id.bytes(), position.0.to_be_bytes())).collect();
    IDS.put(writer, &mut ids)?;
    let mut heads: Vec<_> = batch.heads.iter().map(|(stream, head)| (stream.bytes(), rows::head_value(head))).collect();
    HEADS.put(writer, &mut heads)?;
    for (name, owner) in &batch.names {
        match owner {
            Some(stream) => NAMES.put(writer, &mut [(name.0, stream.bytes())])?,
            None => NAMES.remove(writer, &name.0)?,
        }
    }
    for (stream, count) in &batch.open {
        match count {
            0 => OPEN.remove(writer, &stream.bytes())?,
            count => OPEN.put(writer, &mut [(stream.bytes(), count.to_be_bytes())])?,
        }
    }
    Ok(())
}
