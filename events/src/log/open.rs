//! From a stored record to an event. Damage of the record is an error; a payload that can't be read is in the body.

use super::{
    Log,
    seal::{BlobRef, recorded},
};
use crate::{
    Body, Event, Recorded, codec,
    envelope::{Flags, Header},
    keys::KeyError,
    seal,
    store::ReadError,
};

pub(super) fn open(log: &Log, record: &[u8]) -> Result<Recorded, ReadError> {
    let (header, payload) = Header::parse(record).map_err(|error| {
        let place = Header::place(record).map_or_else(|| "unknown".into(), |place| place.position.to_string());
        ReadError::Damaged { place: format!("position {place}"), why: error.to_string() }
    })?;
    let mut body = match event(log, &header, payload) {
        Ok(Some(event)) => Body::Known(event),
        Ok(None) => Body::Unknown { length: payload.len() },
        Err(Unreadable::Erased) => Body::Erased,
        Err(Unreadable::Because(why)) => Body::Unreadable(why),
    };
    let mut shared = Vec::new();
    if let Body::Known(event) = &body {
        let texts = event.shared_texts().into_iter().map(|text| log.blobs().shared(text.address));
        match texts.collect::<Result<_, _>>() {
            Ok(texts) => shared = texts,
            Err(error) => body = Body::Unreadable(error.to_string()),
        }
    }
    Ok(recorded(header, body, shared))
}

enum Unreadable {
    Erased,
    Because(String),
}

impl<E: std::error::Error> From<E> for Unreadable {
    fn from(error: E) -> Self {
        Self::Because(error.to_string())
    }
}

fn event(log: &Log, header: &Header, payload: &[u8]) -> Result<Option<Event>, Unreadable> {
    if header.codec != codec::BINCODE_2 {
        return Ok(None);
    }
    let key = match log.keys().get(header.key) {
        Ok(key) => key,
        Err(KeyError::Destroyed(_)) => return Err(Unreadable::Erased),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = seal::open(&key.sealing, &header.writer_bytes(), payload)?;
    if header.flags.has(Flags::BLOB) {
        let blob: BlobRef = codec::decode(&bytes)?;
        bytes = log.blobs().get(header.stream, &key, blob.address)?;
    }
    Ok(Event::decode(&header.kind, header.schema, &bytes)?)
}
