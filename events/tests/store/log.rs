//! Sealing and opening: what the key holder reads, and what everybody else does not.

use crate::subject::{Memory, Sled, Subject, Vault, Writer, draft, sized, small};
use dispatch_events::{
    Body, Digest, Event, EventId, Log, SharedText, StreamId, SystemClock, Version,
    blob::BlobStore,
    catalogue::prompt::ToolsetFrozen,
    codec,
    envelope::{Flags, Header},
    keys::Keyring,
    seal,
    store::{Append, EventStore, SealedEvent},
};
use std::sync::Arc;

fn bodies(log: &Log, stream: StreamId) -> Vec<Body> {
    log.read_stream(stream, Version(1), 100).unwrap().into_iter().map(|recorded| recorded.body).collect()
}

fn unreadable(body: &Body, why: &str) {
    match body {
        Body::Unreadable(text) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_sealed_opens_with_its_header() {
    let log = Memory::new().log().in_epoch(dispatch_events::Epoch(9));
    let mut writer = Writer::new(&log);
    let secret = draft(sized(300));
    let appended = log.append(writer.tip, vec![secret.clone()]).await.unwrap();
    writer.tip.version = Version(1);
    writer.write(vec![small()]).await;
    let read = log.read_stream(writer.stream(), Version(1), 1).unwrap().remove(0);
    assert_eq!(read.event(), Some(&secret.event));
    assert_eq!(
        (read.correlation, read.causation, read.principal),
        (secret.correlation, secret.causation, secret.principal)
    );
    assert_eq!((read.kind.as_str(), read.schema, read.epoch.0), ("memory.recalled", 1, 9));
    let told = &appended.events[0];
    assert_eq!((told.id, told.hash, told.position, told.key), (read.id, read.hash, read.position, read.key));
    assert_eq!(told.body, read.body);
    let record = log.store().read_stream(writer.stream(), Version(1), 1).unwrap().remove(0);
    assert!(!record.windows(10).any(|window| window == b"abcdefghij"), "the text lies in the log in clear");
    let tip = log.tip(writer.stream()).unwrap().unwrap();
    assert_eq!(tip, writer.tip);
    assert_eq!(log.tip(StreamId::fresh()).unwrap(), None);
}

#[tokio::test]
async fn without_the_right_key_a_payload_is_unreadable_and_the_rest_is_there() {
    let (subject, vault) = (Memory::new(), Vault::new());
    let log = vault.log(Arc::new(subject.store()));
    let mut writer = Writer::new(&log);
    writer.write(vec![small(), sized(200_000)]).await;
    drop(log);

    // No key at all.
    let stranger =
        Log::new(Arc::new(subject.store()), Keyring::in_memory(), BlobStore::in_memory(), Arc::new(SystemClock));
    let read = bodies(&stranger, writer_stream(&subject));
    assert_eq!(read.len(), 2);
    read.iter().for_each(|body| unreadable(body, "is missing"));
    drop(stranger);

    // Another key under the same id.
    let folder = vault.folder().join("keys");
    for slab in std::fs::read_dir(&folder).unwrap() {
        let path = slab.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        for slot in bytes[8..].chunks_mut(36) {
            slot[..32].fill(7);
            let crc = crc32c::crc32c(&slot[..32]).to_be_bytes();
            slot[32..].copy_from_slice(&crc);
        }
        std::fs::write(path, bytes).unwrap();
    }
    let other = vault.log(Arc::new(subject.store()));
    bodies(&other, writer_stream(&subject)).iter().for_each(|body| unreadable(body, "does not open with its key"));
}

fn writer_stream(subject: &Memory) -> StreamId {
    Header::place(&subject.store().read_all(dispatch_events::Position(1), 1).unwrap()[0]).unwrap().stream
}

#[tokio::test]
async fn a_destroyed_key_erases_its_stream_and_no_other() {
    for on_disk in [false, true] {
        let (subject, vault) = (Memory::new(), Vault::new());
        let log = if on_disk { vault.log(Arc::new(subject.store())) } else { subject.log() };
        let (mut gone, mut kept) = (Writer::new(&log), Writer::new(&log));
        gone.write(vec![small(), sized(100_000)]).await;
        kept.write(vec![small()]).await;
        log.keys().destroy(gone.tip.key).unwrap();
        assert_eq!(bodies(&log, gone.stream()), [Body::Erased, Body::Erased]);
        assert!(matches!(bodies(&log, kept.stream())[..], [Body::Known(_)]));
        assert!(gone.log.append(gone.tip, vec![draft(small())]).await.is_err(), "nothing is sealed with it again");
        let (gone, kept) = (gone.stream(), kept.stream());
        drop(log);
        if on_disk {
            let log = vault.log(Arc::new(subject.store()));
            assert_eq!(bodies(&log, gone), [Body::Erased, Body::Erased]);
            assert!(matches!(bodies(&log, kept)[..], [Body::Known(_)]));
        }
    }
}

/// A record as a later release might write it.
fn foreign(log: &Log, tip: dispatch_events::log::Tip, change: impl FnOnce(&mut Header), payload: &[u8]) -> Append {
    let mut append = log.prepare(tip, vec![draft(small())]).unwrap();
    let recorded = append.events[0].recorded.clone();
    let mut header = Header {
        codec: codec::BINCODE_2,
        flags: Flags(Flags::SEALED),
        key: tip.key,
        stream: tip.stream,
        version: recorded.version,
        id: recorded.id,
        recorded_at: recorded.recorded_at,
        epoch: recorded.epoch,
        correlation: recorded.correlation,
        causation: EventId::default(),
        principal: recorded.principal,
        schema: 1,
        kind: recorded.kind.clone(),
        length: 0,
        prev_hash: Digest::default(),
        position: dispatch_events::Position(0),
        hash: Digest::default(),
    };
    change(&mut header);
    let writer = header.writer_bytes();
    let payload = seal::seal(&log.keys().get(tip.key).unwrap().sealing, &writer, payload).unwrap();
    append.events = vec![SealedEvent { writer, payload, recorded }];
    append
}

#[tokio::test]
async fn what_this_build_does_not_know_is_kept_and_skipped() {
    let log = Memory::new().log();
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    let changes: [fn(&mut Header); 3] =
        [|header| header.kind = "session.dreamt".into(), |header| header.schema = 2, |header| header.codec = 9];
    for change in changes {
        log.store().append(foreign(&log, tip, change, b"from the future")).await.unwrap();
        tip.version = tip.version.next();
    }
    log.append(tip, vec![draft(small())]).await.unwrap();
    let read = log.read_stream(tip.stream, Version(1), 10).unwrap();
    assert_eq!((read[0].kind.as_str(), read[1].schema), ("session.dreamt", 2));
    assert!(matches!(read[0].body, Body::Unknown { length } if length == 15 + 40));
    assert!(matches!(read[1].body, Body::Unknown { .. }) && matches!(read[2].body, Body::Unknown { .. }));
    assert!(read[3].event().is_some());
}

#[tokio::test]
async fn a_payload_that_is_no_such_event_is_named_and_skipped() {
    let log = Memory::new().log();
    let mut tip = log.new_tip(StreamId::fresh()).unwrap();
    log.store().append(foreign(&log, tip, |_| {}, b"?")).await.unwrap();
    tip.version = Version(1);
    let garbled = |header: &mut Header| header.flags = Flags(Flags::SEALED | Flags::BLOB);
    log.store().append(foreign(&log, tip, garbled, b"?")).await.unwrap();
    let read = bodies(&log, tip.stream);
    read.iter().for_each(|body| unreadable(body, "can't be decoded"));
    assert_eq!(read.len(), 2);
}

/// A payload moved under another header does not open: the header is sealed with it.
#[tokio::test]
async fn a_payload_opens_under_its_own_header_only() {
    let log = Memory::new().log();
    let tip = log.new_tip(StreamId::fresh()).unwrap();
    let mut moved = log.prepare(tip, vec![draft(small()), draft(small())]).unwrap();
    let (first, rest) = moved.events.split_at_mut(1);
    std::mem::swap(&mut first[0].payload, &mut rest[0].payload);
    log.store().append(moved).await.unwrap();
    bodies(&log, tip.stream).iter().for_each(|body| unreadable(body, "does not open with its key"));
}

#[tokio::test]
async fn a_lost_or_damaged_blob_is_named_and_a_second_put_cures_it() {
    let (subject, vault) = (Sled::new(), Vault::new());
    let log = vault.log(Arc::new(subject.store()));
    let mut writer = Writer::new(&log);
    let large = sized(100_000);
    writer.write(vec![large.clone(), small()]).await;
    let folder = vault.folder().join("blobs").join(writer.stream().to_string());
    let blob = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&blob).unwrap();
    bytes[5000] ^= 1;
    std::fs::write(&blob, bytes).unwrap();
    unreadable(&bodies(&log, writer.stream())[0], "is damaged");
    std::fs::remove_file(&blob).unwrap();
    unreadable(&bodies(&log, writer.stream())[0], "is missing");
    std::fs::write(&blob, b"cut off").unwrap();
    writer.write(vec![large.clone()]).await;
    let read = log.read_stream(writer.stream(), Version(1), 10).unwrap();
    assert_eq!((read[0].event(), read[2].event()), (Some(&large), Some(&large)));
}

#[tokio::test]
async fn shared_texts_come_beside_the_event() {
    let (subject, vault) = (Memory::new(), Vault::new());
    let log = vault.log(Arc::new(subject.store()));
    let frozen = |address, length| ToolsetFrozen { schemas: SharedText { address, length }, names: vec![] };
    let address = log.blobs().share("[{}]").unwrap();
    let mut writer = Writer::new(&log);
    let event: Event = frozen(address, 4).into();
    let appended = writer.write(vec![event]).await;
    assert_eq!(&*appended.events[0].shared[0], "[{}]");
    let nobody = log.prepare(writer.tip, vec![draft(frozen(Digest::default(), 4))]);
    assert!(nobody.is_err(), "a text that is not there can't be named");
    let stream = writer.stream();
    drop(log);
    let again = vault.log(Arc::new(subject.store()));
    let read = again.read_stream(stream, Version(1), 1).unwrap().remove(0);
    assert_eq!(&*read.shared[0], "[{}]");
}
