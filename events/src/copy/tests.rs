//! The check behind a copy finds each kind of difference.

use super::{Copied, CopyError, check::check, fill::fill};
use crate::{
    CorrelationId, Digest, Draft, EventId, Log, ObligationId, Position, PrincipalId, StreamId, TurnId, Version,
    catalogue::{
        obligation::{ObligationCreated, ObligationKind},
        session::SessionOpened,
    },
    clock::FixedClock,
    store::{Engine, Head, NameSecret, Store, engine::Batch, memory::MemoryEngine},
};
use std::{path::Path, sync::Arc};

fn secret() -> NameSecret {
    NameSecret::new([7; 32])
}

fn source() -> (Log, StreamId) {
    let store = Store::start(MemoryEngine::default(), secret()).unwrap();
    let log = Log::in_memory(Arc::new(store), Arc::new(FixedClock::default()));
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    let (source, agent) = ("cli".into(), "main".into());
    let opened = SessionOpened { name: "one".into(), route: None, source, agent, parent: None, system: None };
    let (obligation, turn) = (ObligationId::fresh(), TurnId::fresh());
    let owed = ObligationCreated { obligation, kind: ObligationKind::MemorySync, key: "key".into(), turn };
    let draft = |event| Draft {
        event,
        correlation: CorrelationId::fresh(),
        causation: EventId::default(),
        principal: PrincipalId::default(),
    };
    let append = log.append(tip, vec![draft(opened.into()), draft(owed.into())]);
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(append).unwrap();
    (log, tip.stream)
}

/// Copies, changes the copy behind everybody's back, and checks it.
fn checked(change: impl FnOnce(StreamId, EventId) -> Batch) -> Result<Copied, CopyError> {
    let (log, stream) = source();
    let target = MemoryEngine::default();
    let filled = fill(&log, log.store().log_head(), &target, Path::new("memory"), |_| {})?;
    target.commit(&change(stream, log.read_all(Position(1), 1).unwrap()[0].id)).unwrap();
    check(&filled, &Store::start(target, secret()).unwrap(), |_| {})
}

#[test]
fn every_difference_is_named() {
    let copied = checked(|_, _| Batch::default()).unwrap();
    assert_eq!((copied.events, copied.appends, copied.streams, copied.names, copied.open), (2, 1, 1, 1, 1));
    let key = |name: &str| secret().key(name);
    let head = Head { version: Version(1), hash: Digest::default(), key: Default::default() };
    let differs = |what: &str, change: &dyn Fn(StreamId, EventId) -> Batch| match checked(change) {
        Err(CopyError::Differs(why)) => assert!(why.contains(what), "{why}"),
        other => panic!("{what}: {other:?}"),
    };
    differs("names lacks", &|_, _| Batch { names: vec![(key("one"), None)], ..Batch::default() });
    differs("names has other", &|stream, _| Batch { names: vec![(key("two"), Some(stream))], ..Batch::default() });
    differs("open streams", &|stream, _| Batch { open: vec![(stream, 0)], ..Batch::default() });
    differs("open streams", &|_, _| Batch { open: vec![(StreamId::fresh(), 1)], ..Batch::default() });
    differs("does not end", &|stream, _| Batch { heads: vec![(stream, head)], ..Batch::default() });
    differs("has 2 streams", &|_, _| Batch { heads: vec![(StreamId::fresh(), head)], ..Batch::default() });
    differs("does not know position 1", &|_, id| Batch { ids: vec![(id, Position(2))], ..Batch::default() });
}

#[test]
fn a_source_that_went_on_leaves_no_stale_rows() {
    let (log, stream) = source();
    let target = MemoryEngine::default();
    fill(&log, log.store().log_head(), &target, Path::new("memory"), |_| {}).unwrap();
    // What an earlier call wrote, and does not follow any more.
    let other = StreamId::fresh();
    let stale = Batch { names: vec![(secret().key("old"), Some(stream))], open: vec![(other, 1)], ..Batch::default() };
    target.commit(&stale).unwrap();
    let filled = fill(&log, log.store().log_head(), &target, Path::new("memory"), |_| {}).unwrap();
    check(&filled, &Store::start(target, secret()).unwrap(), |_| {}).unwrap();
}
