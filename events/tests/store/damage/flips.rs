//! Flipped bits and truncated files.

use super::{Case, Files, Found};
use dispatch_events::{Digest, store::EngineKind};

const SEED: u64 = 20_261_130;

/// A number below `limit` that follows from the seed alone.
fn chosen(number: u64, limit: usize) -> usize {
    let digest = Digest::of_pieces([SEED.to_be_bytes().as_slice(), &number.to_be_bytes()]);
    let number = u64::from_be_bytes(digest.0[..8].try_into().unwrap());
    (number % limit as u64) as usize
}

/// A file and a byte of it, each byte of all files as likely as any other; every fourth time each file is.
fn place(files: &Files, number: u64) -> (&str, usize) {
    let used = files.used();
    if number % 4 == 3 {
        let (name, length) = used[number as usize / 4 % used.len()];
        return (name, chosen(number, length));
    }
    let mut at = chosen(number, used.iter().map(|(_, length)| length).sum());
    for (name, length) in used {
        if at < length {
            return (name, at);
        }
        at -= length;
    }
    unreachable!("the place lies within the sum of the lengths")
}

#[tokio::test]
async fn one_flipped_bit() {
    let flips: u64 = std::env::var("DISPATCH_FLIPS").map_or(30, |flips| flips.parse().unwrap());
    for engine in EngineKind::ALL {
        let case = Case::new(*engine).await;
        let mut loud = 0;
        for number in 0..flips {
            let (state, files) = case.states()[number as usize % 2];
            let (name, at) = place(files, number);
            let bit = number % 8;
            let mut bytes = files.0[name].clone();
            bytes[at] ^= 1 << bit;
            let what = format!("seed {SEED}, flip {number}: bit {bit} of byte {at} of `{name}` of the {state} log");
            loud += u64::from(case.look(&files.with(name, &bytes), &what) != Found::Whole);
        }
        println!("{engine}: {loud} of {flips} flipped bits were noticed, the others lay where nothing is kept");
        assert!(loud * 4 >= flips, "{engine}: only {loud} of {flips} flips hit anything: the test is too weak");
    }
}

#[tokio::test]
async fn a_truncated_file() {
    for engine in EngineKind::ALL {
        let case = Case::new(*engine).await;
        for (state, files) in case.states() {
            let mut loud = 0;
            for (name, used) in files.used() {
                for length in [0, 1, used / 4, used / 2, used - 1 - used / 10, used - 1] {
                    let what = format!("`{name}` of the {state} log cut to {length} of {used} bytes");
                    loud += u32::from(case.look(&files.with(name, &files.0[name][..length]), &what) != Found::Whole);
                }
            }
            assert!(loud >= 5, "{engine}, {state}: only {loud} cuts were noticed: the test is too weak");
        }
    }
}
