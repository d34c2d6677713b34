//! A data folder with a log, and changes of its rows behind the engine's back.

use crate::subject::{Writer, block_on, met, opened, owed, renamed, sized, small};
use dispatch_events::{
    Epoch, Log, ObligationId, StreamId, SystemClock,
    envelope::{Header, write_record},
    store::EngineKind,
};
use std::{path::PathBuf, sync::Arc};

pub struct Folder {
    pub data: tempfile::TempDir,
    pub engine: EngineKind,
    pub one: StreamId,
    pub two: StreamId,
    /// In one append.
    pub short: StreamId,
    pub last: StreamId,
}

impl Folder {
    /// Three streams by turns, and a fourth with so many appends that opening looks at none of the others.
    pub fn new(engine: EngineKind) -> Self {
        let data = tempfile::tempdir().unwrap();
        let log = Log::open(data.path(), engine, Arc::new(SystemClock)).unwrap();
        let (mut one, mut two) = (Writer::new(&log), Writer::new(&log));
        let (mut short, mut last) = (Writer::new(&log), Writer::new(&log));
        let ids = [ObligationId::fresh(), ObligationId::fresh()];
        block_on(async {
            one.write(vec![opened("one"), owed(ids[0])]).await; // 1, 2
            two.write(vec![opened("two"), renamed("two", "zwei"), owed(ids[1])]).await; // 3, 4, 5
            short.write(vec![opened("short"), small()]).await; // 6, 7
            for _ in 0..5 {
                one.write(vec![small(), sized(9_000)]).await;
                two.write(vec![small()]).await;
            }
            one.write(vec![met(ids[0])]).await;
            for _ in 0..70 {
                last.write(vec![small()]).await;
            }
        });
        let [one, two, short, last] = [one, two, short, last].map(|writer| writer.stream());
        drop(log);
        Self { data, engine, one, two, short, last }
    }

    pub fn log(&self) -> Log {
        Log::open(self.data.path(), self.engine, Arc::new(SystemClock)).unwrap()
    }

    pub fn path(&self) -> PathBuf {
        self.data.path().join("log")
    }

    pub fn sqlite(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path().join("log.sqlite")).unwrap()
    }

    /// sled gives its lock back a moment after its last handle is dropped.
    pub fn sled(&self) -> sled::Db {
        let open = || sled::Config::new().path(self.path()).open();
        for _ in 0..100 {
            if let Ok(db) = open() {
                return db;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        open().unwrap()
    }

    /// Takes the appends of a stream away from a version on.
    pub fn remove(&self, stream: StreamId, from: u64) {
        match self.engine {
            EngineKind::Sqlite => {
                let gone = "DELETE FROM frames WHERE stream = ?1 AND version >= ?2";
                assert!(self.sqlite().execute(gone, (stream.bytes(), from as i64)).unwrap() > 0);
            }
            EngineKind::Sled => {
                let db = self.sled();
                let frames = db.open_tree("frames").unwrap();
                let keys: Vec<_> = frames.range(key(stream, from)..=key(stream, u64::MAX)).keys().collect();
                assert!(!keys.is_empty());
                keys.into_iter().for_each(|key| drop(frames.remove(key.unwrap()).unwrap()));
                db.flush().unwrap();
            }
        }
    }

    /// Changes the bytes of the append that begins at a version; of its first part, where an engine cuts it.
    pub fn change(&self, stream: StreamId, version: u64, change: impl FnOnce(&mut Vec<u8>)) {
        match self.engine {
            EngineKind::Sqlite => {
                let db = self.sqlite();
                let place = (stream.bytes(), version as i64);
                let found = "SELECT bytes FROM frames WHERE stream = ?1 AND version = ?2";
                let mut bytes: Vec<u8> = db.query_row(found, place, |row| row.get(0)).unwrap();
                change(&mut bytes);
                let put = "UPDATE frames SET bytes = ?3 WHERE stream = ?1 AND version = ?2";
                assert_eq!(db.execute(put, (place.0, place.1, bytes)).unwrap(), 1);
            }
            EngineKind::Sled => {
                let db = self.sled();
                let frames = db.open_tree("frames").unwrap();
                let mut bytes = frames.get(key(stream, version)).unwrap().unwrap().to_vec();
                change(&mut bytes);
                frames.insert(key(stream, version), bytes).unwrap();
                db.flush().unwrap();
            }
        }
    }

    /// Writes another record in the place of the first of an append: whole in itself, by who knows the format.
    pub fn forge(&self, stream: StreamId, version: u64) {
        self.change(stream, version, |bytes| {
            let (header, payload) = Header::parse(bytes).unwrap();
            let length = 242 + payload.len();
            let mut record = Vec::new();
            let writer = Header { epoch: Epoch(77), ..header.clone() }.writer_bytes();
            write_record(&mut record, &writer, payload, header.prev_hash, header.position);
            bytes.splice(..length, record);
        });
    }
}

fn key(stream: StreamId, version: u64) -> [u8; 26] {
    let mut key = [0; 26];
    key[..16].copy_from_slice(&stream.bytes());
    key[16..24].copy_from_slice(&version.to_be_bytes());
    key
}
