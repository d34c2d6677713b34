use super::*;
use uuid::Uuid;

fn header() -> Header {
    Header {
        codec: 1,
        flags: Flags(Flags::SEALED),
        key: KeyId([7; 16]),
        stream: StreamId(Uuid::from_u128(1)),
        version: Version(2),
        id: EventId(Uuid::from_u128(3)),
        recorded_at: Timestamp(4),
        epoch: Epoch(5),
        correlation: CorrelationId(Uuid::from_u128(6)),
        causation: EventId(Uuid::from_u128(7)),
        principal: PrincipalId(Uuid::from_u128(8)),
        schema: 9,
        kind: "input.queued".into(),
        length: 4,
        prev_hash: Digest([10; 32]),
        position: Position(11),
        hash: Digest::default(),
    }
}

fn record() -> Vec<u8> {
    let mut out = Vec::new();
    write_record(&mut out, &header().writer_bytes(), b"body", Digest([10; 32]), Position(11));
    out
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let record = record();
    let (read, payload) = Header::parse(&record).unwrap();
    assert_eq!(payload, b"body");
    assert_eq!(read.hash, read.chained(payload));
    assert_eq!(Header { hash: Digest::default(), ..read }, header());
    assert_eq!(Header::record_len(&record), Some(HEADER_LEN + 4));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let record = record();
    for bit in 0..record.len() * 8 {
        let mut damaged = record.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Header::parse(&damaged).is_err(), "bit {bit} flipped unnoticed");
    }
}

#[test]
fn the_position_is_not_in_the_chain() {
    let mut elsewhere = Vec::new();
    let hash = write_record(&mut elsewhere, &header().writer_bytes(), b"body", Digest([10; 32]), Position(99));
    assert_eq!(hash, Header::parse(&record()).unwrap().0.hash);
}

#[test]
fn every_event_type_fits_the_header() {
    for (kind, _) in crate::Event::TYPES {
        assert!(kind.len() <= TYPE_LEN, "{kind}");
    }
}

#[test]
fn the_layout_is_frozen() {
    let expected = include_str!("../../fixtures/envelope-1.hex").trim();
    let hex: String = record().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, expected, "the layout of a record changed: old logs would not be read");
}
