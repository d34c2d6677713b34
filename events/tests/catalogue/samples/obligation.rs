use super::*;
use dispatch_events::{
    ObligationId, TurnId,
    catalogue::obligation::{ObligationAbandoned, ObligationCreated, ObligationFailed, ObligationKind, ObligationMet},
};

pub fn samples() -> Vec<Sample> {
    let obligation = ObligationId(id(1));
    let created = |kind| ObligationCreated { obligation, kind, key: "turn/memory".into(), turn: TurnId(id(2)) };
    vec![
        plain(created(ObligationKind::MemorySync)),
        sample("memory-warm", created(ObligationKind::MemoryWarm)),
        plain(ObligationMet { obligation, attempts: 2 }),
        plain(ObligationFailed { obligation, attempts: 1, why: text(), retry_after_ms: 30_000 }),
        plain(ObligationAbandoned { obligation, why: text() }),
    ]
}
