use super::*;
use dispatch_events::{
    StreamId, Timestamp, Version,
    catalogue::{
        input::Principal,
        session::{
            BusyMode, ForkPoint, ResetReason, RewindReason, SessionArchived, SessionBranched, SessionConfigured,
            SessionEraseRequested, SessionErased, SessionForked, SessionInherited, SessionOpened, SessionRenamed,
            SessionReset, SessionRestored, SessionRewound, SessionUnarchived,
        },
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
        empty(SessionRenamed { name: text(), previous: "a".into(), by: None }),
        full(SessionRenamed { name: text(), previous: "a".into(), by: Some(by()) }),
        empty(SessionEraseRequested { name: text(), route: None, by: by() }),
        full(SessionEraseRequested { name: text(), route: Some("agent:main:telegram:dm:42".into()), by: by() }),
        plain(SessionErased { events: 300, after_restart: true }),
    ]
    .into_iter()
    .chain(history())
    .collect()
}

fn history() -> Vec<Sample> {
    let from = ForkPoint { stream: StreamId(id(1)), version: Version(300) };
    let inherited = |payload| SessionInherited {
        stream: StreamId(id(1)),
        version: Version(300),
        recorded_at: Timestamp(1_700_000_000_000_000),
        kind: "message.recorded".into(),
        schema: 1,
        payload,
    };
    let reset = |reason, note| SessionReset { reason, note, by: by() };
    let rewound = |reason| SessionRewound { to: from, reason, by: by() };
    let busy = |busy| SessionConfigured { busy: Some(busy), by: by() };
    vec![
        plain(SessionBranched { child: StreamId(id(1)), at: Version(300), by: by() }),
        empty(SessionForked { from, depth: 1, profile: None, unfinished: None, dropped: None }),
        full(SessionForked {
            from,
            depth: 300,
            profile: Some("local".into()),
            unfinished: Some(text()),
            dropped: Some(text()),
        }),
        empty(inherited(Vec::new())),
        full(inherited(vec![0, 1, 255])),
        empty(reset(ResetReason::Asked, None)),
        full(reset(ResetReason::Idle, Some(text()))),
        sample("daily", reset(ResetReason::Daily, None)),
        plain(rewound(RewindReason::Rewind)),
        sample("undo", rewound(RewindReason::Undo)),
        sample("retry", rewound(RewindReason::Retry)),
        plain(SessionRestored { rewound: Version(300), by: by() }),
        plain(SessionArchived { by: by() }),
        plain(SessionUnarchived { by: by() }),
        empty(SessionConfigured { busy: None, by: by() }),
        full(busy(BusyMode::Queue)),
        sample("steer", busy(BusyMode::Steer)),
        sample("interrupt", busy(BusyMode::Interrupt)),
    ]
}

fn by() -> Principal {
    Principal { adapter: "cli".into(), subject: text() }
}
