use super::*;
use dispatch_events::{
    ObligationId, TurnId,
    catalogue::memory::{
        MemoryAdopted, MemoryChange, MemoryNoted, MemoryRecallSkipped, MemoryRecalled, MemorySynced, MemoryTarget,
        MemoryWarmed, MemoryWritten,
    },
};

pub fn samples() -> Vec<Sample> {
    let (turn, obligation) = (TurnId(id(1)), ObligationId(id(2)));
    let noted = MemoryNoted {
        agent: "main".into(),
        target: MemoryTarget::Memory,
        changes: vec![],
        before: digest(1),
        after: digest(6),
        writer: "file".into(),
        turn: None,
    };
    let changes = vec![
        MemoryChange::Added(text()),
        MemoryChange::Replaced { old: digest(3), new: text() },
        MemoryChange::Removed(digest(5)),
    ];
    vec![
        empty(noted.clone()),
        full(MemoryNoted { target: MemoryTarget::User, changes, turn: Some(turn), ..noted }),
        plain(MemoryWritten { agent: "main".into(), target: MemoryTarget::User, after: digest(6) }),
        plain(MemoryRecalled { turn, backend: "mem0".into(), block: text(), took_ms: 800 }),
        plain(MemoryRecallSkipped { turn, backend: "mem0".into(), why: "timeout".into(), took_ms: 8000 }),
        empty(MemoryAdopted { agent: "main".into(), memory: vec![], user: vec![] }),
        full(MemoryAdopted { agent: "main".into(), memory: vec![digest(1), digest(2)], user: vec![digest(3)] }),
        plain(MemorySynced { turn, obligation, possible_duplicate: false }),
        sample("possible-duplicate", MemorySynced { turn, obligation, possible_duplicate: true }),
        plain(MemoryWarmed { turn, obligation }),
    ]
}
