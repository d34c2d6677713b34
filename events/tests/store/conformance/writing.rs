//! The fence, atomicity, idempotence, order.

use crate::subject::{Subject, Writer, block_on, draft, everything, opened, renamed, sized, small};
use dispatch_events::{
    EventId, Position, Recorded, StreamId, Version,
    envelope::Header,
    log::Tip,
    store::{APPEND_EVENTS, AppendError, CommitObserver, EventStore, NAME_BYTES},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

pub async fn a_wrong_version_writes_nothing<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    writer.write(vec![small(), small()]).await;
    let (head, end) = (log.store().head(writer.stream()).unwrap(), log.store().log_head());
    for wrong in [0, 1, 3, u64::MAX - 1] {
        let mut stale = Writer { log: &log, tip: Tip { version: Version(wrong), ..writer.tip } };
        match stale.append(vec![opened("late")]).await {
            Err(AppendError::Conflict { stream, expected, actual }) => {
                assert_eq!((stream, expected, actual), (writer.stream(), Version(wrong), Version(2)));
            }
            other => panic!("version {wrong}: {other:?}"),
        }
    }
    assert_eq!(log.store().head(writer.stream()).unwrap(), head);
    assert_eq!(log.store().log_head(), end);
    assert_eq!(log.store().named("late").unwrap(), None);
    assert_eq!(everything(&**log.store()).len(), 2);
}

/// The last event of an append is refused, so the first is not there either.
pub async fn an_append_is_all_or_nothing<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    Writer::new(&log).write(vec![opened("taken")]).await;
    let mut writer = Writer::new(&log);
    let refused = writer.append(vec![opened("free"), small(), renamed("free", "taken")]).await;
    assert!(matches!(refused, Err(AppendError::NameTaken { name, .. }) if name == "taken"));
    assert_eq!(log.store().head(writer.stream()).unwrap(), None);
    assert_eq!(log.store().named("free").unwrap(), None);
    assert_eq!(log.store().log_head().position, Position(1));
    writer.write(vec![opened("free"), small()]).await;
    assert_eq!(everything(&**log.store()).len(), 3);
}

pub async fn malformed_appends_are_refused<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    let good = log.prepare(tip, vec![draft(small()), draft(small())]).unwrap();
    let mut none = good.clone();
    none.events.clear();
    let mut many = good.clone();
    many.events = vec![good.events[0].clone(); APPEND_EVENTS + 1];
    let mut twice = good.clone();
    twice.events[1].recorded.id = twice.events[0].recorded.id;
    let mut swapped = good.clone();
    swapped.events.swap(0, 1);
    let mut elsewhere = good.clone();
    elsewhere.stream = StreamId::fresh();
    let mut other_header = good.clone();
    other_header.events[1].recorded.id = EventId::fresh();
    let long = log.prepare(tip, vec![draft(opened(&"x".repeat(NAME_BYTES + 1)))]).unwrap();
    for bad in [none, many, twice, swapped, elsewhere, other_header, long] {
        let refused = log.store().append(bad).await;
        assert!(matches!(refused, Err(AppendError::Invalid(_))), "{refused:?}");
    }
    assert_eq!(log.store().log_head().position, Position(0));
    log.store().append(good).await.unwrap();
}

pub async fn an_id_lands_once_whatever_the_version<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    writer.write(vec![small()]).await;
    let first = log.prepare(writer.tip, vec![draft(small()), draft(small())]).unwrap();
    let landed = log.store().append(first.clone()).await.unwrap();
    assert!(!landed.duplicate);
    writer.tip.version = Version(3);
    writer.write(vec![small()]).await;

    let mut right = first.clone();
    right.expected = Version(4);
    for again in [first.clone(), right] {
        let answer = log.store().append(again).await.unwrap();
        assert!(answer.duplicate && answer.events.is_empty());
        assert_eq!((answer.first, answer.last), (landed.first, landed.last));
    }
    assert_eq!(log.store().position_of(first.events[1].recorded.id).unwrap(), Some(Position(3)));
    assert_eq!(log.store().log_head().position, Position(4));

    let mut half = log.prepare(writer.tip, vec![draft(small())]).unwrap();
    half.events.insert(0, first.events[0].clone());
    assert!(matches!(log.store().append(half).await, Err(AppendError::Invalid(_))));

    // The same ids twice in one group: handed in before either is answered.
    let raced = log.prepare(writer.tip, vec![draft(small())]).unwrap();
    let (one, two) = tokio::join!(log.store().append(raced.clone()), log.store().append(raced));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!((one.first, two.first), (Position(5), Position(5)));
    assert!(one.duplicate != two.duplicate);

    // Opened again, the ids are still known.
    drop(log);
    let store = subject.store();
    assert!(store.append(first).await.unwrap().duplicate);
    assert_eq!(store.log_head().position, Position(5));
}

pub async fn sixteen_writers_leave_no_gap<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let shared = log.new_tip(StreamId::fresh()).unwrap();
    let acknowledged = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| block_on(one_of_sixteen(&log, shared, &acknowledged)));
        }
    });
    let mut acknowledged = acknowledged.into_inner().unwrap();
    acknowledged.sort();
    assert_eq!(acknowledged, (1..=acknowledged.len() as u64).collect::<Vec<_>>());
    let mut versions: HashMap<_, u64> = HashMap::new();
    let records = everything(&**log.store());
    assert_eq!(records.len(), acknowledged.len());
    for (record, position) in records.iter().zip(1..) {
        let (header, _) = Header::parse(record).unwrap();
        assert_eq!(header.position.0, position);
        let version = versions.entry(header.stream).or_default();
        *version += 1;
        assert_eq!(header.version.0, *version);
    }
    assert_eq!(versions[&shared.stream], 16 * 10);
    assert_eq!(versions.len(), 17);
}

async fn one_of_sixteen(log: &dispatch_events::Log, shared: Tip, acknowledged: &Mutex<Vec<u64>>) {
    let mut own = Writer::new(log);
    for round in 0..10 {
        let appended = own.write((0..=round % 3).map(|_| small()).collect()).await;
        acknowledged.lock().unwrap().extend(appended.first.0..=appended.last.0);
        // All write to one stream too, each with the version that it read last, until it lands.
        loop {
            let version = log.tip(shared.stream).unwrap().map_or(Version(0), |tip| tip.version);
            match (Writer { log, tip: Tip { version, ..shared } }).append(vec![small()]).await {
                Ok(appended) => break acknowledged.lock().unwrap().push(appended.first.0),
                Err(AppendError::Conflict { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// One payload that becomes a blob, one that is cut into many rows, one that is nearly nothing.
pub async fn large_payloads<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    let events = [sized(2_000_000), sized(60_000), sized(0), sized(3_758), sized(3_759), sized(8_000)];
    writer.write(events.to_vec()).await;
    for event in &events {
        writer.write(vec![event.clone()]).await;
    }
    let read = log.read_stream(writer.stream(), Version(1), 100).unwrap();
    let read: Vec<_> = read.iter().map(|recorded| recorded.event().unwrap()).collect();
    assert_eq!(read, events.iter().chain(&events).collect::<Vec<_>>());
    let longest = everything(&**log.store()).iter().map(Vec::len).max().unwrap();
    assert!((60_000..64 * 1024 + 400).contains(&longest), "the longest record has {longest} bytes");
}

#[derive(Default)]
struct Told(Mutex<Vec<(u64, EventId)>>);

impl CommitObserver for Told {
    fn committed(&self, events: &[Arc<Recorded>]) {
        self.0.lock().unwrap().extend(events.iter().map(|event| (event.position.0, event.id)));
    }
}

pub async fn observers_are_told_in_order<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    Writer::new(&log).write(vec![small()]).await;
    let (early, late) = (Arc::new(Told::default()), Arc::new(Told::default()));
    log.store().observe(early.clone());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                block_on(async {
                    let mut writer = Writer::new(&log);
                    for _ in 0..10 {
                        writer.write(vec![small(), small()]).await;
                    }
                });
            });
        }
    });
    log.store().observe(late.clone());
    let mut writer = Writer::new(&log);
    let appended = writer.write(vec![small()]).await;
    let retold = log.store().append(log.prepare(writer.tip, vec![draft(small())]).unwrap()).await.unwrap();
    let early = early.0.lock().unwrap();
    assert_eq!(early.iter().map(|(position, _)| *position).collect::<Vec<_>>(), (2..=163).collect::<Vec<_>>());
    let ids: BTreeSet<_> = early.iter().map(|(_, id)| *id).collect();
    assert_eq!(ids.len(), early.len());
    for (position, id) in early.iter() {
        assert_eq!(log.store().position_of(*id).unwrap(), Some(Position(*position)));
    }
    assert_eq!(*late.0.lock().unwrap(), [(appended.first.0, appended.events[0].id), (163, retold.events[0].id)]);
}

struct Panics(Mutex<usize>);

impl CommitObserver for Panics {
    fn committed(&self, _: &[Arc<Recorded>]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        panic!("on purpose");
    }
}

pub async fn an_observer_that_panics_stops_nobody<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let (first, second) = (Arc::new(Panics(Mutex::default())), Arc::new(Told::default()));
    log.store().observe(first.clone());
    log.store().observe(second.clone());
    let mut writer = Writer::new(&log);
    for _ in 0..3 {
        writer.write(vec![small()]).await;
    }
    assert_eq!(*first.0.lock().unwrap_or_else(PoisonError::into_inner), 3, "it is told of every commit");
    let told: Vec<_> = second.0.lock().unwrap().iter().map(|(position, _)| *position).collect();
    assert_eq!(told, [1, 2, 3], "who comes after it misses nothing");
}
