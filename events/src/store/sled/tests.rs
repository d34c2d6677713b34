use super::*;
use crate::{
    CorrelationId, Draft, Log, PrincipalId,
    catalogue::session::SessionOpened,
    clock::FixedClock,
    store::{EngineKind, OpenError},
};
use std::sync::Arc;

fn one_append(data: &Path) {
    let log = Log::open(data, EngineKind::Sled, Arc::new(FixedClock::default())).unwrap();
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    let (source, agent) = ("cli".into(), "main".into());
    let opened = SessionOpened { name: "one".into(), route: None, source, agent, parent: None, system: None };
    let draft = Draft {
        event: opened.into(),
        correlation: CorrelationId::fresh(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
    };
    let append = log.append(tip, vec![draft]);
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(append).unwrap();
}

/// The clock was set back: the greatest id is of an event that the check at opening does not read.
#[test]
fn a_log_whose_indexes_were_being_emptied_is_not_opened() {
    let data = tempfile::tempdir().unwrap();
    one_append(data.path());
    let folder = data.path().join("log");
    let engine = SledEngine::open(&folder).unwrap();
    engine.ids.insert([255; 16], &position_key(Position(1))).unwrap();
    drop(engine);
    let engine = SledEngine::open(&folder).unwrap();
    engine.forget_last_id().unwrap();
    drop(engine);
    match SledEngine::open(&folder).map(|_| ()) {
        Err(OpenError::Damaged { why, .. }) => assert!(why.contains("event ids"), "{why}"),
        other => panic!("{other:?}"),
    }
}
