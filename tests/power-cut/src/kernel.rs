//! What no safe interface offers: shutting a file system down, and syncs that do nothing.
//!
//! `fsync` and `fdatasync` are defined here, so the linker gives these to everything in a test's binary, the log and its
//! engines included. They call the kernel, unless [`lose`] said otherwise: that takes the log's durability away without a
//! switch in the product, and shows that the suite would notice.
#![expect(unsafe_code, reason = "system calls that have no safe form; the only file of the workspace with any")]

use std::{
    ffi::{c_int, c_long},
    fs::File,
    io,
    os::fd::AsRawFd,
    sync::atomic::{AtomicBool, Ordering},
};

/// `FS_IOC_SHUTDOWN`, which is `_IOR('X', 125, u32)`.
const SHUTDOWN: libc::Ioctl = 0x8004_587d;
/// Drop what is dirty, and the journal that is not committed, as a power failure does.
const NO_LOG_FLUSH: u32 = 2;

static LOSE_FSYNC: AtomicBool = AtomicBool::new(false);
static LOSE_FDATASYNC: AtomicBool = AtomicBool::new(false);

/// From now on these calls of this process answer at once and sync nothing.
pub fn lose(fsync: bool, fdatasync: bool) {
    LOSE_FSYNC.store(fsync, Ordering::Relaxed);
    LOSE_FDATASYNC.store(fdatasync, Ordering::Relaxed);
}

/// Shuts down the file system that `folder` is on.
///
/// # Errors
/// What the kernel says.
pub fn shut_down(folder: &File) -> io::Result<()> {
    let how = NO_LOG_FLUSH;
    // SAFETY: the request reads one u32 from the pointer, which outlives the call.
    let result = unsafe { libc::ioctl(folder.as_raw_fd(), SHUTDOWN, &raw const how) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Stands in for libc's.
#[unsafe(no_mangle)]
pub extern "C" fn fsync(file: c_int) -> c_int {
    sync(&LOSE_FSYNC, libc::SYS_fsync, file)
}

/// Stands in for libc's.
#[unsafe(no_mangle)]
pub extern "C" fn fdatasync(file: c_int) -> c_int {
    sync(&LOSE_FDATASYNC, libc::SYS_fdatasync, file)
}

fn sync(lose: &AtomicBool, call: c_long, file: c_int) -> c_int {
    if lose.load(Ordering::Relaxed) {
        return 0;
    }
    // SAFETY: both calls take a file descriptor and no pointer; `syscall` sets errno as libc's own do.
    let result = unsafe { libc::syscall(call, file) };
    if result == 0 { 0 } else { -1 }
}
