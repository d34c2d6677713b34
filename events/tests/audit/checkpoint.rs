//! A check that goes on where the last one ended.

use crate::{
    folder::Folder,
    subject::{Writer, block_on, small},
};
use dispatch_events::{
    Digest, Position, StreamId, Timestamp,
    store::EngineKind,
    verify::{Checkpoint, CheckpointError, ProblemKind, Report, verify, verify_since},
};
use std::fs;

fn grow(folder: &Folder, streams: &[StreamId]) {
    let log = folder.log();
    for stream in streams {
        let mut writer = Writer { log: &log, tip: log.tip(*stream).unwrap().unwrap() };
        block_on(writer.write(vec![small(), small()]));
    }
    block_on(Writer::new(&log).write(vec![small()]));
}

fn checked(folder: &Folder) -> Checkpoint {
    verify(&folder.log()).unwrap().checkpoint().unwrap()
}

fn kinds(report: &Report) -> Vec<ProblemKind> {
    report.problems.iter().map(|problem| problem.kind).collect()
}

#[test]
fn only_what_came_after_is_read() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let before = checked(&folder);
        before.keep(folder.data.path(), Timestamp(0)).unwrap();
        grow(&folder, &[folder.one, folder.short]);
        let kept = Checkpoint::kept(folder.data.path()).unwrap();
        assert_eq!(kept, Some(before));
        let log = folder.log();
        let (since, full) = (verify_since(&log, before).unwrap(), verify(&log).unwrap());
        assert!(since.is_sound() && full.is_sound(), "{since:?}");
        assert_eq!((since.events, since.streams, since.since), (5, 3, before.position));
        assert_eq!(since.checkpoint(), full.checkpoint());
        assert_eq!((since.verdicts.intact, full.verdicts.intact), (3, 5));
        // Nothing new.
        let again = verify_since(&log, full.checkpoint().unwrap()).unwrap();
        assert_eq!((again.is_sound(), again.events, again.checkpoint()), (true, 0, full.checkpoint()));
    }
}

#[test]
fn a_log_that_is_not_the_one_that_was_checked_is_said_so() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let good = checked(&folder);
        let other = Checkpoint { log_hash: Digest::of(b"another"), ..good };
        let report = verify_since(&folder.log(), other).unwrap();
        assert_eq!((kinds(&report), report.events), (vec![ProblemKind::Edited], 0));
        assert!(report.problems[0].what.contains("verify in full"), "{report:?}");
        let longer = Checkpoint { position: Position(good.position.0 + 1), ..good };
        assert_eq!(kinds(&verify_since(&folder.log(), longer).unwrap()), [ProblemKind::MissingTail]);
        // Not at the end of an append: nothing says what the chain was there.
        let inside = Checkpoint { position: Position(1), ..good };
        assert_eq!(kinds(&verify_since(&folder.log(), inside).unwrap()), [ProblemKind::Edited]);
    }
}

/// What lies before is read where a new event hangs on it, and nowhere else.
#[test]
fn the_first_new_event_of_a_stream_is_linked_to_the_one_before_it() {
    for engine in EngineKind::ALL {
        let folder = Folder::new(*engine);
        let before = checked(&folder);
        grow(&folder, &[folder.two, folder.last]);
        let end = verify_since(&folder.log(), before).unwrap();
        assert!(end.is_sound(), "{end:?}");
        // Opening looks at the last appends, so they are not among the last any more.
        grow(&folder, &[folder.last; 70]);
        folder.forge(folder.two, 4);
        assert!(verify_since(&folder.log(), before).unwrap().is_sound(), "an older record is taken as it was found");
        assert!(!verify(&folder.log()).unwrap().is_sound());
        folder.forge(folder.two, 8);
        let report = verify_since(&folder.log(), before).unwrap();
        assert_eq!(kinds(&report), [ProblemKind::Edited], "{report:?}");
        assert_eq!(report.problems[0].stream, Some(folder.two));
    }
}

#[test]
fn a_note_that_is_foreign_is_refused_and_can_be_removed() {
    let data = tempfile::tempdir().unwrap();
    assert!(Checkpoint::kept(data.path()).unwrap().is_none());
    fs::create_dir(data.path().join("audit")).unwrap();
    for text in
        ["", "{}", r#"{"format":2,"position":1,"log_hash":"","checked_at":""}"#, "{\"format\":1,\"position\":1}"]
    {
        fs::write(data.path().join("audit/verified"), text).unwrap();
        let refused = Checkpoint::kept(data.path()).unwrap_err();
        assert!(matches!(refused, CheckpointError::Foreign { .. }), "{text}: {refused}");
    }
}
