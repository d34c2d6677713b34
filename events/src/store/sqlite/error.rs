//! What SQLite says, as an error of ours.

use crate::store::{EngineError, ReadError};
use rusqlite::{Connection, Error, ErrorCode};

/// An error of a read, or of a statement before the commit.
pub fn read(error: Error) -> ReadError {
    let io = match &error {
        Error::SqliteFailure(failure, _) => !matches!(
            failure.code,
            // `Unknown` is SQLite's plain error: a statement that does not fit the tables. They are checked at opening.
            ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::TypeMismatch
                | ErrorCode::ConstraintViolation
                | ErrorCode::Unknown
        ),
        // A column of another type or range than was written.
        _ => false,
    };
    if io { ReadError::Io(error.to_string()) } else { ReadError::damaged("a page of SQLite", error.to_string()) }
}

/// An error before the commit. The mark that makes a batch valid was never written, so when it is rolled back nothing of
/// it is in the log, whatever the error was.
pub fn before_commit(writer: &Connection, error: &ReadError) -> EngineError {
    settle(writer, true, error.to_string())
}

/// An error of the commit itself. SQLite says that the disk is full when a write to its log found no room, and writes
/// the mark that makes a commit valid last: the batch did not land. Any other error may have come behind that mark.
pub fn at_commit(writer: &Connection, error: &Error) -> EngineError {
    settle(writer, error.sqlite_error_code() == Some(ErrorCode::DiskFull), error.to_string())
}

fn settle(writer: &Connection, certain: bool, why: String) -> EngineError {
    if !writer.is_autocommit()
        && let Err(error) = writer.execute_batch("ROLLBACK")
    {
        return EngineError::Broken(format!("{why}; and it could not be rolled back: {error}"));
    }
    if certain { EngineError::Refused(why) } else { EngineError::Broken(why) }
}
