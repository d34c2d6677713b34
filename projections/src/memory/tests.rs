use super::What;
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

fn noted(changes: Vec<MemoryChange>, after: &str) -> Event {
    let (agent, target, writer) = ("main".into(), MemoryTarget::User, "tool".into());
    let (before, after, turn) = (Digest::default(), after.into(), Some(turn(1)));
    MemoryNoted { agent, target, changes, before, after, writer, turn }.into()
}

/// Changes, the file after them, entries that came, that went, that are there.
type Row<'a> = (Vec<MemoryChange>, &'a str, Vec<Digest>, Vec<Digest>, Vec<&'a str>);

#[test]
fn a_note_says_what_came_what_went_and_what_is_there() {
    use MemoryChange::{Added, Removed, Replaced};
    let (a, b) = (entry("a"), entry("b"));
    #[rustfmt::skip]
    let table: Vec<Row<'_>> = vec![
        (vec![Added(a)],                      "a\n",         vec![a],    vec![],     vec!["a"]),
        (vec![Removed(a)],                    "",            vec![],     vec![a],    vec![]),
        (vec![Replaced { old: a, new: b }],   "b",           vec![b],    vec![a],    vec!["b"]),
        (vec![Added(a), Added(b)],            "a\n§\nb",     vec![a, b], vec![],     vec!["a", "b"]),
        (vec![Added(a), Removed(b)],          "x § y\n§\n a ", vec![a],  vec![b],    vec!["x § y", "a"]),
    ];
    for (changes, after, came, went, there) in table {
        let state = given([noted(changes, after)]);
        let What::Noted { added, removed, entries, writer, .. } = &state.memory.moments()[0].what else {
            panic!("{:?}", state.memory.moments());
        };
        assert_eq!((added, removed), (&came, &went), "{after:?}");
        assert_eq!((entries.as_slice(), writer.as_str()), (&*owned(&there), "tool"), "{after:?}");
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_memory_is_noted_then_adopted_then_recalled() {
    let (backend, obligation) = ("mem0".to_owned(), obligation(1));
    let turn = turn(1);
    let events: Vec<Event> = vec![
        opened(),
        noted(vec![MemoryChange::Added(entry("a"))], "a"),
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
    assert_eq!(first.at, "1970-01-01T00:00:02.000Z");
}
