//! A framed file as a store: every reader of a log works on it, and nothing is ever written.

use super::{
    FramedError, Pieces,
    frame::{FileHeader, Trailer},
    reader::Span,
    scan::{self, Index},
};
use crate::{
    Digest, EventId, Position, Recorded, StreamId, Version,
    blob::Space,
    envelope::Header,
    keys::KeyId,
    store::{
        Append, AppendError, AppendFuture, CommitObserver, EventStore, Head, LogHead, NameKey, NameSecret, ReadError,
        engine::Page, index::Indexes,
    },
};
use std::{
    collections::HashSet,
    fs::File,
    io,
    ops::Bound,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// An open framed file. Its index was built by one reading of all of it; records are read from it when they are asked
/// for.
pub struct FramedStore {
    path: PathBuf,
    file: File,
    header: FileHeader,
    trailer: Trailer,
    index: Index,
    /// Names and open streams, which only who has the keys can fold.
    folded: OnceLock<Indexes>,
    names: NameSecret,
}

impl FramedStore {
    /// Opens a file, once all of it is read and checked. `names` is what blinds the names of its log.
    ///
    /// # Errors
    /// [`FramedError`] names what is wrong, and where.
    pub fn open(path: &Path, names: NameSecret) -> Result<Self, FramedError> {
        Self::open_with(path, names, |_, _| {})
    }

    /// As [`FramedStore::open`], telling `progress` how many of how many bytes were read.
    ///
    /// # Errors
    /// As [`FramedStore::open`].
    pub fn open_with(path: &Path, names: NameSecret, progress: impl FnMut(u64, u64)) -> Result<Self, FramedError> {
        // The handle first: the file that is read later is the one that was checked.
        let file = File::open(path).map_err(|error| FramedError::io(path, error))?;
        let scanned = scan::scan(path, progress)?;
        let (header, trailer, index) = (scanned.header, scanned.trailer, scanned.index);
        Ok(Self { path: path.to_owned(), file, header, trailer, index, folded: OnceLock::new(), names })
    }

    /// What the file says of itself.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// What it counts.
    pub fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    /// Folds names and open streams from the events, once; `open` gives the event of a record. Until then there are none.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn fold(&self, open: impl Fn(&[u8]) -> Result<Recorded, ReadError>) -> Result<(), ReadError> {
        let mut indexes = Indexes::new(self.names.clone());
        for position in &self.index.concerning {
            indexes.apply(&open(&self.record(*position)?)?);
        }
        // A second fold gives the same.
        self.folded.set(indexes).ok();
        Ok(())
    }

    fn record(&self, position: Position) -> Result<Vec<u8>, ReadError> {
        let at = usize::try_from(position.0).ok().and_then(|position| position.checked_sub(1));
        let span = at.and_then(|at| self.index.records.get(at)).copied();
        let span = span.ok_or_else(|| damaged(position, "the record is missing"))?;
        let record = self.bytes(span)?;
        // The file was whole when it was opened; somebody may have changed it since.
        match Header::place(&record) {
            Some(place) if place.position == position => Ok(record),
            _ => Err(damaged(position, "another record lies there: the file was changed while it was open")),
        }
    }

    fn bytes(&self, span: Span) -> Result<Vec<u8>, ReadError> {
        let length = usize::try_from(span.length).map_err(|error| ReadError::Io(error.to_string()))?;
        let mut bytes = vec![0; length];
        let read = self.read_at(&mut bytes, span.start);
        read.map_err(|error| ReadError::Io(format!("{}: {error}", self.path.display())))?;
        Ok(bytes)
    }

    /// The bytes from a place on.
    pub(super) fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read_exact_at(bytes, at)
    }

    /// Where the pieces of a blob lie; none if it is not in the file.
    pub(super) fn pieces(&self, space: Space, address: Digest) -> &[Span] {
        self.index.blobs.get(&(space, address)).map_or(&[][..], Vec::as_slice)
    }

    /// The blobs in the file, in no order.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = (Space, Digest)> + '_ {
        self.index.blobs.keys().copied()
    }

    /// The files that were given along, by name.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, Pieces<'_>)> {
        self.index.files.iter().map(|(name, pieces)| (name.as_str(), Pieces::new(self, pieces)))
    }

    /// The streams that one of these keys sealed.
    pub(crate) fn sealed_with(&self, keys: &[KeyId]) -> HashSet<StreamId> {
        let keys: HashSet<_> = keys.iter().collect();
        let sealed = |used: &Vec<KeyId>| used.iter().any(|key| keys.contains(key));
        self.index.keys.iter().filter(|(_, used)| sealed(used)).map(|(stream, _)| *stream).collect()
    }

    fn page(&self, positions: impl Iterator<Item = Position>, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let mut page = Page::new(limit);
        for position in positions.take(limit) {
            if !page.add(self.record(position)?) {
                break;
            }
        }
        Ok(page.records)
    }

    fn positions(&self, stream: StreamId) -> &[Position] {
        self.index.streams.get(&stream).map_or(&[][..], Vec::as_slice)
    }
}

fn damaged(position: Position, why: &str) -> ReadError {
    ReadError::Damaged { place: format!("position {position}"), why: why.to_owned() }
}

impl EventStore for FramedStore {
    fn append(&self, _: Append) -> AppendFuture {
        let why = self.refusal().unwrap_or_default();
        Box::pin(std::future::ready(Err(AppendError::Unavailable(why))))
    }

    fn read_stream(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let skip = usize::try_from(from.0.saturating_sub(1)).unwrap_or(usize::MAX);
        self.page(self.positions(stream).iter().copied().skip(skip), limit)
    }

    fn read_stream_back(&self, stream: StreamId, from: Version, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        let positions = self.positions(stream);
        let end = usize::try_from(from.0).unwrap_or(usize::MAX).min(positions.len());
        self.page(positions[..end].iter().rev().copied(), limit)
    }

    fn read_all(&self, from: Position, limit: usize) -> Result<Vec<Vec<u8>>, ReadError> {
        self.page((from.0.max(1)..=self.trailer.records).map(Position), limit)
    }

    fn head(&self, stream: StreamId) -> Result<Option<Head>, ReadError> {
        Ok(self.index.heads.get(&stream).copied())
    }

    fn log_head(&self) -> LogHead {
        self.trailer.head
    }

    fn log_hash(&self, position: Position) -> Result<Option<Digest>, ReadError> {
        let found = self.index.hashes.binary_search_by_key(&position, |(position, _)| *position);
        Ok(found.ok().map(|at| self.index.hashes[at].1))
    }

    fn named(&self, name: &str) -> Result<Option<StreamId>, ReadError> {
        let name = self.names.key(name);
        Ok(self.folded.get().and_then(|folded| folded.named(name)))
    }

    fn streams(&self, after: Option<StreamId>, limit: usize) -> Result<Vec<(StreamId, Head)>, ReadError> {
        let behind = self.index.heads.range((after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded));
        Ok(behind.take(limit).map(|(stream, head)| (*stream, *head)).collect())
    }

    fn names(&self, after: Option<NameKey>, limit: usize) -> Result<Vec<(NameKey, StreamId)>, ReadError> {
        let names = self.folded.get().into_iter().flat_map(Indexes::names);
        Ok(names.filter(|(name, _)| Some(*name) > after).take(limit).collect())
    }

    fn name_secret(&self) -> &NameSecret {
        &self.names
    }

    fn open_streams(&self) -> Result<Vec<StreamId>, ReadError> {
        Ok(self.folded.get().into_iter().flat_map(Indexes::open).map(|(stream, _)| stream).collect())
    }

    fn position_of(&self, id: EventId) -> Result<Option<Position>, ReadError> {
        let found = self.index.ids.binary_search_by_key(&id, |(id, _)| *id);
        Ok(found.ok().map(|at| self.index.ids[at].1))
    }

    /// Nobody is ever told: nothing is committed here.
    fn observe(&self, _: Arc<dyn CommitObserver>) {}

    fn engine(&self) -> &'static str {
        "file"
    }

    fn refusal(&self) -> Option<String> {
        let file = self.path.display();
        Some(format!("{file} is a log file, which is only read; `dispatch restore` makes a data folder from one"))
    }
}
