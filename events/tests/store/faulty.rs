//! The store that misbehaves on purpose does what it says, at the append that it says.

use crate::subject::{Memory, Subject, Writer, everything, small};
use dispatch_events::{
    Log,
    store::{
        AppendError,
        faulty::{Fault, FaultyStore},
    },
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

fn faulty(fault: Fault, from: u64) -> (Log, Arc<FaultyStore>) {
    let mut faulty = None;
    let log = Memory::new().log().with_store(|store| {
        let store = Arc::new(FaultyStore::new(store, fault, from));
        faulty = Some(store.clone());
        store
    });
    (log, faulty.unwrap())
}

#[tokio::test]
async fn nothing_wrong_only_counts() {
    let (log, store) = faulty(Fault::None, 1);
    let mut writer = Writer::new(&log);
    for _ in 0..3 {
        writer.write(vec![small()]).await;
    }
    assert_eq!(store.appends(), 3);
    assert_eq!(everything(&*store).len(), 3);
}

#[tokio::test]
async fn refused_from_the_nth_append_on() {
    for from in 1..4 {
        let (log, store) = faulty(Fault::Refuse, from);
        let mut writer = Writer::new(&log);
        for number in 1..6 {
            let result = writer.append(vec![small()]).await;
            match number >= from {
                true => assert!(matches!(result, Err(AppendError::Unavailable(_))), "append {number}"),
                false => assert!(result.is_ok(), "append {number}"),
            }
        }
        assert_eq!(everything(&*store).len() as u64, from - 1);
        assert_eq!(store.appends(), 5);
    }
}

#[tokio::test]
async fn torn_at_the_nth_append() {
    let (log, store) = faulty(Fault::Tear, 2);
    let mut writer = Writer::new(&log);
    writer.write(vec![small()]).await;
    assert!(matches!(writer.append(vec![small(), small()]).await, Err(AppendError::Unknown(_))));
    assert_eq!(everything(&*store).len(), 3, "the torn append is in the log");
    assert!(matches!(writer.append(vec![small()]).await, Err(AppendError::Unavailable(_))));
    assert_eq!(everything(&*store).len(), 3);
}

#[tokio::test]
async fn late_from_the_nth_append_on() {
    let (log, store) = faulty(Fault::DelayMs(60), 2);
    let mut writer = Writer::new(&log);
    let mut timed = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        writer.write(vec![small()]).await;
        timed.push(start.elapsed() >= Duration::from_millis(60));
    }
    assert_eq!(timed[1..], [true, true]);
    assert_eq!(everything(&*store).len(), 3);
}
