//! Each kind of damage has its name, and no other stream gets it.

use crate::{
    folder::Folder,
    subject::{Writer, block_on, draft},
};
use dispatch_events::{
    Event, Log, StreamId,
    catalogue::{
        input::Principal,
        session::{SessionEraseRequested, SessionErased},
    },
    envelope::Header,
    log::Tip,
    store::EngineKind,
    verify::{ProblemKind, Report, Verdict, verify},
};

/// The one stream that is not intact, and what the whole log is called.
fn only(report: &Report, stream: StreamId, verdict: Verdict, whole: Verdict) {
    let found: Vec<_> = report.not_intact.iter().map(|it| (it.stream, it.verdict)).collect();
    assert_eq!(found, [(stream, verdict)], "{report:?}");
    assert_eq!((report.verdict(), report.verdicts.intact), (whole, 3), "{report:?}");
}

fn kinds(report: &Report) -> Vec<ProblemKind> {
    let mut kinds: Vec<_> = report.problems.iter().map(|problem| problem.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn missing_unreadable_and_edited_are_told_apart() {
    type Damage = fn(&Folder) -> StreamId;
    let damages: [(&str, Damage, Verdict); 7] = [
        ("a tail", |it| (it.remove(it.one, 9), it.one).1, Verdict::MissingTail),
        ("a tail of one append", |it| (it.remove(it.two, 8), it.two).1, Verdict::MissingTail),
        ("a stream of one append", |it| (it.remove(it.short, 1), it.short).1, Verdict::MissingStream),
        ("a stream", |it| (it.remove(it.two, 1), it.two).1, Verdict::MissingStream),
        ("a flipped bit", |it| (it.change(it.two, 4, |bytes| bytes[250] ^= 4), it.two).1, Verdict::Unreadable),
        ("a whole stream garbled", |it| (it.change(it.short, 1, garble), it.short).1, Verdict::Unreadable),
        ("a forged record", |it| (it.forge(it.two, 4), it.two).1, Verdict::Edited),
    ];
    for engine in EngineKind::ALL {
        for (name, damage, verdict) in damages {
            let folder = Folder::new(*engine);
            let stream = damage(&folder);
            let report = verify(&folder.log()).unwrap();
            assert!(!report.is_sound(), "{engine}, {name}");
            named(&report, || only(&report, stream, verdict, verdict), &format!("{engine}, {name}"));
            assert!(report.checkpoint().is_none());
        }
    }
}

/// Every record of an append.
#[expect(clippy::ptr_arg, reason = "it is one of several that change bytes, and others change the length")]
fn garble(bytes: &mut Vec<u8>) {
    let first = Header::record_len(bytes).unwrap();
    bytes[250] ^= 1;
    bytes[first + 250] ^= 1;
}

fn named(report: &Report, check: impl FnOnce(), what: &str) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err() {
        panic!("{what}: {report:?}");
    }
}

#[test]
fn an_index_that_lost_a_row_is_no_damage_of_the_records() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let stream = folder.short;
        match engine {
            EngineKind::Sqlite => {
                let gone = "UPDATE ids SET crc = 0 WHERE value IN (x'0000000000000006', x'0000000000000007')";
                assert_eq!(folder.sqlite().execute(gone, []).unwrap(), 2);
            }
            EngineKind::Sled => {
                drop(folder.sled().open_tree("heads").unwrap().remove(stream.bytes()).unwrap().unwrap())
            }
        }
        let report = verify(&folder.log()).unwrap();
        assert_eq!(kinds(&report), [ProblemKind::Index], "{report:?}");
        only(&report, stream, Verdict::Index, Verdict::Index);
    }
}

fn request(log: &Log, stream: StreamId) -> Writer<'_> {
    let mut writer = Writer { log, tip: log.tip(stream).unwrap().unwrap() };
    let by = Principal { adapter: "cli".into(), subject: "somebody".into() };
    block_on(writer.write(vec![SessionEraseRequested { name: "short".into(), route: None, by }.into()]));
    writer
}

#[test]
fn an_erasure_is_no_damage_and_a_half_done_one_is_named() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let stream = folder.short;
        let log = folder.log();
        let mut writer = request(&log, stream);
        log.keys().destroy(writer.tip.key).unwrap();
        let report = verify(&log).unwrap();
        assert!(report.is_sound() && report.erased == 3, "{report:?}");
        only(&report, stream, Verdict::HalfErased, Verdict::Intact);

        writer.tip = Tip { key: log.keys().take().unwrap(), ..writer.tip };
        let erased: Event = SessionErased { events: 3, after_restart: false }.into();
        block_on(log.append(writer.tip, vec![draft(erased)])).unwrap();
        let report = verify(&log).unwrap();
        assert!(report.is_sound() && report.verdicts.erased == 1, "{report:?}");
        only(&report, stream, Verdict::Erased, Verdict::Intact);
        drop(log);

        // Without any key the erased one is still erased; what nobody can read is called so.
        std::fs::read_dir(folder.data.path().join("keys"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|it| it == "keys"))
            .for_each(|slab| std::fs::remove_file(slab).unwrap());
        let report = verify(&folder.log()).unwrap();
        assert!(report.is_sound() && report.verdict() == Verdict::Unreadable, "{report:?}");
        assert_eq!((report.verdicts.erased, report.verdicts.unreadable), (1, 3), "{report:?}");
    }
}

/// An erasure whose key came back, for example with an old backup of the keys.
#[test]
fn an_erased_session_whose_key_is_here_is_half_erased() {
    let folder = Folder::new(EngineKind::Sqlite);
    let log = folder.log();
    let writer = request(&log, folder.short);
    let erased: Event = SessionErased { events: 3, after_restart: false }.into();
    let tip = Tip { key: log.keys().take().unwrap(), ..writer.tip };
    block_on(log.append(tip, vec![draft(erased)])).unwrap();
    only(&verify(&log).unwrap(), folder.short, Verdict::HalfErased, Verdict::Intact);
}
