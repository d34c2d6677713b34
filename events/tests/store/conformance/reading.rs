//! Streams forward and backward, the whole log, and pages.

use crate::subject::{Subject, Writer, everything, sized, small};
use dispatch_events::{
    Position, StreamId, Version,
    envelope::{Header, Place},
    store::{LogHead, PAGE_BYTES},
};

fn versions(records: &[Vec<u8>]) -> Vec<u64> {
    records.iter().map(|record| Header::parse(record).unwrap().0.version.0).collect()
}

fn positions(records: &[Vec<u8>]) -> Vec<u64> {
    records.iter().map(|record| Header::parse(record).unwrap().0.position.0).collect()
}

pub async fn forward_backward_and_all<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
    one.write(vec![small(), small(), small()]).await; // positions 1, 2, 3
    two.write(vec![small()]).await; // 4
    one.write(vec![small()]).await; // 5
    two.write(vec![small(), small()]).await; // 6, 7
    one.write(vec![small(), small()]).await; // 8, 9
    let (store, stream) = (log.store(), one.stream());

    let forward = |from, limit| versions(&store.read_stream(stream, Version(from), limit).unwrap());
    assert_eq!(forward(0, 10), [1, 2, 3, 4, 5, 6]);
    assert_eq!(forward(1, 10), [1, 2, 3, 4, 5, 6]);
    assert_eq!(forward(2, 3), [2, 3, 4]);
    assert_eq!(forward(6, 10), [6]);
    assert_eq!(forward(7, 10), [0; 0]);
    assert_eq!(forward(u64::MAX, 10), [0; 0]);
    assert_eq!(forward(1, 0), [0; 0]);

    let backward = |from, limit| versions(&store.read_stream_back(stream, Version(from), limit).unwrap());
    assert_eq!(backward(u64::MAX, 10), [6, 5, 4, 3, 2, 1]);
    assert_eq!(backward(5, 3), [5, 4, 3]);
    assert_eq!(backward(2, 10), [2, 1]);
    assert_eq!(backward(0, 10), [0; 0]);
    assert_eq!(backward(6, 0), [0; 0]);

    let all = |from, limit| positions(&store.read_all(Position(from), limit).unwrap());
    assert_eq!(all(0, 20), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(all(2, 3), [2, 3, 4]);
    assert_eq!(all(7, 20), [7, 8, 9]);
    assert_eq!(all(10, 20), [0; 0]);
    assert_eq!(all(u64::MAX, 20), [0; 0]);
    assert_eq!(all(1, 0), [0; 0]);

    let streams: Vec<_> = everything(&**store).iter().map(|record| Header::place(record).unwrap()).collect();
    let fifth = Place { stream, version: Version(4), position: Position(5) };
    assert_eq!(streams[4], fifth);
    assert_eq!(streams.iter().filter(|place| place.stream == two.stream()).count(), 3);
}

pub async fn an_empty_log_has_nothing<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let store = log.store();
    assert_eq!(store.log_head(), LogHead::default());
    assert_eq!(store.head(StreamId::fresh()).unwrap(), None);
    assert_eq!(store.read_all(Position(1), 10).unwrap(), Vec::<Vec<u8>>::new());
    assert_eq!(store.read_stream(StreamId::fresh(), Version(1), 10).unwrap(), Vec::<Vec<u8>>::new());
    assert_eq!(store.read_stream_back(StreamId::fresh(), Version(9), 10).unwrap(), Vec::<Vec<u8>>::new());
    assert_eq!(store.named("nobody").unwrap(), None);
    assert_eq!(store.names(None, 10).unwrap(), []);
    assert_eq!(store.open_streams().unwrap(), []);
    assert_eq!(store.refusal(), None);
}

pub async fn pages_end_at_their_limits<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    for _ in 0..8 {
        writer.write((0..20).map(|_| sized(60_000)).collect()).await;
    }
    let (store, stream) = (log.store(), writer.stream());
    let fits = |page: &[Vec<u8>]| {
        let bytes: usize = page.iter().map(Vec::len).sum();
        assert!(bytes <= PAGE_BYTES && bytes + 61_000 > PAGE_BYTES, "a page of {bytes} bytes");
    };
    let page = store.read_all(Position(1), usize::MAX).unwrap();
    fits(&page);
    let rest = store.read_all(Position(page.len() as u64 + 1), usize::MAX).unwrap();
    assert_eq!(positions(&[page, rest].concat()), (1..=160).collect::<Vec<_>>());

    let page = store.read_stream(stream, Version(1), usize::MAX).unwrap();
    fits(&page);
    let rest = store.read_stream(stream, Version(page.len() as u64 + 1), usize::MAX).unwrap();
    for (from, limit, is_last) in [(1, usize::MAX, false), (page.len() + 1, usize::MAX, true), (151, 10, false)] {
        let (events, last) = log.read_page(stream, Version(from as u64), limit).unwrap();
        assert_eq!((events[0].version.0, last), (from as u64, is_last), "whether the stream ends here is known");
    }
    assert_eq!(versions(&[page, rest].concat()), (1..=160).collect::<Vec<_>>());

    let page = store.read_stream_back(stream, Version(u64::MAX), usize::MAX).unwrap();
    fits(&page);
    let rest = store.read_stream_back(stream, Version(160 - page.len() as u64), usize::MAX).unwrap();
    assert_eq!(versions(&[page, rest].concat()), (1..=160).rev().collect::<Vec<_>>());
}

/// One append may hold more than a page: it opens again, and pages begin in its middle.
pub async fn an_append_larger_than_a_page<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let mut writer = Writer::new(&log);
    writer.write((0..200).map(|_| sized(60_000)).collect()).await;
    let stream = writer.stream();
    drop(log);
    let log = subject.log();
    assert_eq!(positions(&everything(&**log.store())), (1..=200).collect::<Vec<_>>());
    assert_eq!(versions(&log.store().read_stream(stream, Version(190), 100).unwrap()), (190..=200).collect::<Vec<_>>());
    assert_eq!(versions(&log.store().read_stream_back(stream, Version(3), 100).unwrap()), [3, 2, 1]);
}
