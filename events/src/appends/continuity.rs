//! What must hold between one append and the next: positions and versions without a gap, and both chains.

use crate::{
    Digest, Position, StreamId, Version,
    envelope::{Header, log_chained},
    store::{Head, LogHead, ReadError, engine::Frame, engine::split_frame},
};
use std::collections::HashMap;

/// The end of a stream, and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// The end.
    pub head: Head,
    /// Position of its last event.
    pub position: Position,
}

/// An append does not follow from those before it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("position {position}: {why}")]
pub struct Broken {
    /// Where in the log.
    pub position: Position,
    /// What is wrong.
    pub why: String,
}

impl From<Broken> for ReadError {
    fn from(broken: Broken) -> Self {
        Self::Damaged { place: format!("position {}", broken.position), why: broken.why }
    }
}

/// How far a log has come. It keeps one entry for each stream. Used before a write and after a read.
#[derive(Debug, Default)]
pub struct Continuity {
    log: LogHead,
    ends: HashMap<StreamId, Last>,
}

impl Continuity {
    /// Goes on behind `log`; the ends of the streams there are told by [`Continuity::know`].
    pub fn after(log: LogHead) -> Self {
        Self { log, ends: HashMap::new() }
    }

    /// The end of the log so far.
    pub fn log(&self) -> LogHead {
        self.log
    }

    /// The end of a stream so far.
    pub fn end(&self, stream: StreamId) -> Option<Last> {
        self.ends.get(&stream).copied()
    }

    /// The ends of all streams so far, in no order.
    pub fn ends(&self) -> impl Iterator<Item = (StreamId, Last)> + '_ {
        self.ends.iter().map(|(stream, last)| (*stream, *last))
    }

    /// Takes the end of a stream from elsewhere.
    pub fn know(&mut self, stream: StreamId, last: Last) {
        self.ends.insert(stream, last);
    }

    /// Checks the next append: each record's checksum and hash, its place, and both chains. Returns the headers.
    ///
    /// # Errors
    /// [`Broken`] names the first record that does not fit; nothing of the append is counted then.
    pub fn take(&mut self, frame: &Frame) -> Result<Vec<Header>, Broken> {
        let broken = |position: Position, why: String| Broken { position, why };
        let records = split_frame(&frame.bytes, frame.count, String::new)
            .map_err(|_| broken(frame.position, "the append does not hold the records that it counts".into()))?;
        let mut log = self.log;
        let mut end = self.end(frame.stream).map(|last| last.head);
        let mut headers = Vec::with_capacity(records.len());
        for record in records {
            let position = log.position.next();
            let (header, payload) = Header::parse(record).map_err(|error| broken(position, error.to_string()))?;
            follows(&header, payload, frame.stream, position, end).map_err(|why| broken(position, why))?;
            log = LogHead { position, hash: log_chained(log.hash, position, header.hash) };
            end = Some(Head { version: header.version, hash: header.hash, key: header.key });
            headers.push(header);
        }
        if log.hash != frame.log_hash {
            return Err(broken(log.position, "the log's own chain is broken at or before it".into()));
        }
        if let Some(head) = end {
            self.ends.insert(frame.stream, Last { head, position: log.position });
        }
        self.log = log;
        Ok(headers)
    }
}

fn follows(
    header: &Header,
    payload: &[u8],
    stream: StreamId,
    position: Position,
    end: Option<Head>,
) -> Result<(), String> {
    let (version, hash) = end.map_or((Version(0), Digest::default()), |head| (head.version, head.hash));
    if header.position != position {
        return Err(format!("the record of position {} lies here", header.position));
    }
    if header.stream != stream {
        return Err("a record of another stream lies here".into());
    }
    if header.version != version.next() {
        return Err(format!("version {} follows version {version}", header.version));
    }
    if header.prev_hash != hash {
        return Err("the chain of its stream is broken before it".into());
    }
    if header.chained(payload) != header.hash {
        return Err("its hash is not the one of its bytes".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CorrelationId, Epoch, EventId, PrincipalId, Timestamp,
        envelope::{Flags, write_record},
        keys::KeyId,
    };

    const STREAM: StreamId = StreamId(uuid::Uuid::from_u128(7));

    fn header(stream: StreamId, version: u64) -> Header {
        Header {
            codec: 1,
            flags: Flags(0),
            key: KeyId::default(),
            stream,
            version: Version(version),
            id: EventId::fresh(),
            recorded_at: Timestamp(0),
            epoch: Epoch(0),
            correlation: CorrelationId::default(),
            causation: EventId::default(),
            principal: PrincipalId::default(),
            schema: 1,
            kind: "a.kind".into(),
            length: 0,
            prev_hash: Digest::default(),
            position: Position(0),
            hash: Digest::default(),
        }
    }

    /// A record that is whole in itself, alone in an append.
    fn append(stream: StreamId, version: u64, before: Digest, position: u64, log: Digest) -> (Frame, Digest) {
        let mut bytes = Vec::new();
        let (version_, position) = (Version(version), Position(position));
        let hash = write_record(&mut bytes, &header(stream, version).writer_bytes(), b"payload", before, position);
        let log_hash = log_chained(log, position, hash);
        (Frame { stream: STREAM, version: version_, position, count: 1, bytes, log_hash }, hash)
    }

    #[test]
    fn only_the_append_that_follows_is_taken() {
        let (first, hash) = append(STREAM, 1, Digest::default(), 1, Digest::default());
        let log = first.log_hash;
        let broken = |frame: Frame, what: &str| {
            let mut continuity = Continuity::default();
            continuity.take(&first).unwrap();
            let broken = continuity.take(&frame).unwrap_err();
            assert_eq!(broken.position, Position(2));
            assert!(broken.why.contains(what), "{broken}");
            assert_eq!(
                (continuity.log().position, continuity.end(STREAM).unwrap().head.version),
                (Position(1), Version(1))
            );
        };
        broken(append(STREAM, 2, hash, 3, log).0, "the record of position 3 lies here");
        broken(append(StreamId::fresh(), 2, hash, 2, log).0, "another stream");
        broken(append(STREAM, 3, hash, 2, log).0, "version 3 follows version 1");
        broken(append(STREAM, 1, hash, 2, log).0, "version 1 follows version 1");
        broken(append(STREAM, 2, Digest::of(b"x"), 2, log).0, "the chain of its stream");
        broken(append(STREAM, 2, hash, 2, Digest::of(b"x")).0, "the log's own chain");
        let (next, _) = append(STREAM, 2, hash, 2, log);
        let changed = |at: usize| {
            let mut frame = Frame { bytes: next.bytes.clone(), ..append(STREAM, 2, hash, 2, log).0 };
            frame.bytes[at] ^= 1;
            // Somebody who knows the format: the checksum holds.
            let (head, payload) = frame.bytes.split_at(crate::envelope::HEADER_LEN);
            let crc = crc32c::crc32c_append(crc32c::crc32c(&head[..head.len() - 4]), payload).to_be_bytes();
            let end = crate::envelope::HEADER_LEN;
            frame.bytes[end - 4..end].copy_from_slice(&crc);
            frame
        };
        broken(changed(crate::envelope::HEADER_LEN + 1), "its hash is not the one of its bytes");
        broken(changed(72), "its hash is not the one of its bytes");
        let mut continuity = Continuity::default();
        continuity.take(&first).unwrap();
        continuity.take(&next).unwrap();
        assert_eq!(continuity.log(), LogHead { position: Position(2), hash: next.log_hash });
    }
}
