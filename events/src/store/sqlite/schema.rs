//! The tables, and the marks by which a file is known as ours.

/// The database, inside the log folder.
pub const FILE: &str = "log.sqlite";
/// It is made under this name and renamed when it is whole, so that [`FILE`] is never half made.
pub const UNFINISHED: &str = "log.sqlite.new";
/// SQLite's write-ahead log beside it.
pub const WAL: &str = "log.sqlite-wal";
/// A rollback journal beside it: never ours, and SQLite would play it into the database.
pub const JOURNAL: &str = "log.sqlite-journal";
/// What the lock is taken on.
pub const LOCK: &str = "in-use";

/// `DSPL` in the file's header.
pub const APPLICATION: i32 = i32::from_be_bytes(*b"DSPL");
/// Version of the tables below.
pub const FORMAT: i32 = 1;

/// Every table and index, word for word as SQLite keeps the text: a schema that reads otherwise is damaged or foreign.
///
/// Each row has a CRC32C over its table's name and all its columns; `frames.bytes` is left out, because every record in
/// it has one of its own, and one damaged record should not spoil its neighbours. The columns of `ids`, `heads`, `names`
/// and `open` are explained in `index.rs`. `log` is written once and `log_end` by every commit: a write-ahead log that
/// was cut off, or that is another log's, leaves them in disagreement with each other or with the frames.
pub const TABLES: [&str; 8] = [
    "CREATE TABLE log (one INTEGER PRIMARY KEY, id BLOB NOT NULL, crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE log_end (one INTEGER PRIMARY KEY, log BLOB NOT NULL, position INTEGER NOT NULL, \
     log_hash BLOB NOT NULL, crc INTEGER NOT NULL) STRICT",
    "CREATE TABLE frames (position INTEGER PRIMARY KEY, stream BLOB NOT NULL, version INTEGER NOT NULL, \
     count INTEGER NOT NULL, log_hash BLOB NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT",
    "CREATE UNIQUE INDEX frames_of_stream ON frames (stream, version)",
    "CREATE TABLE ids (key BLOB PRIMARY KEY, next BLOB NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL) \
     STRICT, WITHOUT ROWID",
    "CREATE TABLE heads (key BLOB PRIMARY KEY, next BLOB NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL) \
     STRICT, WITHOUT ROWID",
    "CREATE TABLE names (key BLOB PRIMARY KEY, next BLOB NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL) \
     STRICT, WITHOUT ROWID",
    "CREATE TABLE open (key BLOB PRIMARY KEY, next BLOB NOT NULL, value BLOB NOT NULL, crc INTEGER NOT NULL) \
     STRICT, WITHOUT ROWID",
];
