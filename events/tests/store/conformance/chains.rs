//! Both hash chains, recomputed here from the records, and the same log after it was closed.

use crate::subject::{Subject, Writer, everything, met, opened, owed, small};
use dispatch_events::{
    Digest, Log, ObligationId, Position, StreamId,
    envelope::{CHAINED_LEN, Header},
    store::{EventStore, Head},
};
use std::collections::HashMap;

async fn fill(log: &Log) -> Vec<StreamId> {
    let mut writers: Vec<_> = (0..4).map(|_| Writer::new(log)).collect();
    for round in 0..12 {
        let writer = &mut writers[round % 3];
        let id = ObligationId::fresh();
        writer.write(vec![opened(&format!("round {round}")), owed(id), small()]).await;
        writer.write(vec![met(id)]).await;
    }
    writers[3].write(vec![owed(ObligationId::fresh())]).await;
    writers.iter().map(Writer::stream).collect()
}

pub async fn the_chains_follow_from_the_records<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    fill(&log).await;
    let mut streams: HashMap<StreamId, [u8; 32]> = HashMap::new();
    let mut chain = [0; 32];
    let mut known = 0;
    for record in everything(&**log.store()) {
        let (header, payload) = Header::parse(&record).unwrap();
        let before = streams.entry(header.stream).or_default();
        assert_eq!(header.prev_hash.0, *before);
        let mut hasher = blake3::Hasher::new();
        hasher.update(before).update(&record[..CHAINED_LEN]).update(blake3::hash(payload).as_bytes());
        *before = *hasher.finalize().as_bytes();
        assert_eq!(header.hash.0, *before);

        let mut hasher = blake3::Hasher::new();
        hasher.update(&chain).update(&header.position.0.to_be_bytes()).update(before.as_slice());
        chain = *hasher.finalize().as_bytes();
        if let Some(stored) = log.store().log_hash(header.position).unwrap() {
            assert_eq!(stored.0, chain);
            known += 1;
        }
    }
    assert_eq!(known, 25, "a hash of the log at the end of every append");
    assert_eq!(log.store().log_head().hash, Digest(chain));
    for (stream, hash) in streams {
        let Head { hash: stored, .. } = log.store().head(stream).unwrap().unwrap();
        assert_eq!(stored.0, hash);
    }
    assert_eq!(log.store().log_hash(Position(10_000)).unwrap(), None);
}

pub async fn reopened_it_is_the_same<S: Subject>() {
    let subject = S::new();
    let log = subject.log();
    let streams = fill(&log).await;
    let look = |store: &dyn EventStore| {
        let heads: Vec<_> = streams.iter().map(|stream| store.head(*stream).unwrap()).collect();
        (everything(store), store.log_head(), heads, store.names(None, 100).unwrap(), store.open_streams().unwrap())
    };
    let before = look(&**log.store());
    assert_eq!((before.0.len(), before.3.len(), before.4.len()), (49, 12, 1));
    drop(log);
    let log = subject.log();
    assert_eq!(look(&**log.store()), before);
    Writer::new(&log).write(vec![small()]).await;
    assert_eq!(log.store().log_head().position, Position(50));
}
