//! Every event type, against the bytes that a release wrote for it. A shape that changes without a new schema version
//! turns these red: old logs could not be read.
//!
//! `DISPATCH_BLESS=1` writes fixtures that are missing. It never overwrites one: bytes on disk are for ever.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

mod samples;

use dispatch_events::{
    Body, Epoch, Event, Recorded,
    catalogue::host::{HostStarted, PreviousRun},
    store::index::{IndexEffect, effect_of, has_effect},
};
use samples::Sample;
use std::{collections::BTreeSet, fmt::Write, fs, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn file_name(sample: &Sample) -> String {
    format!("{}-{}-{}.hex", sample.event.name(), sample.event.schema(), sample.variant)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        let end = if index % 40 == 39 { "\n" } else { "" };
        write!(text, "{byte:02x}{end}").unwrap();
    }
    text.trim_end().to_owned() + "\n"
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn every_event_reads_back_as_it_was_written() {
    for sample in samples::all() {
        let event = sample.event;
        let bytes = event.encode().unwrap();
        let back = Event::decode(event.name(), event.schema(), &bytes).unwrap();
        assert_eq!(back, Some(event));
    }
}

/// A repair of the indexes opens no payload of which this says that it has no effect on them.
#[test]
fn what_has_an_effect_on_the_indexes_is_known_by_its_name() {
    let mut with_effect = BTreeSet::new();
    for sample in samples::all() {
        let kind = sample.event.name();
        let recorded = Recorded {
            position: Default::default(),
            stream: Default::default(),
            version: Default::default(),
            id: Default::default(),
            recorded_at: Default::default(),
            epoch: Default::default(),
            correlation: Default::default(),
            causation: Default::default(),
            principal: Default::default(),
            kind: kind.to_owned(),
            schema: sample.event.schema(),
            key: Default::default(),
            hash: Default::default(),
            body: Body::Known(sample.event),
            shared: Vec::new(),
        };
        if effect_of(&recorded) != IndexEffect::default() {
            with_effect.insert(kind);
        }
    }
    for (kind, _) in Event::TYPES {
        assert_eq!(has_effect(kind), with_effect.contains(kind), "{kind}");
    }
}

#[test]
fn every_event_has_the_bytes_of_its_fixture() {
    let bless = std::env::var("DISPATCH_BLESS").is_ok_and(|value| value == "1");
    for sample in samples::all() {
        let path = folder().join(file_name(&sample));
        let bytes = sample.event.encode().unwrap();
        if bless && !path.exists() {
            fs::write(&path, hex(&bytes)).unwrap();
        }
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; DISPATCH_BLESS=1 writes what is missing", path.display()));
        let fixture = unhex(&text);
        let name = file_name(&sample);
        assert_eq!(hex(&bytes), hex(&fixture), "{name}: another shape needs another schema version and an upcaster");
        let back = Event::decode(sample.event.name(), sample.event.schema(), &fixture).unwrap();
        assert_eq!(back.as_ref(), Some(&sample.event), "{name}");
    }
}

#[test]
fn every_type_has_a_sample_and_every_fixture_is_read() {
    let samples = samples::all();
    let sampled: BTreeSet<_> = samples.iter().map(|sample| (sample.event.name(), sample.event.schema())).collect();
    let types: BTreeSet<_> = Event::TYPES.iter().copied().collect();
    assert_eq!(types.len(), Event::TYPES.len(), "a name and schema version stand twice in the catalogue");
    let without: Vec<_> = types.difference(&sampled).collect();
    assert!(without.is_empty(), "no sample in events/tests/catalogue/samples for {without:?}");

    let named: BTreeSet<_> = samples.iter().map(file_name).collect();
    assert_eq!(named.len(), samples.len(), "two samples have the same name");
    let files: BTreeSet<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("envelope-"))
        .collect();
    for name in files.difference(&named) {
        // Of an older schema version: it must decode for ever, through its upcaster.
        let mut pieces = name.splitn(3, '-');
        let (kind, schema) = (pieces.next().unwrap(), pieces.next().unwrap().parse::<u16>().unwrap());
        let current = Event::TYPES.iter().find(|(other, _)| *other == kind).map_or(0, |(_, current)| *current);
        assert!(schema < current, "no sample reads {name}: bytes that a release wrote stay, and so does their sample");
        let bytes = unhex(&fs::read_to_string(folder().join(name)).unwrap());
        assert!(Event::decode(kind, schema, &bytes).unwrap().is_some(), "{name} needs an upcaster");
    }
}

/// A type with optional or repeated fields has a sample without any and one with all of them.
#[test]
fn samples_come_empty_and_full() {
    let samples = samples::all();
    let with = |variant: &str| -> BTreeSet<_> {
        samples.iter().filter(|sample| sample.variant == variant).map(|sample| sample.event.name()).collect()
    };
    assert_eq!(with("empty"), with("full"));
    for sample in samples.iter().filter(|sample| sample.variant == "empty" || sample.variant == "full") {
        let holes = holes(&sample.event.to_json());
        match sample.variant {
            "empty" => assert!(holes > 0, "{} has nothing optional, or it is not empty", sample.event.name()),
            _ => assert_eq!(holes, 0, "{} is not full", sample.event.name()),
        }
    }
    for sample in samples.iter().filter(|sample| sample.variant == "plain") {
        assert_eq!(holes(&sample.event.to_json()), 0, "{} has optional fields: empty and full", sample.event.name());
    }
}

/// How many nulls and empty lists there are.
fn holes(json: &serde_json::Value) -> usize {
    match json {
        serde_json::Value::Null => 1,
        serde_json::Value::Array(items) if items.is_empty() => 1,
        serde_json::Value::Array(items) => items.iter().map(holes).sum(),
        serde_json::Value::Object(fields) => fields.values().map(holes).sum(),
        _ => 0,
    }
}

/// What a release before wrote is read as the current shape, with what it did not say marked as unknown.
#[test]
fn an_event_of_an_older_version_is_upcast() {
    let bytes = unhex(&fs::read_to_string(folder().join("host.started-1-plain.hex")).unwrap());
    let expected = HostStarted {
        epoch: Epoch(70_000),
        release: "0.1.0".into(),
        engine: "sled".into(),
        previous: PreviousRun::Unknown,
    };
    assert_eq!(Event::decode("host.started", 1, &bytes).unwrap(), Some(expected.into()));
    for end in 0..bytes.len() {
        assert!(Event::decode("host.started", 1, &bytes[..end]).is_err(), "decodes from its first {end} bytes");
    }
}

#[test]
fn another_version_or_name_is_not_an_error() {
    assert_eq!(Event::decode("host.started", 3, b"whatever").unwrap(), None);
    assert_eq!(Event::decode("a.stranger", 1, b"").unwrap(), None);
}

#[test]
fn cut_or_longer_bytes_are_an_error_for_every_type() {
    for sample in samples::all() {
        let (name, schema) = (sample.event.name(), sample.event.schema());
        let mut bytes = sample.event.encode().unwrap();
        for end in 0..bytes.len() {
            let cut = Event::decode(name, schema, &bytes[..end]);
            assert!(cut.is_err(), "{name} decodes from its first {end} bytes");
        }
        bytes.push(0);
        assert!(Event::decode(name, schema, &bytes).is_err(), "{name} ignores a byte at its end");
    }
}
