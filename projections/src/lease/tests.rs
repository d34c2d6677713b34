use crate::table::*;
use dispatch_events::{
    Epoch, Event, Generation, Timestamp,
    catalogue::lease::{LeaseAcquired, LeaseLost, LeaseReleased, LeaseRenewed},
};

fn acquired(generation: u64) -> Event {
    LeaseAcquired { holder: Epoch(generation), generation: Generation(generation), ttl_ms: 1000 }.into()
}

fn renewed(generation: u64) -> Event {
    LeaseRenewed { generation: Generation(generation) }.into()
}

fn released(generation: u64) -> Event {
    LeaseReleased { generation: Generation(generation) }.into()
}

fn lost(generation: u64) -> Event {
    LeaseLost { generation: Generation(generation), why: "the host stopped".into() }.into()
}

/// Generation of the holder, second of the last renewal, last generation, whether one was lost.
type Seen = (Option<u64>, Option<i64>, u64, bool);

#[test]
fn who_holds_it() {
    #[rustfmt::skip]
    let table: Vec<(&str, Vec<Event>, Seen)> = vec![
        ("nobody",                   vec![],                                        (None, None, 0, false)),
        ("taken",                    vec![acquired(1)],                             (Some(1), Some(1), 1, false)),
        ("renewed",                  vec![acquired(1), renewed(1), renewed(1)],     (Some(1), Some(3), 1, false)),
        ("released",                 vec![acquired(1), released(1)],                (None, None, 1, false)),
        ("lost",                     vec![acquired(1), lost(1)],                    (None, None, 1, true)),
        ("taken over",               vec![acquired(1), lost(1), acquired(2)],       (Some(2), Some(3), 2, false)),
        ("handed to the next turn",  vec![acquired(1), released(1), acquired(2)],   (Some(2), Some(3), 2, false)),
        ("renewal of an older one",  vec![acquired(1), acquired(2), renewed(1)],    (Some(2), Some(2), 2, false)),
        ("release of an older one",  vec![acquired(1), acquired(2), released(1)],   (Some(2), Some(2), 2, false)),
        ("loss of an older one",     vec![acquired(1), acquired(2), lost(1)],       (Some(2), Some(2), 2, false)),
        ("renewed by nobody",        vec![renewed(1)],                              (None, None, 0, false)),
    ];
    for (name, events, expected) in table {
        let lease = given(events).lease;
        let held = lease.held;
        let seen = (
            held.map(|held| held.generation.0),
            held.map(|held| held.renewed_at.0 / 1_000_000),
            lease.generation.0,
            lease.lost.is_some(),
        );
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn a_lease_says_who_and_for_how_long() {
    let held = given([acquired(3)]).lease.held.unwrap();
    assert_eq!((held.holder, held.ttl_ms, held.acquired_at), (Epoch(3), 1000, Timestamp(1_000_000)));
}
