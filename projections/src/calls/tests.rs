use super::CallEnd;
use crate::table::*;
use dispatch_events::{
    Digest, Event, Version,
    catalogue::model::{ModelFailed, PrefixDiverged},
};

fn diverged(at: u32, cause: &str) -> Event {
    let (expected, actual) = (Digest::default(), Digest::default());
    PrefixDiverged { turn: turn(1), at, expected, actual, cause: cause.into() }.into()
}

/// Whether the last request extends the one before it, where it differs, why, and the fragments after it.
type Seen<'a> = (bool, Option<u32>, Option<&'a str>, Vec<&'a str>);

#[test]
fn each_request_against_the_one_before() {
    let first = requested(1, 1, "h", 0, &["a", "b", "c"]);
    #[rustfmt::skip]
    let table: Vec<(&str, Vec<Event>, Seen<'_>)> = vec![
        ("the first",              vec![], (true, None, None, vec!["a", "b", "c"])),
        ("the same again",         vec![requested(1, 2, "h", 3, &[])], (true, None, None, vec!["a", "b", "c"])),
        ("two more",               vec![requested(1, 2, "h", 3, &["d", "e"])], (true, None, None, vec!["a", "b", "c", "d", "e"])),
        ("message 1 differs",      vec![requested(1, 2, "h", 0, &["x"])], (false, Some(1), Some("unknown"), vec!["x"])),
        ("message 3 differs",      vec![requested(1, 2, "h", 2, &["x", "d"])], (false, Some(3), Some("unknown"), vec!["a", "b", "x", "d"])),
        ("shorter",                vec![requested(1, 2, "h", 2, &[])], (false, Some(3), Some("unknown"), vec!["a", "b"])),
        ("the head differs",       vec![requested(1, 2, "k", 3, &["d"])], (false, Some(0), Some("unknown"), vec!["a", "b", "c", "d"])),
        ("with a cause",           vec![diverged(3, "compaction"), requested(1, 2, "h", 2, &["x"])],
                                   (false, Some(3), Some("compaction"), vec!["a", "b", "x"])),
        ("a cause without effect", vec![diverged(3, "compaction"), requested(1, 2, "h", 3, &["d"])],
                                   (true, None, None, vec!["a", "b", "c", "d"])),
        ("a cause is used once",   vec![diverged(1, "rewind"), requested(1, 2, "h", 0, &["x"]), requested(1, 3, "h", 0, &["y"])],
                                   (false, Some(1), Some("unknown"), vec!["y"])),
        ("extends again after",    vec![requested(1, 2, "h", 2, &["x"]), requested(1, 3, "h", 3, &["d"])],
                                   (true, None, None, vec!["a", "b", "x", "d"])),
    ];
    for (name, events, (extends, at, cause, fragments)) in table {
        let calls = given(all([vec![first.clone()], events])).calls;
        let last = calls.requests().last().unwrap();
        assert_eq!((last.extends_previous, last.diverged_at, last.cause.as_deref()), (extends, at, cause), "{name}");
        let digests: Vec<_> = fragments.iter().map(|name| Digest::of(name.as_bytes())).collect();
        assert_eq!(calls.fragments(), digests, "{name}");
        assert_eq!(calls.head(), Some(last.head), "{name}");
        assert_eq!(last.messages as usize, fragments.len(), "{name}");
    }
}

#[test]
fn an_end_belongs_to_its_request() {
    let failed = ModelFailed {
        turn: turn(1),
        attempt: 1,
        class: "rate_limit".into(),
        action: "retry".into(),
        status: Some(429),
        retry_after_ms: Some(100),
        message: "slow down".into(),
    };
    let events = [
        requested(1, 1, "h", 0, &["a"]),
        failed.into(),
        requested(1, 2, "h", 1, &[]),
        responded(1, 2, None),
        requested(2, 1, "h", 1, &["b"]),
        responded(9, 1, None),
    ];
    let calls = given(events).calls;
    let ends: Vec<_> = calls.requests().iter().map(|request| (request.version, request.end.clone())).collect();
    let failure = CallEnd::Failed { class: "rate_limit".into(), action: "retry".into(), message: "slow down".into() };
    let answer = CallEnd::Responded { finish: "stop".into(), usage: None, first_token_ms: Some(5), duration_ms: 9 };
    assert_eq!(ends, [(Version(1), Some(failure)), (Version(3), Some(answer)), (Version(5), None)]);
}
