//! One reading of the whole file, which checks all of it and keeps where everything lies.

use super::{
    FramedError,
    frame::{BlobPiece, FileHeader, Frame, RECORDS_AT, Trailer},
    reader::{Frames, Span},
};
use crate::{
    Digest, EventId, Position, StreamId,
    appends::Continuity,
    blob::Space,
    envelope::{HEADER_LEN, Header},
    keys::KeyId,
    store::{Head, engine, index::concerns},
};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// What the scan keeps: about 60 bytes for each record, and nothing of its payload.
#[derive(Default)]
pub(super) struct Index {
    /// Where the record of each position lies, from position 1.
    pub records: Vec<Span>,
    /// Positions of a stream's events, from version 1.
    pub streams: HashMap<StreamId, Vec<Position>>,
    /// Event ids in order.
    pub ids: Vec<(EventId, Position)>,
    /// Ends of the streams.
    pub heads: BTreeMap<StreamId, Head>,
    /// Positions whose events say something about names and open streams.
    pub concerning: Vec<Position>,
    /// Keys that seal the events of a stream, in the order of their first use: one, and another after an erasure.
    pub keys: HashMap<StreamId, Vec<KeyId>>,
    /// The log's own chain at the end of each append, in order.
    pub hashes: Vec<(Position, Digest)>,
    /// Where the pieces of each blob lie, in order.
    pub blobs: HashMap<(Space, Digest), Vec<Span>>,
    /// Where the pieces of each file that was given along lie, in the order of the file.
    pub files: Vec<(String, Vec<Span>)>,
}

/// A file that was found whole.
pub(super) struct Scanned {
    pub header: FileHeader,
    pub trailer: Trailer,
    pub index: Index,
}

/// Reads the file once. `progress` is told how many of how many bytes were read.
pub(super) fn scan(path: &Path, mut progress: impl FnMut(u64, u64)) -> Result<Scanned, FramedError> {
    let mut frames = Frames::open(path)?;
    let mut continuity = Continuity::default();
    let mut index = Index::default();
    let mut trailer = Trailer::default();
    while let Some((span, frame)) = frames.next_frame()? {
        match frame {
            Frame::Append(append) => {
                let broken = |error: crate::appends::Broken| frames.damaged(span.start, &error.to_string());
                let headers = continuity.take(&append).map_err(broken)?;
                index.append(span, &append, &headers);
            }
            Frame::Blob(BlobPiece { space, address, part }) => {
                let pieces = index.blobs.entry((space, address)).or_default();
                if part.number as usize != pieces.len() {
                    return Err(frames.damaged(span.start, &format!("blob {address} is in the file twice")));
                }
                pieces.push(bytes_of(span, part.bytes.len()));
            }
            Frame::File(piece) => {
                let bytes = bytes_of(span, piece.part.bytes.len());
                if piece.part.number == 0 {
                    if index.files.iter().any(|(name, _)| *name == piece.name) {
                        return Err(frames.damaged(span.start, &format!("the file {} is in it twice", piece.name)));
                    }
                    index.files.push((piece.name, Vec::new()));
                }
                // Pieces follow each other, so the last file is theirs.
                if let Some((_, pieces)) = index.files.last_mut() {
                    pieces.push(bytes);
                }
            }
            Frame::Trailer(last) => trailer = last,
            Frame::Header(_) => {}
        }
        let (read, of) = frames.progress();
        progress(read, of);
    }
    index.ids.sort_unstable();
    if let Some(twice) = index.ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(frames.damaged(0, &format!("event id {} stands at two positions", twice[0].0)));
    }
    index.heads = continuity.ends().map(|(stream, last)| (stream, last.head)).collect();
    Ok(Scanned { header: frames.header().clone(), trailer, index })
}

impl Index {
    fn append(&mut self, span: Span, append: &engine::Frame, headers: &[Header]) {
        let mut start = span.start + RECORDS_AT;
        let positions = self.streams.entry(append.stream).or_default();
        for header in headers {
            let length = HEADER_LEN as u64 + u64::from(header.length);
            self.records.push(Span { start, length });
            positions.push(header.position);
            self.ids.push((header.id, header.position));
            if concerns(&header.kind) {
                self.concerning.push(header.position);
            }
            let keys = self.keys.entry(header.stream).or_default();
            if !keys.contains(&header.key) {
                keys.push(header.key);
            }
            start += length;
        }
        if let Some(last) = headers.last() {
            self.hashes.push((last.position, append.log_hash));
        }
    }
}

/// The bytes of a piece are the end of its body.
fn bytes_of(span: Span, length: usize) -> Span {
    let length = length as u64;
    Span { start: span.start + span.length - length, length }
}
