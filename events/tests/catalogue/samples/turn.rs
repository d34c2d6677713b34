use super::*;
use dispatch_events::{
    AdmissionId, TurnId,
    catalogue::turn::{TurnCompleted, TurnFailed, TurnInterrupted, TurnStarted, TurnSteered},
};

pub fn samples() -> Vec<Sample> {
    let turn = TurnId(id(1));
    vec![
        plain(TurnStarted { turn, admission: AdmissionId(id(2)) }),
        plain(TurnSteered { turn, admission: AdmissionId(id(2)) }),
        plain(TurnInterrupted { turn, why: text() }),
        plain(TurnCompleted { turn }),
        plain(TurnFailed { turn, code: "model_failed".into(), message: text() }),
    ]
}
