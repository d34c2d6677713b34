use super::*;
use dispatch_events::{
    StreamId, Version,
    catalogue::{
        input::Principal,
        session::{ForkPoint, SessionEraseRequested, SessionErased, SessionOpened, SessionRenamed},
    },
};

pub fn samples() -> Vec<Sample> {
    vec![
        empty(SessionOpened {
            name: "a".into(),
            route: None,
            source: "cli".into(),
            agent: "main".into(),
            parent: None,
            system: None,
        }),
        full(SessionOpened {
            name: text(),
            route: Some("telegram:42".into()),
            source: "openai".into(),
            agent: "main".into(),
            parent: Some(ForkPoint { stream: StreamId(id(1)), version: Version(300) }),
            system: Some(text()),
        }),
        plain(SessionRenamed { name: text(), previous: "a".into() }),
        plain(SessionEraseRequested { name: text(), by: Principal { adapter: "cli".into(), subject: text() } }),
        plain(SessionErased { events: 300, after_restart: true }),
    ]
}
