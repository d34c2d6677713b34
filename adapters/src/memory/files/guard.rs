//! The lock beside a file that is written. It is the operating system's, so no crash leaves it behind.

use super::drift::beside;
use dispatch_events::disk;
use std::{
    fs::{File, TryLockError},
    path::Path,
    time::Duration,
};

const ATTEMPTS: u32 = 250;
const PAUSE: Duration = Duration::from_millis(20);

/// Waits for the lock of a file, at most five seconds. It is given back when dropped.
pub(super) fn hold(path: &Path) -> Result<File, String> {
    let lock = beside(path, ".lock");
    let file = disk::private_options().create(true).truncate(false).open(&lock);
    let file = file.map_err(|error| format!("its lock file can't be opened: {error}"))?;
    for _ in 0..ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(format!("its lock can't be taken: {error}")),
        }
    }
    Err(format!("another process holds {}; try again when it is done", lock.display()))
}
