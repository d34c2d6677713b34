use super::*;
use dispatch_events::{
    AdmissionId, Epoch, Generation, Part, TurnId,
    catalogue::{
        input::{
            InputCancelled, InputQueued, InputReconciled, InputRequeued, InputSettled, InputStarted, InputUnknown,
            InputVerdict, Intent, Outcome, Principal,
        },
        lease::{LeaseAcquired, LeaseLost, LeaseReleased, LeaseRenewed},
    },
};

pub fn samples() -> Vec<Sample> {
    let mut samples = queued();
    samples.extend(rest());
    samples.extend(leases());
    samples
}

fn queued() -> Vec<Sample> {
    let bare = InputQueued {
        admission: AdmissionId(id(1)),
        principal: Principal { adapter: "http".into(), subject: "alice".into() },
        request: "req-1".into(),
        digest: digest(1),
        intent: Intent::Queue,
        seq: 1,
        parts: vec![],
        message: None,
        demoted: None,
        again: None,
    };
    let blob = |name: Option<String>| Part::Blob {
        media_type: "image/png".into(),
        name,
        address: digest(2),
        length: 5_000_000_000,
    };
    vec![
        empty(bare.clone()),
        full(InputQueued {
            intent: Intent::Steer,
            seq: 251,
            parts: vec![Part::Text(text()), blob(Some("../ü.png".into()))],
            message: Some("42/7".into()),
            demoted: Some(Intent::Redirect),
            again: Some(AdmissionId(id(3))),
            ..bare.clone()
        }),
        sample("redirect", InputQueued { intent: Intent::Redirect, parts: vec![blob(None)], ..bare }),
    ]
}

fn rest() -> Vec<Sample> {
    let admission = AdmissionId(id(1));
    let settled = |outcome| InputSettled { admission, outcome, why: None };
    let (by, why) = (Principal { adapter: "cli".into(), subject: "alice".into() }, text());
    vec![
        plain(InputStarted { admission, turn: TurnId(id(2)), generation: Generation(3) }),
        plain(InputRequeued { admission, why: text(), times: 3 }),
        empty(InputCancelled { admission, by: None }),
        full(InputCancelled { admission, by: Some(by.clone()) }),
        plain(InputUnknown { admission, why: text() }),
        empty(settled(Outcome::Completed)),
        full(InputSettled { why: Some(text()), ..settled(Outcome::Rejected) }),
        sample("interrupted", settled(Outcome::Interrupted)),
        sample("rejected", settled(Outcome::Rejected)),
        sample("failed", settled(Outcome::Failed)),
        sample("cancelled", settled(Outcome::Cancelled)),
        plain(InputReconciled { admission, verdict: InputVerdict::Again, by: by.clone(), why: why.clone() }),
        sample("given-up", InputReconciled { admission, verdict: InputVerdict::GivenUp, by, why }),
    ]
}

fn leases() -> Vec<Sample> {
    let generation = Generation(65_536);
    vec![
        plain(LeaseAcquired { holder: Epoch(7), generation, ttl_ms: 300_000 }),
        plain(LeaseRenewed { generation }),
        plain(LeaseReleased { generation }),
        plain(LeaseLost { generation, why: text() }),
    ]
}
