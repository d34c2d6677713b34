//! Blobs: what goes in comes out, in chunks; what was changed on the disk is found; what a kill left goes away.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod child;
mod copying;
mod memory;
mod tampering;

use dispatch_events::{
    Digest, StreamId,
    blob::{BlobError, BlobStore, CHUNK, Space},
    keys::{KeyBytes, SessionKey},
};
use proptest::prelude::*;
use std::{
    fs,
    io::{self, Read},
    path::PathBuf,
};

/// A session with its blobs in a folder.
struct Session {
    folder: tempfile::TempDir,
    blobs: BlobStore,
    stream: StreamId,
    key: SessionKey,
}

impl Session {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let blobs = BlobStore::open(folder.path()).unwrap();
        Self { folder, blobs, stream: StreamId::fresh(), key: SessionKey::new(KeyBytes::new([7; 32])) }
    }

    fn put(&self, bytes: &[u8]) -> Digest {
        self.blobs.put(self.stream, &self.key, bytes).unwrap()
    }

    fn put_from(&self, source: impl Read) -> Result<(Digest, u64), BlobError> {
        self.blobs.put_from(self.stream, &self.key, source)
    }

    fn get(&self, address: Digest) -> Result<Vec<u8>, BlobError> {
        self.blobs.get(self.stream, &self.key, address)
    }

    /// The bytes that a reader gave before it ended or failed, and how it went.
    fn stream_out(&self, address: Digest) -> (Vec<u8>, Result<u64, BlobError>) {
        let mut bytes = Vec::new();
        let read = self.blobs.reader(self.stream, &self.key, address).and_then(|mut reader| {
            let length = reader.length();
            let copied = io::copy(&mut reader, &mut bytes);
            if copied.is_err() {
                assert!(reader.read(&mut [0; 8]).is_err(), "a reader that failed gives nothing more");
            }
            assert_eq!(copied?, length);
            Ok(length)
        });
        (bytes, read)
    }

    fn space(&self) -> PathBuf {
        self.folder.path().join(self.stream.to_string())
    }

    fn file(&self, address: Digest) -> PathBuf {
        self.space().join(address.hex())
    }

    fn half_written(&self) -> usize {
        fs::read_dir(self.folder.path().join("tmp")).unwrap().count()
    }
}

/// Bytes of which no chunk is like another.
fn sample(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

/// A source that gives its bytes in pieces of odd sizes.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let piece = self.1.min(out.len());
        self.0.read(&mut out[..piece])
    }
}

#[test]
fn what_goes_in_comes_out_at_every_size() {
    let session = Session::new();
    for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1, 10 * 1024 * 1024] {
        let bytes = sample(length);
        let (address, read) = session.put_from(Pieces(&bytes, 50_000)).unwrap();
        assert_eq!(read, length as u64);
        assert_eq!(session.put(&bytes), address, "{length} bytes: one address both ways");
        assert!(session.get(address).unwrap() == bytes, "{length} bytes differ");
        let (streamed, result) = session.stream_out(address);
        assert!(streamed == bytes && result.unwrap() == length as u64, "{length} bytes differ when streamed");
        fs::remove_file(session.file(address)).unwrap();
        assert!(matches!(session.get(address), Err(BlobError::Missing(missing)) if missing == address));
        assert_eq!(session.put(&bytes), address);
        assert!(session.stream_out(address).0 == bytes, "{length} bytes differ when put at once");
    }
    assert_eq!(session.half_written(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn pieces_and_chunks_need_not_agree(
        chunks in 0_usize..3, beside in -40_isize..40, piece in 1_usize..200_000, out in 1_usize..200_000,
    ) {
        let bytes = sample((chunks * CHUNK).saturating_add_signed(beside));
        let (blobs, stream, key) =
            (BlobStore::in_memory(), StreamId::fresh(), SessionKey::new(KeyBytes::new([1; 32])));
        let (address, length) = blobs.put_from(stream, &key, Pieces(&bytes, piece.max(bytes.len() / 500))).unwrap();
        prop_assert_eq!(length, bytes.len() as u64);
        let mut reader = blobs.reader(stream, &key, address).unwrap();
        let (mut read, mut buffer) = (Vec::new(), vec![0; out.max(bytes.len() / 500)]);
        loop {
            let got = reader.read(&mut buffer).unwrap();
            if got == 0 {
                break;
            }
            read.extend_from_slice(&buffer[..got]);
        }
        prop_assert!(read == bytes);
    }
}

#[test]
fn a_whole_file_is_not_written_again_and_a_damaged_one_is() {
    let session = Session::new();
    let bytes = sample(3 * CHUNK);
    let address = session.put(&bytes);
    let first = fs::read(session.file(address)).unwrap();
    assert_eq!(session.put(&bytes), address);
    assert_eq!(session.put_from(bytes.as_slice()).unwrap(), (address, bytes.len() as u64));
    assert!(
        fs::read(session.file(address)).unwrap() == first,
        "each file has a prefix of its own, so this one is the first"
    );
    for again in [0, 1] {
        let mut damaged = first.clone();
        damaged[CHUNK + 500] ^= 1;
        fs::write(session.file(address), damaged).unwrap();
        assert!(matches!(session.get(address), Err(BlobError::Damaged(_))));
        if again == 0 {
            session.put(&bytes)
        } else {
            session.put_from(bytes.as_slice()).unwrap().0
        };
        assert!(session.get(address).unwrap() == bytes);
    }
    assert_eq!(fs::read_dir(session.space()).unwrap().count(), 1);
    assert_eq!(session.half_written(), 0);
}

#[test]
fn a_source_that_fails_leaves_nothing() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the line was cut"))
        }
    }
    let session = Session::new();
    let start = sample(2 * CHUNK);
    let error = session.put_from(start.as_slice().chain(Failing)).unwrap_err();
    assert!(matches!(error, BlobError::Source(_)) && error.to_string().contains("the line was cut"), "{error}");
    assert_eq!(session.half_written(), 0);
    assert!(!session.space().exists());
}

#[test]
fn a_purge_removes_one_session_also_the_second_time() {
    let session = Session::new();
    let (address, kept) = (session.put(b"to be erased"), StreamId::fresh());
    session.put(&sample(2 * CHUNK));
    let other = session.blobs.put(kept, &session.key, b"to be kept").unwrap();
    // As a crash half-way leaves it: some files are gone, the folder is there.
    fs::remove_file(session.file(address)).unwrap();
    for _ in 0..2 {
        session.blobs.purge(session.stream).unwrap();
        assert!(!session.space().exists());
        assert!(matches!(session.get(address), Err(BlobError::Missing(_))));
    }
    assert_eq!(session.blobs.get(kept, &session.key, other).unwrap(), b"to be kept");
    let spaces: Vec<_> = session.blobs.spaces().unwrap().map(Result::unwrap).collect();
    assert_eq!(spaces, [Space::Session(kept)]);

    let memory = BlobStore::in_memory();
    let address = memory.put(kept, &session.key, b"text").unwrap();
    memory.purge(kept).unwrap();
    assert!(matches!(memory.get(kept, &session.key, address), Err(BlobError::Missing(_))));
}
