//! From a draft to a sealed event.

use super::{Draft, Log, LogError, Tip};
use crate::{
    Body, Digest, EventId, Position, Recorded, Timestamp,
    blob::BLOB_THRESHOLD,
    codec,
    envelope::{Flags, Header},
    seal,
    store::{AppendError, SealedEvent},
};
use serde::{Deserialize, Serialize};

/// What stands in the payload of a record whose event is a blob.
#[derive(Serialize, Deserialize, PartialEq)]
pub(super) struct BlobRef {
    pub address: Digest,
    pub length: u64,
}

pub(super) fn seal(log: &Log, place: Tip, draft: Draft, recorded_at: Timestamp) -> Result<SealedEvent, LogError> {
    let key = log.keys().get(place.key)?;
    let mut payload = draft.event.encode()?;
    let mut flags = Flags::SEALED;
    if payload.len() > BLOB_THRESHOLD {
        // A blob that is written for an append which will be refused only takes the rest of the room.
        if let Some(why) = log.store().refusal() {
            return Err(AppendError::Unavailable(why).into());
        }
        let address = log.blobs().put(place.stream, &key, &payload)?;
        payload = codec::encode(&BlobRef { address, length: payload.len() as u64 })?;
        flags |= Flags::BLOB;
    }
    let header = Header {
        codec: codec::BINCODE_2,
        flags: Flags(flags),
        key: place.key,
        stream: place.stream,
        version: place.version,
        id: EventId::fresh(),
        recorded_at,
        epoch: log.epoch(),
        correlation: draft.correlation,
        causation: draft.causation,
        principal: draft.principal,
        schema: draft.event.schema(),
        kind: draft.event.name().to_owned(),
        length: 0,
        prev_hash: Digest::default(),
        position: Position(0),
        hash: Digest::default(),
    };
    let writer = header.writer_bytes();
    let payload = seal::seal(&key.sealing, &writer, &payload)?;
    let shared = draft
        .event
        .shared_texts()
        .into_iter()
        .map(|text| log.blobs().shared(text.address))
        .collect::<Result<_, _>>()?;
    let recorded = recorded(header, Body::Known(draft.event), shared);
    Ok(SealedEvent { writer, payload, recorded })
}

pub(super) fn recorded(header: Header, body: Body, shared: Vec<std::sync::Arc<str>>) -> Recorded {
    Recorded {
        position: header.position,
        stream: header.stream,
        version: header.version,
        id: header.id,
        recorded_at: header.recorded_at,
        epoch: header.epoch,
        correlation: header.correlation,
        causation: header.causation,
        principal: header.principal,
        kind: header.kind,
        schema: header.schema,
        key: header.key,
        hash: header.hash,
        body,
        shared,
    }
}
