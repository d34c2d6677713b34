//! What readers see while a commit is under way, and after one failed.

use crate::{
    gated::{Commits, Gate, Gated, Released},
    subject::{Subject, Writer, block_on, draft, everything, met, opened, owed, renamed, small},
};
use dispatch_events::{
    Log, ObligationId, Position, StreamId, SystemClock, Version,
    store::{AppendError, EventStore, NameSecret, Store},
};
use std::{sync::Arc, thread};

fn gated<S: Subject>(subject: &S) -> (Log, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let store = Store::start(Gated { inner: subject.open(), gate: gate.clone() }, NameSecret::new([7; 32])).unwrap();
    (Log::in_memory(Arc::new(store), Arc::new(SystemClock)), gate)
}

/// Everything that a reader can ask for.
fn look(store: &dyn EventStore, streams: &[StreamId]) -> String {
    let mut open = store.open_streams().unwrap();
    open.sort();
    let pages: Vec<_> = streams
        .iter()
        .map(|stream| {
            let forward = store.read_stream(*stream, Version(1), 100).unwrap();
            let back = store.read_stream_back(*stream, Version(u64::MAX), 100).unwrap();
            (forward.len(), back.len(), store.head(*stream).unwrap())
        })
        .collect();
    let hashes: Vec<_> = (0..20).map(|position| store.log_hash(Position(position)).unwrap()).collect();
    let named: Vec<_> = ["a", "b", "c", "d"].iter().map(|name| store.named(name).unwrap()).collect();
    let names: Vec<_> = (1..5).map(|limit| store.names(None, limit).unwrap()).collect();
    let all = everything(store).len();
    format!("{all} {:?} {pages:?} {hashes:?} {named:?} {names:?} {open:?}", store.log_head())
}

pub async fn reads_never_show_what_is_not_durable<S: Subject>() {
    let subject = S::new();
    let (log, gate) = gated(&subject);
    let ids = [ObligationId::fresh(), ObligationId::fresh()];
    let (mut one, mut two, mut three) = (Writer::new(&log), Writer::new(&log), Writer::new(&log));
    one.write(vec![opened("a"), owed(ids[0])]).await;
    two.write(vec![opened("c")]).await;
    let streams = [one.stream(), two.stream(), three.stream()];
    let before = look(&**log.store(), &streams);

    gate.set(Commits::Hold);
    let late = log.prepare(one.tip, vec![draft(renamed("a", "b")), draft(met(ids[0]))]).unwrap();
    let id = late.events[0].recorded.id;
    thread::scope(|scope| {
        let released = Released(&gate);
        let append = scope.spawn(|| block_on(log.store().append(late)));
        gate.wait_until_written();
        assert_eq!(look(&**log.store(), &streams), before);
        assert_eq!(log.store().position_of(id).unwrap(), None);
        // A second group waits behind the first; it is not there either.
        let behind = scope.spawn(|| {
            block_on(async {
                three.append(vec![opened("d")]).await.unwrap();
                two.append(vec![owed(ids[1])]).await.unwrap();
            });
        });
        assert_eq!(look(&**log.store(), &streams), before);
        drop(released);
        assert_eq!(append.join().unwrap().unwrap().first, Position(4));
        behind.join().unwrap();
    });
    assert_ne!(look(&**log.store(), &streams), before);
    assert_eq!(log.store().named("a").unwrap(), None);
    assert_eq!(log.store().named("b").unwrap(), Some(one.stream()));
    assert_eq!(log.store().open_streams().unwrap(), [two.stream()]);
    assert_eq!(log.store().position_of(id).unwrap(), Some(Position(4)));
    assert_eq!(everything(&**log.store()).len(), 7);
}

pub async fn a_refused_group_leaves_no_trace<S: Subject>() {
    let subject = S::new();
    let (log, gate) = gated(&subject);
    let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
    one.write(vec![opened("a")]).await;
    let streams = [one.stream(), two.stream()];
    let before = look(&**log.store(), &streams);
    gate.set(Commits::Refuse);
    let late = log.prepare(one.tip, vec![draft(renamed("a", "b"))]).unwrap();
    for _ in 0..2 {
        assert!(matches!(log.store().append(late.clone()).await, Err(AppendError::Unavailable(_))));
    }
    assert_eq!(look(&**log.store(), &streams), before);
    gate.set(Commits::Pass);
    let landed = log.store().append(late).await.unwrap();
    assert!(!landed.duplicate, "it was refused, so it had not landed");
    assert_eq!(landed.first, Position(2));
    two.write(vec![opened("a")]).await;
}

pub async fn a_broken_write_stays_hidden<S: Subject>() {
    let subject = S::new();
    let (log, gate) = gated(&subject);
    let mut one = Writer::new(&log);
    one.write(vec![opened("a")]).await;
    let before = look(&**log.store(), &[one.stream()]);
    gate.set(Commits::Break);
    let late = log.prepare(one.tip, vec![draft(renamed("a", "b")), draft(small())]).unwrap();
    assert!(matches!(log.store().append(late.clone()).await, Err(AppendError::Unknown(_))));
    gate.set(Commits::Pass);
    assert_eq!(look(&**log.store(), &[one.stream()]), before);
    assert!(log.store().refusal().unwrap().contains("restart the host"));
    assert!(matches!(log.store().append(late.clone()).await, Err(AppendError::Unavailable(_))));
    // Opened again it turns out that it had landed, and the same append says so.
    drop(log);
    let store = subject.store();
    let answer = store.append(late).await.unwrap();
    assert!(answer.duplicate);
    assert_eq!((answer.first, answer.last), (Position(2), Position(3)));
}

pub async fn a_future_that_nobody_polls_stops_nobody<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let append = log.prepare(log.new_tip(StreamId::fresh()).unwrap(), vec![draft(small())]).unwrap();
    let idle = log.store().append(append);
    drop(log);
    assert!(matches!(idle.await, Err(AppendError::Unavailable(_))));
    assert_eq!(subject.store().log_head().position, Position(0));
}
