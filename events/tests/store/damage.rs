//! A damaged `db` file: refused, or an error where it is read. Never a panic out of the crate, never another record in
//! a record's place.

use crate::subject::{Sled, Subject, Writer, everything, sized, small};
use dispatch_events::{
    Position, StreamId, Version,
    envelope::Header,
    store::{EventStore, Store, sled::SledEngine},
};
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

struct Original {
    subject: Sled,
    records: Vec<Vec<u8>>,
    streams: Vec<StreamId>,
    db: Vec<u8>,
}

async fn original() -> Original {
    let subject = Sled::new();
    let log = subject.log();
    let mut writers: Vec<_> = (0..5).map(|_| Writer::new(&log)).collect();
    for round in 0..150 {
        writers[round % 5].write(vec![small(), sized(round * 40)]).await;
    }
    let streams = writers.iter().map(Writer::stream).collect();
    let records = everything(&**log.store());
    drop(log);
    let db = fs::read(subject.folder().join("db")).unwrap();
    Original { subject, records, streams, db }
}

#[derive(Debug, PartialEq)]
enum Found {
    /// The log was not opened.
    Refused,
    /// It was opened, and some reads said that it is damaged.
    Errors,
    /// Everything was there: the damage lay in unused space.
    Whole,
    /// It ended earlier: the records at its end were cut off.
    Shorter,
}

impl Original {
    /// Opens a copy with other bytes in `db`, and reads all of it in every way.
    fn look(&self, db: &[u8], what: &str) -> Found {
        let copy = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(self.subject.folder()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
            }
        }
        fs::write(copy.path().join("db"), db).unwrap();
        catch_unwind(AssertUnwindSafe(|| self.read(copy.path(), what)))
            .unwrap_or_else(|_| panic!("{what}: a panic came out of the crate"))
    }

    fn read(&self, folder: &Path, what: &str) -> Found {
        let Ok(engine) = SledEngine::open(folder) else { return Found::Refused };
        let Ok(store) = Store::start(engine) else { return Found::Refused };
        let (mut errors, mut seen) = (0, 0);
        for position in (1..=self.records.len() as u64).step_by(10) {
            match store.read_all(Position(position), 10) {
                Err(_) => errors += 1,
                Ok(page) => seen += self.compare(&page, what, &mut errors),
            }
        }
        for stream in &self.streams {
            let _ = store.head(*stream).inspect_err(|_| errors += 1);
            for page in
                [store.read_stream(*stream, Version(1), 1000), store.read_stream_back(*stream, Version(60), 1000)]
            {
                match page {
                    Err(_) => errors += 1,
                    Ok(page) => {
                        self.compare(&page, what, &mut errors);
                    }
                }
            }
        }
        match (errors, seen == self.records.len()) {
            (0, true) => Found::Whole,
            (0, false) => Found::Shorter,
            _ => Found::Errors,
        }
    }

    /// Every record that is whole is the one that was written at its position.
    fn compare(&self, page: &[Vec<u8>], what: &str, errors: &mut usize) -> usize {
        let mut seen = 0;
        for record in page {
            match Header::parse(record) {
                Err(_) => *errors += 1,
                Ok((header, _)) => {
                    assert!(self.records[header.position.0 as usize - 1] == *record, "{what}: wrong data");
                    seen += 1;
                }
            }
        }
        seen
    }
}

#[tokio::test]
async fn one_flipped_bit() {
    let original = original().await;
    assert_eq!(original.look(&original.db, "nothing"), Found::Whole);
    let used = original.db.iter().rposition(|byte| *byte != 0).unwrap();
    let mut loud = 0;
    for step in 0..40 {
        let at = used * (2 * step + 1) / 80;
        let mut db = original.db.clone();
        db[at] ^= 1 << (step % 8);
        let found = original.look(&db, &format!("bit {} of byte {at}", step % 8));
        assert_ne!(found, Found::Shorter, "byte {at}: damage gave a shorter log without a word");
        loud += usize::from(found != Found::Whole);
    }
    assert!(loud >= 10, "only {loud} of 40 flips hit anything: the test is too weak");
}

#[tokio::test]
async fn a_truncated_file() {
    let original = original().await;
    let used = original.db.iter().rposition(|byte| *byte != 0).unwrap();
    for length in [0, 1, 100, used / 4, used / 2, used * 3 / 4, used * 9 / 10] {
        let found = original.look(&original.db[..length], &format!("{length} of {used} bytes"));
        assert!(matches!(found, Found::Refused | Found::Errors), "{length} of {used} bytes: {found:?}");
    }
}

/// Without the witness sled's silence would be ours: this is what it is for.
#[tokio::test]
async fn a_log_that_lost_its_end_says_where_it_should_be() {
    let original = original().await;
    let folder = original.subject.folder();
    fs::write(folder.join("db"), &original.db[..original.db.len() / 2]).unwrap();
    for snapshot in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if snapshot.file_name().unwrap().to_string_lossy().starts_with("snap.") {
            fs::remove_file(snapshot).unwrap();
        }
    }
    let refused = SledEngine::open(&folder).err().unwrap().to_string();
    assert!(refused.contains("position 300 had been acknowledged") || refused.contains("sled"), "{refused}");
    // A witness that is itself damaged stops nobody.
    fs::write(folder.join("db"), &original.db).unwrap();
    fs::write(folder.join("end"), b"DEND").unwrap();
    assert_eq!(everything(&original.subject.store()).len(), 300);
}
