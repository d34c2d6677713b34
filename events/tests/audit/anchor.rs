//! Anchors: made, believed, refused, and what they show.

use crate::{
    folder::Folder,
    subject::{Writer, block_on, draft, small},
};
use dispatch_events::{
    Epoch, Log, Position, SystemClock,
    anchor::{Anchor, AnchorError, AnchorKey, HEADS_LISTED},
    framed::export,
    log::Tip,
    store::EngineKind,
    verify::{ProblemKind, Verdict, verify},
};
use std::{collections::HashMap, fs, sync::Arc};

fn key(folder: &Folder) -> AnchorKey {
    AnchorKey::open_or_make(&folder.data.path().join("keys")).unwrap()
}

fn anchored(folder: &Folder) -> Anchor {
    let anchor = Anchor::make(&folder.log(), &key(folder), HEADS_LISTED).unwrap();
    let read = Anchor::from_json(&anchor.to_json()).unwrap();
    assert_eq!(read, anchor);
    read
}

#[test]
fn a_log_that_went_on_still_fits_its_anchor_and_so_does_its_export() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let anchor = anchored(&folder);
        let log = folder.log();
        let short = Anchor::make(&log, &key(&folder), 3).unwrap();
        assert_eq!((anchor.streams, anchor.heads.as_ref().map(Vec::len), &short.heads), (4, Some(4), &None));
        assert_eq!(short.heads_digest, anchor.heads_digest);
        let mut writer = Writer { log: &log, tip: log.tip(folder.two).unwrap().unwrap() };
        block_on(writer.write(vec![small()]));
        block_on(Writer::new(&log).write(vec![small()]));
        let public = key(&folder).public();
        let file = folder.data.path().join("export");
        export(&log, &file, true, |_, _| {}).unwrap();
        let copy = Log::open_file(&file, Arc::new(SystemClock)).unwrap();
        for (anchor, streams) in [(&anchor, 4), (&short, 0)] {
            anchor.verify(Some(&public)).unwrap();
            for log in [&log, &copy] {
                let report = anchor.check(&**log.store()).unwrap();
                assert!(report.is_sound() && report.streams == streams, "{report:?}");
            }
        }
        // Who is given the keys of a session can't sign.
        let keys = fs::read(folder.data.path().join("export.keys")).unwrap();
        let secret = fs::read(folder.data.path().join("keys/anchor")).unwrap();
        assert!(!keys.windows(32).any(|bytes| bytes == &secret[8..40]), "the signing key left with the export");
    }
}

#[test]
fn a_changed_anchor_and_another_key_are_refused() {
    let folder = Folder::new(EngineKind::Sqlite);
    let anchor = anchored(&folder);
    let public = key(&folder).public();
    let text = anchor.to_json();
    anchor.verify(None).unwrap();
    // Every field, and every digit of it that is a digit or a letter.
    let fields: HashMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(fields.len(), 10);
    let mut changed = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if byte == b'1' { b'2' } else { b'1' };
        let Ok(other) = Anchor::from_json(std::str::from_utf8(&bytes).unwrap()) else { continue };
        assert!(other.verify(Some(&public)).is_err(), "byte {at} of {text}");
        assert!(other.verify(None).is_err(), "byte {at} of {text}");
        changed += 1;
    }
    assert!(changed > 700, "{changed}");
    let mut reordered = anchor.clone();
    reordered.heads.as_mut().unwrap().swap(0, 1);
    assert!(matches!(reordered.verify(None), Err(AnchorError::Changed(_))));
    let more = text.replacen('{', "{\"note\": 1,", 1);
    assert!(matches!(Anchor::from_json(&more), Err(AnchorError::Foreign(_))));

    let forger = Folder::new(EngineKind::Sqlite);
    let forged = Anchor::make(&folder.log(), &key(&forger), HEADS_LISTED).unwrap();
    forged.verify(None).unwrap();
    assert!(matches!(forged.verify(Some(&public)), Err(AnchorError::WrongKey { .. })));
    let claimed = Anchor { public_key: public, ..forged };
    assert!(matches!(claimed.verify(Some(&public)), Err(AnchorError::Changed(_))));
}

/// The same events in the same streams, all but one: by who holds the folder with its keys. Everything is recomputed.
fn rewritten(folder: &Folder, gone: Option<Position>) -> Folder {
    let data = tempfile::tempdir().unwrap();
    for sub in ["keys", "blobs"] {
        fs::create_dir(data.path().join(sub)).unwrap();
        for entry in fs::read_dir(folder.data.path().join(sub)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), data.path().join(sub).join(entry.file_name())).unwrap();
            }
        }
    }
    let (from, to) = (folder.log(), Log::open(data.path(), folder.engine, Arc::new(SystemClock)).unwrap());
    let to = to.in_epoch(Epoch(0));
    let mut tips = HashMap::new();
    for recorded in from.read_all(Position(1), 500).unwrap() {
        if Some(recorded.position) == gone {
            continue;
        }
        let tip = tips.entry(recorded.stream).or_insert(Tip {
            stream: recorded.stream,
            version: Default::default(),
            key: recorded.key,
        });
        let draft = draft(recorded.event().unwrap().clone());
        tip.version = block_on(to.append(*tip, vec![draft])).unwrap().events[0].version;
    }
    drop((from, to));
    let Folder { engine, one, two, short, last, .. } = *folder;
    Folder { data, engine, one, two, short, last }
}

#[test]
fn a_log_that_was_made_anew_is_caught_by_an_anchor_alone() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let anchors = [anchored(&folder), Anchor::make(&folder.log(), &key(&folder), 0).unwrap()];
        let forged = rewritten(&folder, None);
        let report = verify(&forged.log()).unwrap();
        assert!(report.is_sound() && report.verdicts.intact == 4, "nothing in it says so: {report:?}");
        for anchor in &anchors {
            let report = anchor.check(&**forged.log().store()).unwrap();
            assert_eq!(report.verdict(), Verdict::Edited, "{report:?}");
        }
        // One event fewer, and the log is as long as before: somebody has appended since.
        let forged = rewritten(&folder, Some(Position(8)));
        block_on(Writer::new(&forged.log()).write(vec![small()]));
        assert!(verify(&forged.log()).unwrap().is_sound());
        let report = anchors[0].check(&**forged.log().store()).unwrap();
        assert!(report.problems.iter().any(|it| it.kind == ProblemKind::MissingTail), "{report:?}");
        assert_eq!(report.verdict(), Verdict::Edited, "{report:?}");
    }
}

#[test]
fn what_is_missing_is_named_as_what_it_is() {
    for engine in EngineKind::ALL {
        type Damage = fn(&Folder);
        type Hurt = fn(&Folder) -> dispatch_events::StreamId;
        let damages: [(Damage, Hurt, ProblemKind); 4] = [
            (|it| it.remove(it.one, 9), |it| it.one, ProblemKind::MissingTail),
            (|it| it.remove(it.short, 1), |it| it.short, ProblemKind::MissingStream),
            (|it| it.forge(it.two, 8), |it| it.two, ProblemKind::Edited),
            (|it| it.change(it.two, 8, |bytes| bytes[250] ^= 1), |it| it.two, ProblemKind::Unreadable),
        ];
        for (damage, stream, kind) in damages {
            let folder = Folder::new(*engine);
            let anchor = anchored(&folder);
            damage(&folder);
            let report = anchor.check(&**folder.log().store()).unwrap();
            let found: Vec<_> = report.problems.iter().map(|it| (it.kind, it.stream)).collect();
            assert_eq!(found, [(kind, Some(stream(&folder)))], "{engine}: {report:?}");
        }
        // A log from before the anchor.
        let folder = Folder::new(*engine);
        let older = rewritten(&folder, None);
        let log = folder.log();
        block_on(Writer::new(&log).write(vec![small()]));
        drop(log);
        let report = anchored(&folder).check(&**older.log().store()).unwrap();
        assert_eq!(report.problems[0].kind, ProblemKind::MissingTail, "{report:?}");
        assert!(report.problems.iter().any(|it| it.kind == ProblemKind::MissingStream), "{report:?}");
    }
}
