//! An index whose silence can be trusted.
//!
//! SQLite takes a flipped bit for good data. A checksum in a row finds it in what is read; but a bit in a key, or in a
//! page that leads to it, makes a row *unfindable*, and "there is no such name" would be believed. So the rows are
//! chained: each names the key of the `next` one, in order, and its checksum covers that. The first row has the empty
//! key and no value, the last names the empty key. A key that is not there is proven by the row before it, which spans
//! over it, and a page of keys by each row naming the one behind it.

use super::error;
use crate::store::ReadError;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// One of the indexes.
pub struct Index {
    /// Name of its table.
    pub name: &'static str,
    at_or_below: &'static str,
    below: &'static str,
    last: &'static str,
    from: &'static str,
    insert: &'static str,
    update: &'static str,
    remove: &'static str,
    clear: &'static str,
}

macro_rules! index {
    ($name:literal) => {
        Index {
            name: $name,
            at_or_below: concat!(
                "SELECT key, next, value, crc FROM ",
                $name,
                " WHERE key <= ?1 ORDER BY key DESC LIMIT 1"
            ),
            below: concat!("SELECT key, next, value, crc FROM ", $name, " WHERE key < ?1 ORDER BY key DESC LIMIT 1"),
            last: concat!("SELECT key, next, value, crc FROM ", $name, " ORDER BY key DESC LIMIT 1"),
            from: concat!("SELECT key, next, value, crc FROM ", $name, " WHERE key >= ?1 ORDER BY key"),
            insert: concat!("INSERT INTO ", $name, " (key, next, value, crc) VALUES (?1, ?2, ?3, ?4)"),
            update: concat!("UPDATE ", $name, " SET next = ?2, value = ?3, crc = ?4 WHERE key = ?1"),
            remove: concat!("DELETE FROM ", $name, " WHERE key = ?1"),
            clear: concat!("DELETE FROM ", $name),
        }
    };
}

/// event id → position.
pub const IDS: Index = index!("ids");
/// stream → version, hash, key.
pub const HEADS: Index = index!("heads");
/// blinded session name → stream.
pub const NAMES: Index = index!("names");
/// stream → number of open things.
pub const OPEN: Index = index!("open");
/// All of them.
pub const ALL: [&Index; 4] = [&IDS, &HEADS, &NAMES, &OPEN];

/// A key and its value.
pub type KeyValue = (Vec<u8>, Vec<u8>);

/// A row whose checksum fits.
struct Entry {
    key: Vec<u8>,
    next: Vec<u8>,
    value: Vec<u8>,
}

impl Entry {
    /// Whether there is no key between this row's and `key`, nor `key` itself.
    fn spans(&self, key: &[u8]) -> bool {
        self.key.as_slice() < key && (self.next.is_empty() || key < self.next.as_slice())
    }
}

impl Index {
    /// Makes the row that an empty index has.
    pub fn begin(&self, writer: &Connection) -> Result<(), ReadError> {
        self.insert(writer, &[], &[], &[])
    }

    /// Removes every row and begins anew.
    pub fn clear(&self, writer: &Connection) -> Result<(), ReadError> {
        writer.execute(self.clear, []).map_err(error::read)?;
        self.begin(writer)
    }

    /// The value of a key.
    pub fn get(&self, reader: &Connection, key: &[u8]) -> Result<Option<Vec<u8>>, ReadError> {
        let entry = self.at_or_below(reader, key)?;
        Ok((entry.key == key).then_some(entry.value))
    }

    /// Keys behind `after` in order, with their values, at most `limit`.
    pub fn range(&self, reader: &Connection, after: &[u8], limit: usize) -> Result<Vec<KeyValue>, ReadError> {
        let mut last = self.at_or_below(reader, after)?;
        let mut found = Vec::new();
        let mut statement = reader.prepare_cached(self.from).map_err(error::read)?;
        let mut rows = statement.query([&last.next]).map_err(error::read)?;
        while found.len() < limit && !last.next.is_empty() {
            let Some(row) = rows.next().map_err(error::read)? else { return Err(self.broken(&last.next)) };
            let entry = self.entry(row)?;
            if entry.key != last.next {
                return Err(self.broken(&last.next));
            }
            found.push((entry.key.clone(), entry.value.clone()));
            last = entry;
        }
        Ok(found)
    }

    /// The greatest key; empty when there is none.
    pub fn greatest(&self, reader: &Connection) -> Result<Vec<u8>, ReadError> {
        let entry = self.one(reader, self.last, None)?;
        if entry.next.is_empty() { Ok(entry.key) } else { Err(self.broken(&entry.next)) }
    }

    /// Sets keys to values.
    pub fn put<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        &self,
        writer: &Connection,
        rows: &mut [(K, V)],
    ) -> Result<(), ReadError> {
        rows.sort_by(|(one, _), (two, _)| one.as_ref().cmp(two.as_ref()));
        let mut rest = &*rows;
        while let Some((key, value)) = rest.first() {
            let (key, value) = (key.as_ref(), value.as_ref());
            let entry = self.at_or_below(writer, key)?;
            if entry.key == key {
                self.update(writer, key, &entry.next, value)?;
                rest = &rest[1..];
                continue;
            }
            // Keys that come in one gap are linked to each other, and to the row before it once.
            let run = rest.iter().take_while(|(key, _)| entry.spans(key.as_ref())).count();
            for (at, (key, value)) in rest[..run].iter().enumerate() {
                let next = rest[..run].get(at + 1).map_or(entry.next.as_slice(), |(next, _)| next.as_ref());
                self.insert(writer, key.as_ref(), next, value.as_ref())?;
            }
            self.update(writer, &entry.key, key, &entry.value)?;
            rest = &rest[run..];
        }
        Ok(())
    }

    /// Removes a key if it is there.
    pub fn remove(&self, writer: &Connection, key: &[u8]) -> Result<(), ReadError> {
        let entry = self.at_or_below(writer, key)?;
        if entry.key != key {
            return Ok(());
        }
        let before = self.one(writer, self.below, Some(key))?;
        if before.next != key {
            return Err(self.broken(key));
        }
        self.execute(writer, self.remove, params![key])?;
        self.update(writer, &before.key, &entry.next, &before.value)
    }

    /// The row of `key`, or the one that proves that there is none.
    fn at_or_below(&self, reader: &Connection, key: &[u8]) -> Result<Entry, ReadError> {
        let entry = self.one(reader, self.at_or_below, Some(key))?;
        if entry.key == key || entry.spans(key) { Ok(entry) } else { Err(self.broken(key)) }
    }

    fn one(&self, reader: &Connection, sql: &str, key: Option<&[u8]>) -> Result<Entry, ReadError> {
        let mut statement = reader.prepare_cached(sql).map_err(error::read)?;
        let entry = statement.query_row(rusqlite::params_from_iter(key), |row| Ok(self.entry(row)));
        entry.optional().map_err(error::read)?.unwrap_or_else(|| Err(self.broken(key.unwrap_or_default())))
    }

    fn entry(&self, row: &Row) -> Result<Entry, ReadError> {
        let column = |at| row.get::<_, Vec<u8>>(at).map_err(error::read);
        let entry = Entry { key: column(0)?, next: column(1)?, value: column(2)? };
        let crc: i64 = row.get(3).map_err(error::read)?;
        if crc != self.crc(&entry.key, &entry.next, &entry.value) {
            return Err(ReadError::damaged(self.place(&entry.key), "the row's checksum does not fit"));
        }
        Ok(entry)
    }

    fn insert(&self, writer: &Connection, key: &[u8], next: &[u8], value: &[u8]) -> Result<(), ReadError> {
        self.execute(writer, self.insert, params![key, next, value, self.crc(key, next, value)])
    }

    fn update(&self, writer: &Connection, key: &[u8], next: &[u8], value: &[u8]) -> Result<(), ReadError> {
        self.execute(writer, self.update, params![key, next, value, self.crc(key, next, value)])
    }

    /// Runs a statement that changes exactly one row.
    fn execute(&self, writer: &Connection, sql: &str, params: &[&dyn rusqlite::ToSql]) -> Result<(), ReadError> {
        let changed = writer.prepare_cached(sql).and_then(|mut statement| statement.execute(params));
        match changed.map_err(error::read)? {
            1 => Ok(()),
            rows => Err(ReadError::damaged(self.name, format!("{rows} rows changed where one has the key"))),
        }
    }

    fn crc(&self, key: &[u8], next: &[u8], value: &[u8]) -> i64 {
        let mut crc = crc32c::crc32c(self.name.as_bytes());
        for piece in [key, next, value] {
            crc = crc32c::crc32c_append(crc, &(piece.len() as u64).to_be_bytes());
            crc = crc32c::crc32c_append(crc, piece);
        }
        i64::from(crc)
    }

    fn place(&self, key: &[u8]) -> String {
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("the index `{}`, key {}", self.name, if hex.is_empty() { "(first)" } else { &hex })
    }

    fn broken(&self, key: &[u8]) -> ReadError {
        ReadError::damaged(self.place(key), "the rows around it do not name each other")
    }
}
