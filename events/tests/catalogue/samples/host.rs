use super::*;
use dispatch_events::{
    AdmissionId, Epoch, StreamId, Version,
    catalogue::host::{Abandoned, AppendRefused, HostStarted, HostStopped, PreviousRun},
};

fn refused(what: Vec<String>) -> AppendRefused {
    AppendRefused { owner: Epoch(7), stream: StreamId(id(1)), expected: Version(300), actual: Version(70_000), what }
}

pub fn samples() -> Vec<Sample> {
    let left = Abandoned { session: StreamId(id(1)), admission: Some(AdmissionId(id(2))), what: text() };
    vec![
        plain(HostStarted {
            epoch: Epoch(70_000),
            release: "0.1.0".into(),
            engine: "sled".into(),
            previous: PreviousRun::Lost,
        }),
        empty(refused(vec![])),
        full(refused(vec!["turn.completed".into(), text()])),
        empty(HostStopped { epoch: Epoch(0), reason: String::new(), abandoned: vec![] }),
        full(HostStopped { epoch: Epoch(u64::MAX), reason: "SIGTERM".into(), abandoned: vec![left.clone()] }),
        sample(
            "no-admission",
            HostStopped {
                epoch: Epoch(1),
                reason: "SIGINT".into(),
                abandoned: vec![Abandoned { admission: None, ..left.clone() }, left],
            },
        ),
    ]
}
