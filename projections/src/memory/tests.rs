use super::{Entry, What};
use crate::table::*;
use dispatch_events::{
    Digest, Event, Position, Version,
    catalogue::memory::{
        MemoryAdopted, MemoryChange, MemoryNoted, MemoryRecallSkipped, MemoryRecalled, MemorySynced, MemoryTarget,
        MemoryWarmed,
    },
};

fn entry(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn noted(changes: Vec<MemoryChange>) -> Event {
    let (agent, target, writer) = ("main".into(), MemoryTarget::User, "tool".into());
    let (before, after, turn) = (entry("before"), entry("after"), Some(turn(1)));
    MemoryNoted { agent, target, changes, before, after, writer, turn }.into()
}

/// Changes, entries that came, digests of those that went.
type Row<'a> = (Vec<MemoryChange>, Vec<&'a str>, Vec<Digest>);

#[test]
fn a_note_says_what_came_and_what_went() {
    use MemoryChange::{Added, Removed, Replaced};
    let (a, b) = (entry("a"), entry("b"));
    let add = |text: &str| Added(text.to_owned());
    #[rustfmt::skip]
    let table: Vec<Row<'_>> = vec![
        (vec![add("a")],                                 vec!["a"],      vec![]),
        (vec![Removed(a)],                               vec![],         vec![a]),
        (vec![Replaced { old: a, new: "b\nc".into() }],  vec!["b\nc"],   vec![a]),
        (vec![add("a"), add("b")],                       vec!["a", "b"], vec![]),
        (vec![add("a"), Removed(b)],                     vec!["a"],      vec![b]),
    ];
    for (changes, came, went) in table {
        let state = given([noted(changes.clone())]);
        let What::Noted { added, removed, writer, .. } = &state.memory.moments()[0].what else {
            panic!("{:?}", state.memory.moments());
        };
        let came: Vec<_> = came.iter().map(|text| Entry { digest: entry(text), text: (*text).to_owned() }).collect();
        assert_eq!((added, removed, writer.as_str()), (&came, &went, "tool"), "{changes:?}");
    }
}

#[test]
fn a_memory_is_noted_then_adopted_then_recalled() {
    let (backend, obligation) = ("mem0".to_owned(), obligation(1));
    let turn = turn(1);
    let events: Vec<Event> = vec![
        opened(),
        noted(vec![MemoryChange::Added("a".into())]),
        MemoryAdopted { agent: "main".into(), memory: vec![], user: vec![entry("a")] }.into(),
        queued(1),
        MemoryRecallSkipped { turn, backend: backend.clone(), why: "timeout".into(), took_ms: 8000 }.into(),
        MemoryRecalled { turn, backend: backend.clone(), block: "<m>".into(), took_ms: 4 }.into(),
        MemorySynced { turn, obligation, possible_duplicate: true }.into(),
        MemoryWarmed { turn, obligation }.into(),
    ];
    let state = given(events);
    let moments: Vec<_> = state.memory.moments().iter().map(|moment| (moment.version, moment.what.clone())).collect();
    let note = state.memory.moments()[0].what.clone();
    let expected = [
        (Version(2), note),
        (Version(3), What::Adopted { agent: "main".into(), memory: vec![], user: vec![entry("a")] }),
        (Version(5), What::RecallSkipped { turn, backend: backend.clone(), why: "timeout".into(), took_ms: 8000 }),
        (Version(6), What::Recalled { turn, backend, block: "<m>".into(), took_ms: 4 }),
        (Version(7), What::Synced { turn, possible_duplicate: true }),
        (Version(8), What::Warmed { turn }),
    ];
    assert_eq!(moments, expected);
    let first = &state.memory.moments()[0];
    assert_eq!((first.position, first.stream), (Position(102), stream()));
    assert_eq!(first.at.rfc3339(), "1970-01-01T00:00:02.000Z");
}
