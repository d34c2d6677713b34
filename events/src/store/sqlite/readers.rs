//! Connections that only read. Reads run while a commit does: each sees the log as it was when the read began.

use super::{error, open};
use crate::store::ReadError;
use rusqlite::Connection;
use std::{
    path::PathBuf,
    sync::{Condvar, Mutex, PoisonError, RwLock, RwLockWriteGuard},
};

/// Most reads at one time; a read beyond them waits for one to end. Each connection keeps a page cache of its own.
const CONNECTIONS: usize = 4;

/// A small pool, filled as it is needed.
pub struct Readers {
    path: PathBuf,
    pool: Mutex<Pool>,
    given_back: Condvar,
    gate: RwLock<()>,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// Connections that exist: idle, or in the hands of a read.
    open: usize,
}

impl Readers {
    pub fn new(path: PathBuf) -> Self {
        Self { path, pool: Mutex::default(), given_back: Condvar::new(), gate: RwLock::new(()) }
    }

    /// Runs a read. All its statements see the same log.
    pub fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let _open = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        let lent = self.lend()?;
        // Rolled back when it is dropped: there is nothing to commit.
        let snapshot = lent.connection().unchecked_transaction().map_err(error::read)?;
        read(&snapshot)
    }

    /// Waits until no read runs, and keeps new ones from beginning while the guard lives.
    pub fn pause(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lend(&self) -> Result<Lent<'_>, ReadError> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        while pool.idle.is_empty() && pool.open == CONNECTIONS {
            pool = self.given_back.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(connection) = pool.idle.pop() {
            return Ok(Lent { readers: self, connection: Some(connection) });
        }
        // Under the lock, so that nobody waits for a connection that fails to open.
        let connection = open::reader(&self.path).map_err(error::read)?;
        pool.open += 1;
        Ok(Lent { readers: self, connection: Some(connection) })
    }
}

/// A connection in the hands of a read; it goes back when the read ends, however that is.
struct Lent<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Lent<'_> {
    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("it is taken out only when this is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.pool.lock().unwrap_or_else(PoisonError::into_inner);
        match self.connection.take().filter(Connection::is_autocommit) {
            Some(connection) => pool.idle.push(connection),
            // Its snapshot could not be given up: the connection is.
            None => pool.open -= 1,
        }
        drop(pool);
        self.readers.given_back.notify_one();
    }
}
