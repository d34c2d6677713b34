use super::*;
use dispatch_events::{
    StreamId, Version,
    catalogue::session::{ForkPoint, SessionOpened, SessionRenamed},
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
    ]
}
