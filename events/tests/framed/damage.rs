//! A file that is not what was written is never opened.

use crate::written::{Written, open};
use dispatch_events::{
    framed::{FramedError, MAGIC, keys_beside},
    store::EngineKind,
};
use std::path::Path;

fn refused(path: &Path, what: &str) -> FramedError {
    match open(path) {
        Ok(_) => panic!("{what} was opened"),
        Err(error) => error,
    }
}

#[test]
fn every_flipped_bit_is_named() {
    let written = Written::new(EngineKind::Sqlite);
    let path = written.export(false);
    let whole = std::fs::read(&path).unwrap();
    // Every byte of the smaller frames, and each hundredth of the rest.
    for at in (0..whole.len()).filter(|at| *at < 700 || *at > whole.len() - 200 || at % 30_011 == 0) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, flipped).unwrap();
        match refused(&path, &format!("a flip at byte {at}")) {
            FramedError::Foreign { .. } => assert!(at < MAGIC.len(), "{at}"),
            FramedError::Damaged { byte, .. } => assert!(byte <= at as u64, "a flip at byte {at} is named at {byte}"),
            other => panic!("a flip at byte {at}: {other}"),
        }
    }
}

#[test]
fn every_cut_is_named() {
    let written = Written::new(EngineKind::Sqlite);
    let path = written.export(false);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).filter(|at| *at < 200 || *at > whole.len() - 200 || at % 30_013 == 0) {
        std::fs::write(&path, &whole[..length]).unwrap();
        match refused(&path, &format!("a file cut to {length} bytes")) {
            FramedError::Foreign { .. } => assert!(length < MAGIC.len(), "{length}"),
            FramedError::Damaged { byte, .. } => assert!(byte <= length as u64),
            other => panic!("cut to {length}: {other}"),
        }
    }
    let mut longer = whole.clone();
    longer.push(0);
    std::fs::write(&path, longer).unwrap();
    assert!(refused(&path, "a longer file").to_string().contains("follow the trailer"));
    std::fs::write(&path, &whole).unwrap();
    open(&path).unwrap();
}

/// Where each frame of a file begins, and where the last one ends.
fn frames(whole: &[u8]) -> Vec<usize> {
    let mut at = MAGIC.len();
    let mut frames = vec![at];
    while at < whole.len() {
        at += 9 + u32::from_be_bytes(whole[at + 1..at + 5].try_into().unwrap()) as usize;
        frames.push(at);
    }
    frames
}

/// Each frame is whole in itself: what is wrong is where it stands.
#[test]
fn frames_that_are_missing_twice_or_swapped_are_named() {
    let written = Written::new(EngineKind::Sqlite);
    let path = written.export(false);
    let whole = std::fs::read(&path).unwrap();
    let starts = frames(&whole);
    assert_eq!(starts.len() - 1, 1 + 9 + 4 + 1, "header, appends, pieces of blobs, trailer");
    let frame = |number: usize| &whole[starts[number]..starts[number + 1]];
    for number in 0..starts.len() - 1 {
        let without = [&whole[..starts[number]], &whole[starts[number + 1]..]].concat();
        std::fs::write(&path, without).unwrap();
        refused(&path, &format!("a file without frame {number}"));
        let twice = [&whole[..starts[number + 1]], &whole[starts[number]..]].concat();
        std::fs::write(&path, twice).unwrap();
        refused(&path, &format!("a file with frame {number} twice"));
    }
    let swapped = [&whole[..starts[2]], frame(3), frame(2), &whole[starts[4]..]].concat();
    std::fs::write(&path, swapped).unwrap();
    let named = refused(&path, "a file with two frames swapped").to_string();
    assert!(named.contains(&format!("byte {}, behind position 2", starts[2])), "{named}");
    // Two blobs may stand in either order: only the digest of the whole file knows which it was.
    let swapped = [&whole[..starts[10]], frame(11), frame(10), &whole[starts[12]..]].concat();
    std::fs::write(&path, swapped).unwrap();
    let named = refused(&path, "a file with two blobs swapped").to_string();
    assert!(named.contains("digest"), "{named}");
}

#[test]
fn a_damaged_key_file_is_named() {
    let written = Written::new(EngineKind::Sqlite);
    let path = written.export(true);
    let beside = keys_beside(&path);
    let whole = std::fs::read(&beside).unwrap();
    for at in (0..whole.len()).filter(|at| *at < 100 || *at > whole.len() - 100 || at % 13 == 0) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&beside, flipped).unwrap();
        assert!(matches!(refused(&path, &format!("a key file with a flip at byte {at}")), FramedError::Key(_)));
    }
    std::fs::write(&beside, &whole[..whole.len() - 1]).unwrap();
    refused(&path, "a cut key file");
}
