//! Each way to change a file: the whole is refused, and a reader gives nothing but true bytes before it fails.

use super::{Session, sample};
use dispatch_events::{
    Digest,
    blob::{BlobError, CHUNK},
};
use std::fs;

/// Where the chunks begin, and how long a sealed one is.
const BODY: usize = 64;
const SEALED: usize = CHUNK + 16;

fn refused(session: &Session, address: Digest, bytes: &[u8], what: &str) {
    match session.get(address) {
        Err(BlobError::Damaged(named)) => assert_eq!(named, address, "{what}"),
        other => panic!("{what}: {:?}", other.map(|bytes| bytes.len())),
    }
    let (streamed, result) = session.stream_out(address);
    assert!(matches!(result, Err(BlobError::Damaged(named)) if named == address), "{what}: {result:?}");
    assert!(streamed.len() < bytes.len().max(1) && bytes.starts_with(&streamed), "{what}: wrong bytes came out");
}

#[test]
fn a_changed_file_is_refused() {
    let session = Session::new();
    let bytes = sample(4 * CHUNK + 100);
    let address = session.put(&bytes);
    let file = fs::read(session.file(address)).unwrap();
    let chunk = |number: usize| BODY + number * SEALED..file.len().min(BODY + (number + 1) * SEALED);
    let joined = |numbers: &[usize]| {
        let mut changed = file[..BODY].to_vec();
        numbers.iter().for_each(|number| changed.extend_from_slice(&file[chunk(*number)]));
        changed
    };
    assert!(joined(&[0, 1, 2, 3, 4]) == file);
    let mut cases = vec![
        ("swapped chunks", joined(&[0, 2, 1, 3, 4])),
        ("a doubled chunk", joined(&[0, 1, 1, 3, 4])),
        ("a dropped chunk", joined(&[0, 1, 3, 4])),
        ("the first dropped", joined(&[1, 2, 3, 4])),
        ("cut at a chunk's end", joined(&[0, 1, 2, 3])),
        ("a chunk appended", joined(&[0, 1, 2, 3, 4, 4])),
        ("a byte appended", [file.as_slice(), b"x"].concat()),
        ("cut within a chunk", file[..BODY + SEALED + 77].to_vec()),
        ("cut within the last", file[..file.len() - 1].to_vec()),
        ("cut within the header", file[..BODY - 1].to_vec()),
        ("no chunk", file[..BODY].to_vec()),
        ("empty", Vec::new()),
        ("zeros, as a power cut leaves them", vec![0; file.len()]),
    ];
    // Without the format's number: another one is another error.
    for at in (0..4).chain(5..BODY).chain([BODY, BODY + SEALED - 1, BODY + 2 * SEALED + 9, file.len() - 1]) {
        let mut changed = file.clone();
        changed[at] ^= 0x10;
        cases.push(("a flipped bit", changed));
    }
    // The lengths agree here, so the last chunk's own mark has to tell.
    for (what, length, numbers) in [
        ("cut, and the length with it", 4 * CHUNK, [0, 1, 2, 3].as_slice()),
        ("lengthened, and the length with it", 5 * CHUNK + 100, &[0, 1, 2, 3, 3, 4]),
    ] {
        let mut changed = joined(numbers);
        changed[24..32].copy_from_slice(&(length as u64).to_be_bytes());
        cases.push((what, changed));
    }
    for (what, changed) in cases {
        fs::write(session.file(address), changed).unwrap();
        refused(&session, address, &bytes, what);
    }
    fs::write(session.file(address), file).unwrap();
    assert!(session.get(address).unwrap() == bytes, "the file as it was opens");
}

#[test]
fn a_file_in_the_place_of_another_is_refused_before_its_first_byte() {
    let session = Session::new();
    let (bytes, other) = (sample(2 * CHUNK), vec![1; 2 * CHUNK]);
    let (address, taken) = (session.put(&bytes), session.put(&other));
    let (own, foreign) = (fs::read(session.file(address)).unwrap(), fs::read(session.file(taken)).unwrap());
    fs::write(session.file(address), &foreign).unwrap();
    refused(&session, address, &bytes, "another blob's file");
    assert!(session.stream_out(address).0.is_empty());
    let mixed = [&own[..BODY + SEALED], &foreign[BODY + SEALED..]].concat();
    fs::write(session.file(address), mixed).unwrap();
    refused(&session, address, &bytes, "another blob's chunk");
    assert_eq!(session.stream_out(address).0.len(), CHUNK, "the first chunk is true");
    fs::write(session.file(address), own).unwrap();

    let stranger = Session { key: dispatch_events::keys::SessionKey::new([8; 32].into()), ..Session::new() };
    fs::create_dir(stranger.space()).unwrap();
    fs::copy(session.file(address), stranger.file(address)).unwrap();
    refused(&stranger, address, &bytes, "another session's file");
}

#[test]
fn the_format_of_another_build_is_named() {
    let session = Session::new();
    let address = session.put(b"text");
    let mut file = fs::read(session.file(address)).unwrap();
    file[4] = 9;
    fs::write(session.file(address), file).unwrap();
    assert!(matches!(session.get(address), Err(BlobError::Format(named, 9)) if named == address));
}
