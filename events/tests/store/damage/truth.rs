//! What a log holds, and a look at a copy of it in every way that there is.

use crate::subject::{Vault, Writer, met, opened, owed, renamed, sized, small};
use dispatch_events::{
    EventId, ObligationId, Position, StreamId, Version,
    envelope::Header,
    store::{EngineKind, EventStore, Head, LogHead, NameKey, NameSecret, ReadError},
    verify::verify,
};
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

pub struct Truth {
    vault: Vault,
    records: Vec<Vec<u8>>,
    end: LogHead,
    streams: BTreeMap<StreamId, Vec<Vec<u8>>>,
    heads: BTreeMap<StreamId, Option<Head>>,
    ids: Vec<(EventId, Position)>,
    names: Vec<(String, StreamId)>,
    name_rows: Vec<(NameKey, StreamId)>,
    open: Vec<StreamId>,
}

#[derive(Debug, PartialEq)]
pub enum Found {
    /// The log was not opened, with these words.
    Refused(String),
    /// It was opened, and something said that it is damaged.
    Errors,
    /// Everything was there: the damage lay where nothing is kept.
    Whole,
}

impl Truth {
    /// Writes a log of 460 events in 30 streams.
    pub async fn write(store: Arc<dyn EventStore>) -> Self {
        let vault = Vault::new();
        let log = vault.log(store.clone());
        let mut writers: Vec<_> = (0..30).map(|_| Writer::new(&log)).collect();
        for (number, writer) in writers.iter_mut().enumerate() {
            let obligation = ObligationId::fresh();
            writer.write(vec![opened(&format!("session {number}")), owed(obligation)]).await;
            if number % 3 == 0 {
                writer.write(vec![met(obligation)]).await;
                writer.write(vec![renamed(&format!("session {number}"), &format!("renamed {number}"))]).await;
            }
        }
        for round in 0..190 {
            writers[round * 7 % 30].write(vec![small(), sized(round * 31)]).await;
        }
        let name = |number| format!("{} {number}", if number % 3 == 0 { "renamed" } else { "session" });
        let names: Vec<_> = writers.iter().enumerate().map(|(number, it)| (name(number), it.stream())).collect();
        drop(writers);
        Self::of(vault, &*store, names)
    }

    fn of(vault: Vault, store: &dyn EventStore, names: Vec<(String, StreamId)>) -> Self {
        let streams = names.iter().map(|(_, id)| *id);
        let records = crate::subject::everything(store);
        let mut open = store.open_streams().unwrap();
        open.sort();
        let truth = Self {
            end: store.log_head(),
            streams: streams.clone().map(|id| (id, store.read_stream(id, Version(1), 1000).unwrap())).collect(),
            heads: streams.map(|id| (id, store.head(id).unwrap())).collect(),
            ids: records.iter().map(|record| Header::parse(record).unwrap().0).map(|it| (it.id, it.position)).collect(),
            name_rows: store.names(None, usize::MAX).unwrap(),
            names,
            vault,
            records,
            open,
        };
        assert_eq!((truth.records.len(), truth.name_rows.len(), truth.open.len()), (460, 30, 20));
        truth
    }

    /// Opens the log in `folder` and looks at all of it.
    pub fn look(&self, engine: EngineKind, folder: &Path, what: &str) -> Found {
        catch_unwind(AssertUnwindSafe(|| self.look_at(engine, folder, what)))
            .unwrap_or_else(|_| panic!("{what}: wrong data, or a panic that came out of the crate"))
    }

    fn look_at(&self, engine: EngineKind, folder: &Path, what: &str) -> Found {
        let store = match engine.start(folder, NameSecret::new([7; 32])) {
            Ok(store) => store,
            Err(refused) => return Found::Refused(refused.to_string()),
        };
        let mut look = Look { what, errors: 0 };
        match verify(&self.vault.log(store.clone())) {
            Ok(report) if report.is_sound() && report.unreadable == 0 => {
                look.same("the report of the check", Ok((report.events, report.log_hash)), &(460, self.end.hash));
            }
            _ => look.errors += 1,
        }
        look.same("the end of the log", Ok(store.log_head()), &self.end);
        for (stream, records) in &self.streams {
            look.stream(&*store, *stream, records);
            look.same("a head", store.head(*stream), &self.heads[stream]);
        }
        look.same("the head of no stream", store.head(StreamId::fresh()), &None);
        look.log(&*store, &self.records);
        for (id, position) in &self.ids {
            look.same("an id", store.position_of(*id), &Some(*position));
        }
        look.same("no id", store.position_of(EventId::fresh()), &None);
        self.indexes(&*store, &mut look);
        if look.errors == 0 { Found::Whole } else { Found::Errors }
    }

    fn indexes(&self, store: &dyn EventStore, look: &mut Look) {
        for (name, owner) in &self.names {
            look.same("a name", store.named(name), &Some(*owner));
        }
        for nobodys in ["session 0", "session 1000", "a", "z"] {
            look.same("nobody's name", store.named(nobodys), &None);
        }
        look.same("the names", store.names(None, usize::MAX), &self.name_rows);
        let open = store.open_streams().map(|mut open| {
            open.sort();
            open
        });
        look.same("the open streams", open, &self.open);
    }
}

struct Look<'a> {
    what: &'a str,
    errors: usize,
}

impl Look<'_> {
    /// An answer is the right one or an error.
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, of: &str, found: Result<T, ReadError>, truth: &T) {
        match found {
            Ok(found) => assert!(found == *truth, "{}: {of} is {found:?}, not {truth:?}", self.what),
            Err(_) => self.errors += 1,
        }
    }

    /// Whole records are those that were written, and all of them unless one is an error.
    fn page(&mut self, found: Result<Vec<Vec<u8>>, ReadError>, truth: &[&Vec<u8>], of: &str) {
        match found {
            Err(_) => self.errors += 1,
            Ok(page) => {
                assert_eq!(page.len(), truth.len(), "{}: {of} came out of another length", self.what);
                for (record, truth) in page.iter().zip(truth) {
                    match Header::parse(record) {
                        Ok(_) => assert!(record == *truth, "{}: {of} holds another record", self.what),
                        Err(_) => self.errors += 1,
                    }
                }
            }
        }
    }

    fn stream(&mut self, store: &dyn EventStore, stream: StreamId, truth: &[Vec<u8>]) {
        let forward: Vec<_> = truth.iter().collect();
        let back: Vec<_> = truth.iter().rev().collect();
        let all = store.read_stream(stream, Version(1), 1000);
        self.page(all, &forward, "a stream");
        self.page(store.read_stream(stream, Version(4), 3), &forward[3..6], "a page of a stream");
        let end = Version(truth.len() as u64);
        self.page(store.read_stream(stream, end.next(), 10), &[], "what lies behind a stream");
        self.page(store.read_stream_back(stream, Version(u64::MAX), 1000), &back, "a stream backwards");
    }

    fn log(&mut self, store: &dyn EventStore, truth: &[Vec<u8>]) {
        for (number, truth) in truth.chunks(20).enumerate() {
            let truth: Vec<_> = truth.iter().collect();
            self.page(store.read_all(Position(number as u64 * 20 + 1), 20), &truth, "a page of the log");
        }
        self.page(store.read_all(Position(truth.len() as u64 + 1), 10), &[], "what lies behind the log");
    }
}
