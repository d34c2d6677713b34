//! The check of a whole log finds each kind of damage, at its place, and nothing in a sound log.

use crate::subject::{Sled, Subject, Vault, Writer, met, opened, owed, renamed, sized, small};
use dispatch_events::{
    Log, ObligationId, Position, StreamId,
    envelope::Header,
    store::NameSecret,
    verify::{Problem, Report, Verdicts, verify, verify_with},
};
use std::sync::Arc;

struct Written {
    subject: Sled,
    vault: Vault,
    one: StreamId,
    two: StreamId,
}

impl Written {
    /// Two streams, by turns, with enough appends that the check at opening does not reach the first ones.
    async fn new() -> Self {
        let (subject, vault) = (Sled::new(), Vault::new());
        let log = vault.log(Arc::new(subject.store()));
        let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
        let ids = [ObligationId::fresh(), ObligationId::fresh()];
        one.write(vec![opened("one"), owed(ids[0])]).await; // 1, 2
        two.write(vec![opened("two"), renamed("two", "zwei"), owed(ids[1])]).await; // 3, 4, 5
        for _ in 0..40 {
            one.write(vec![small(), sized(9_000)]).await;
            two.write(vec![small()]).await;
        }
        one.write(vec![met(ids[0])]).await;
        let (one, two) = (one.stream(), two.stream());
        Self { subject, vault, one, two }
    }

    fn log(&self) -> Log {
        self.vault.log(Arc::new(self.subject.store()))
    }

    fn report(&self) -> Report {
        verify(&self.log()).unwrap()
    }

    /// Changes the rows of a tree behind the engine's back.
    fn change(&self, tree: &str, change: impl FnOnce(&sled::Tree)) {
        let db = crate::sled_engine::raw(&self.subject.folder());
        change(&db.open_tree(tree).unwrap());
        db.flush().unwrap();
    }

    /// Changes the record at a place in the first rows of a stream.
    fn change_record(&self, stream: StreamId, version: u64, change: impl FnOnce(&mut Vec<u8>)) {
        let mut key = [0; 26];
        key[..16].copy_from_slice(&stream.bytes());
        key[16..24].copy_from_slice(&version.to_be_bytes());
        self.change("frames", |frames| {
            let mut bytes = frames.get(key).unwrap().unwrap().to_vec();
            change(&mut bytes);
            frames.insert(key, bytes).unwrap();
        });
    }
}

fn places(report: &Report) -> Vec<(u64, Option<StreamId>)> {
    report.problems.iter().map(|Problem { position, stream, .. }| (position.0, *stream)).collect()
}

#[tokio::test]
async fn a_sound_log_has_no_problems() {
    let written = Written::new().await;
    let log = written.log();
    let mut pages = Vec::new();
    let report = verify_with(&log, |position| pages.push(position.0)).unwrap();
    let head = log.store().log_head();
    let expected = Report {
        events: 126,
        streams: 2,
        position: head.position,
        log_hash: head.hash,
        verdicts: Verdicts { intact: 2, ..Verdicts::default() },
        ..Report::default()
    };
    assert_eq!(report, expected);
    assert!(report.is_sound());
    assert_eq!(pages, [126]);
    let empty = Sled::new();
    assert_eq!(verify(&Vault::new().log(Arc::new(empty.store()))).unwrap(), Report::default());
}

#[tokio::test]
async fn payloads_that_cannot_be_read_are_counted_and_the_chain_still_holds() {
    let written = Written::new().await;
    let log = written.log();
    let key = log.tip(written.two).unwrap().unwrap().key;
    log.keys().destroy(key).unwrap();
    let report = verify(&log).unwrap();
    assert_eq!((report.erased, report.unreadable, report.is_sound()), (43, 0, true));
    drop(log);
    let stranger = Vault::new().log(Arc::new(written.subject.store()));
    let report = verify(&stranger).unwrap();
    assert_eq!((report.erased, report.unreadable, report.is_sound()), (0, 126, true));
}

#[tokio::test]
async fn a_flipped_bit_is_named_once() {
    let written = Written::new().await;
    // In the payload of the first record, and in its version field.
    written.change_record(written.one, 1, |bytes| bytes[250] ^= 4);
    let report = written.report();
    assert_eq!(places(&report), [(1, Some(written.one))]);
    assert!(report.problems[0].what.contains("checksum"), "{report:?}");
    assert_eq!(report.events, 125);
    written.change_record(written.two, 1, |bytes| bytes[47] ^= 4);
    let report = written.report();
    assert_eq!(places(&report), [(1, Some(written.one)), (3, Some(written.two))], "{report:?}");
}

/// Somebody who knows the format writes a record that is whole in itself: the chains show it.
#[tokio::test]
async fn a_forged_record_breaks_the_chains() {
    let written = Written::new().await;
    written.change_record(written.two, 1, |bytes| {
        let (header, payload) = Header::parse(bytes).unwrap();
        let length = 242 + payload.len();
        let (place, before) = (header.position, header.prev_hash);
        let forged = Header { epoch: dispatch_events::Epoch(77), ..header.clone() }.writer_bytes();
        let payload = payload.to_vec();
        let mut record = Vec::new();
        dispatch_events::envelope::write_record(&mut record, &forged, &payload, before, place);
        bytes.splice(..length, record);
    });
    let report = written.report();
    assert_eq!(places(&report), [(4, Some(written.two)), (5, Some(written.two))]);
    assert!(report.problems[0].what.contains("chain of its stream"), "{report:?}");
    assert!(report.problems[1].what.contains("log's own chain"), "{report:?}");
    assert_eq!(report.unreadable, 1, "and it does not open");
}

#[tokio::test]
async fn missing_rows_are_named() {
    let written = Written::new().await;
    written.change("positions", |positions| drop(positions.remove(3_u64.to_be_bytes()).unwrap()));
    assert_eq!(places(&written.report())[..3], [(3, None), (4, None), (5, None)]);

    let written = Written::new().await;
    let log = written.log();
    let id = log.read_all(Position(4), 1).unwrap()[0].id;
    drop(log);
    written.change("ids", |ids| drop(ids.remove(id.bytes()).unwrap()));
    assert_eq!(places(&written.report()), [(4, Some(written.two))]);

    let written = Written::new().await;
    written.change("names", |names| drop(names.remove(NameSecret::new([7; 32]).key("zwei").0).unwrap()));
    let report = written.report();
    assert!(matches!(&report.problems[..], [problem] if problem.what.contains("names")), "{report:?}");

    let written = Written::new().await;
    written.change("open", |open| drop(open.remove(written.two.bytes()).unwrap()));
    let report = written.report();
    assert!(matches!(&report.problems[..], [problem] if problem.what.contains("open")), "{report:?}");
}

#[tokio::test]
async fn a_log_that_grows_meanwhile_is_still_sound() {
    let written = Written::new().await;
    let log = written.log();
    let key = log.tip(written.one).unwrap().unwrap();
    let mut grown = false;
    let report = verify_with(&log, |_| {
        if !std::mem::replace(&mut grown, true) {
            let mut late = Writer { log: &log, tip: key };
            std::thread::scope(|scope| {
                scope.spawn(|| crate::subject::block_on(late.write(vec![owed(ObligationId::fresh())]))).join().unwrap()
            });
        }
    })
    .unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.events, 126);
}
