//! Opening: a whole new file or one that is checked. Everything else is a refusal that names the way out, and leaves
//! the files as they are.

use super::{
    SqliteEngine, error, frames, index,
    readers::Readers,
    rows,
    schema::{APPLICATION, FILE, FORMAT, JOURNAL, LOCK, TABLES, UNFINISHED, WAL},
};
use crate::{
    Digest, Position, disk,
    store::{
        LogHead, OpenError, ReadError,
        tail::{self, CHECKED_APPENDS},
        witness::Witness,
    },
};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
    sync::{Mutex, atomic::AtomicU64},
    time::Duration,
};

/// Bytes of a page.
const PAGE: u32 = 4096;
/// Page cache of the writer and of each reader, in KiB. Together below 16 MiB: a host of a million events is to stay
/// within 40 MiB, and the operating system's cache holds the same pages again.
const WRITER_CACHE_KIB: i64 = 8 * 1024;
const READER_CACHE_KIB: i64 = 2 * 1024;
/// Pages in the write-ahead log at which a commit moves them to the database.
const CHECKPOINT_PAGES: i64 = 2048;
/// Bytes that the file of the write-ahead log keeps between two uses. What is kept is overwritten in place, which costs
/// a sync less than a file that grows.
const WAL_KEPT: u64 = 16 * 1024 * 1024;
/// Bytes that it may have while reads keep it from beginning anew.
const WAL_MOST: u64 = 4 * WAL_KEPT;
/// How long a statement waits for a lock of another connection.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Statements of the engine, with room.
const STATEMENTS: usize = 64;
/// SQLite's door to the files. This one keeps the index of the write-ahead log in memory, where SQLite else maps a file:
/// on a full disk a page of that file which has no block yet is a signal that ends the process. The price is that no
/// other process can read meanwhile, which the folder's lock rules out already.
#[cfg(unix)]
const VFS: &str = "unix-excl";
#[cfg(not(unix))]
const VFS: &str = "win32";

/// Why a log is not opened, without its folder.
enum Refusal {
    Io(io::Error),
    InUse,
    Damaged(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(why) => Self::Io(io::Error::other(why)),
            damaged => Self::Damaged(damaged.to_string()),
        }
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        error::read(error).into()
    }
}

impl SqliteEngine {
    /// Opens the log in `folder`, or makes a new one.
    ///
    /// # Errors
    /// [`OpenError`]; nothing was written to the log.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::open_checked(folder, Self::check_tail)
    }

    /// Opens the log in `folder` without the check of its tail, which rests on the indexes: for who repairs those, and
    /// reads every record before.
    ///
    /// # Errors
    /// As [`SqliteEngine::open`].
    pub fn open_for_repair(folder: &Path) -> Result<Self, OpenError> {
        Self::open_checked(folder, |_| Ok(()))
    }

    fn open_checked(folder: &Path, check: impl Fn(&Self) -> Result<(), ReadError>) -> Result<Self, OpenError> {
        let owned = || folder.to_owned();
        Self::open_folder(folder, check).map_err(|refusal| match refusal {
            Refusal::Io(error) => OpenError::Io { folder: owned(), error },
            Refusal::InUse => OpenError::InUse { folder: owned() },
            Refusal::Damaged(why) => OpenError::Damaged { folder: owned(), why },
        })
    }

    fn check_tail(&self) -> Result<(), ReadError> {
        self.readers.read(|reader| {
            let newest = frames::places(reader, Position(u64::MAX), CHECKED_APPENDS + 1)?;
            tail::check(self, &newest, |place| frames::load(reader, place))
        })
    }

    fn open_folder(folder: &Path, check: impl Fn(&Self) -> Result<(), ReadError>) -> Result<Self, Refusal> {
        disk::create_private_dir(folder)?;
        let lock = lock(folder)?;
        let witness = Witness::open(folder)?;
        if !folder.join(FILE).try_exists()? {
            never_begun(folder, &witness)?;
            create(folder)?;
        }
        present(folder)?;
        let writer = writer(&folder.join(FILE))?;
        // Until all is checked: closing must not move a damaged or foreign write-ahead log into the database.
        writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        ours(&writer)?;
        let id = log_id(&writer)?;
        let readers = Readers::new(folder.join(FILE));
        let (folder, writer, wal_most) = (folder.to_owned(), Mutex::new(writer), WAL_MOST);
        let engine = Self { folder, id, witness, readers, writer, wal_most, wal_stuck: AtomicU64::new(0), _lock: lock };
        engine.witness.check(&engine)?;
        check(&engine)?;
        engine.writer().set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        Ok(engine)
    }
}

/// SQLite does not refuse a second open. The lock is the operating system's and goes with the process.
fn lock(folder: &Path) -> Result<File, Refusal> {
    let file = disk::private_options().create(true).truncate(false).open(folder.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Refusal::InUse),
        Err(TryLockError::Error(error)) => Err(Refusal::Io(error)),
    }
}

/// Nothing says that there was a log here whose database is gone.
fn never_begun(folder: &Path, witness: &Witness) -> Result<(), Refusal> {
    if let Some(end) = witness.named()?.filter(|end| end.position > Position(0)) {
        let why = format!("`{FILE}` is gone, but position {} had been acknowledged", end.position);
        return Err(Refusal::Damaged(why));
    }
    if folder.join(WAL).try_exists()? {
        return Err(Refusal::Damaged(format!("`{FILE}` is gone, but `{WAL}` is there")));
    }
    Ok(())
}

/// Makes an empty log under another name, and renames it when all of it is on the disk.
fn create(folder: &Path) -> Result<(), Refusal> {
    let unfinished = folder.join(UNFINISHED);
    for left in [UNFINISHED.to_owned(), format!("{UNFINISHED}-wal"), format!("{UNFINISHED}-journal")] {
        match fs::remove_file(folder.join(left)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    drop(disk::private_options().create_new(true).open(&unfinished)?);
    let connection = writer(&unfinished)?;
    connection.execute_batch(&format!("PRAGMA page_size = {PAGE}; PRAGMA auto_vacuum = NONE; VACUUM;"))?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(Refusal::Io(io::Error::other("this file system can't hold a write-ahead log of SQLite")));
    }
    let tables = connection.unchecked_transaction()?;
    for table in TABLES {
        tables.execute_batch(table)?;
    }
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| io::Error::other(error.to_string()))?;
    let end = LogHead::default();
    tables.execute("INSERT INTO log (one, id, crc) VALUES (1, ?1, ?2)", (id, rows::log_crc(&id)))?;
    tables.execute(
        "INSERT INTO log_end (one, log, position, log_hash, crc) VALUES (1, ?1, 0, ?2, ?3)",
        (id, end.hash.0, rows::end_crc(&id, &end)),
    )?;
    for index in index::ALL {
        index.begin(&tables)?;
    }
    tables.pragma_update(None, "application_id", APPLICATION)?;
    tables.pragma_update(None, "user_version", FORMAT)?;
    tables.commit()?;
    // The last connection moves everything to the database and removes the write-ahead log.
    connection.close().map_err(|(_, error)| error)?;
    File::open(&unfinished)?.sync_all()?;
    fs::rename(&unfinished, folder.join(FILE))?;
    disk::sync_dir(folder)?;
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        disk::sync_dir(parent)?;
    }
    Ok(())
}

/// SQLite takes an empty file for a new database and plays any journal that it finds beside it into the database.
fn present(folder: &Path) -> Result<(), Refusal> {
    if fs::metadata(folder.join(FILE))?.len() == 0 {
        return Err(Refusal::Damaged(format!("`{FILE}` is empty")));
    }
    if folder.join(JOURNAL).try_exists()? {
        return Err(Refusal::Damaged(format!("`{JOURNAL}` is not a file of this log: move it away")));
    }
    Ok(())
}

/// The file is a log of Dispatch in the form that this build writes.
fn ours(writer: &Connection) -> Result<(), Refusal> {
    let number = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if number("application_id")? != APPLICATION {
        return Err(Refusal::Damaged(format!("`{FILE}` is not a log of Dispatch")));
    }
    let format = number("user_version")?;
    if format != FORMAT {
        let why =
            format!("`{FILE}` has format {format}, this build reads {FORMAT}: use a newer release, if it is whole");
        return Err(Refusal::Damaged(why));
    }
    let mode: String = writer.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" || number("auto_vacuum")? != 0 {
        return Err(Refusal::Damaged(format!("the header of `{FILE}` is not the one that was written")));
    }
    let mut statement = writer.prepare("SELECT sql FROM sqlite_schema ORDER BY rowid")?;
    let tables = statement.query_map([], |row| row.get::<_, Option<String>>(0))?.collect::<Result<Vec<_>, _>>()?;
    if !tables.iter().map(Option::as_deref).eq(TABLES.map(Some)) {
        return Err(Refusal::Damaged(format!("the tables of `{FILE}` are not those that were made")));
    }
    Ok(())
}

/// The log's id, which its first page and every commit must agree on.
fn log_id(writer: &Connection) -> Result<[u8; 16], Refusal> {
    let (id, crc) = writer
        .query_row("SELECT id, crc FROM log", [], |row| Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, i64>(1)?)))?;
    if crc != rows::log_crc(&id) {
        return Err(Refusal::Damaged("the log's own id is damaged".to_owned()));
    }
    end(writer, &id)?;
    Ok(id)
}

/// The end of the log as the last commit wrote it.
pub(super) fn end(reader: &Connection, id: &[u8; 16]) -> Result<LogHead, ReadError> {
    let mut statement =
        reader.prepare_cached("SELECT log, position, log_hash, crc FROM log_end").map_err(error::read)?;
    let row = statement.query_row([], |row| {
        let (log, position): ([u8; 16], i64) = (row.get(0)?, row.get(1)?);
        let end = LogHead { position: Position(position.unsigned_abs()), hash: Digest(row.get(2)?) };
        Ok((log, end, row.get::<_, i64>(3)?))
    });
    let (log, end, crc) = row.map_err(error::read)?;
    if crc != rows::end_crc(&log, &end) {
        return Err(ReadError::damaged("the end of the log", "the checksum of its row does not fit"));
    }
    if log != *id {
        return Err(ReadError::damaged("the end of the log", format!("`{WAL}` belongs to another log")));
    }
    Ok(end)
}

fn writer(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connection(path, OpenFlags::SQLITE_OPEN_READ_WRITE, WRITER_CACHE_KIB)?;
    // FULL: a commit syncs the write-ahead log before it returns. NORMAL lost acknowledged events in power cuts.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", WAL_KEPT as i64)?;
    Ok(connection)
}

/// A connection of the pool.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    connection(path, OpenFlags::SQLITE_OPEN_READ_ONLY, READER_CACHE_KIB)
}

fn connection(path: &Path, access: OpenFlags, cache_kib: i64) -> rusqlite::Result<Connection> {
    // A connection is only ever in one thread's hands.
    let connection = Connection::open_with_flags_and_vfs(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX, VFS)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.busy_timeout(LOCK_WAIT)?;
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    // Reads through a mapping turn an error of the disk into a signal that ends the process.
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Pages whose cells can't be right are named when they are read in.
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}
