//! The data folder: its rights, its files, the room that is left.

use super::Finding;
use crate::cli::context::Context;
use dispatch_events::disk;
use std::path::Path;

const MIB: u64 = 1024 * 1024;
/// The log takes no writes below this.
const FLOOR: u64 = 64 * MIB;
/// Time to make room.
const LOW: u64 = 1024 * MIB;

/// What can be said without opening anything.
pub(super) fn look(context: &Context) -> Vec<Finding> {
    let folder = &context.folder;
    let path = folder.path();
    if !path.exists() {
        let text = format!("{} is not there yet: the first start makes it", path.display());
        return vec![Finding::warn("folder", text), settings(context)];
    }
    vec![
        private("folder", path, 0o077, path.display().to_string()),
        room(path),
        settings(context),
        existing("token", &folder.token_file(), "the first start makes it"),
        existing("keys", &path.join("keys"), "the first session makes it"),
    ]
}

fn existing(what: &'static str, path: &Path, when: &str) -> Finding {
    if path.exists() {
        return private(what, path, 0o077, "for its owner alone".to_owned());
    }
    Finding::ok(what, format!("not there yet: {when}"))
}

#[cfg(unix)]
fn private(what: &'static str, path: &Path, others: u32, good: String) -> Finding {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(path) {
        Err(error) => Finding::fail(what, format!("{} can't be looked at: {error}", path.display())),
        Ok(found) if found.permissions().mode() & others != 0 => {
            let mode = found.permissions().mode() & 0o777;
            Finding::warn(what, format!("others may look at it (mode {mode:03o}): run `chmod go= {}`", path.display()))
        }
        Ok(_) => Finding::ok(what, good),
    }
}

#[cfg(not(unix))]
fn private(what: &'static str, _: &Path, _: u32, good: String) -> Finding {
    Finding::ok(what, good)
}

fn room(path: &Path) -> Finding {
    match disk::free_space(path) {
        Err(error) => Finding::fail("disk", format!("its free room can't be read: {error}")),
        Ok(free) if free < FLOOR => Finding::fail(
            "disk",
            format!("{} MiB are free: the log takes no writes below 64 MiB, make room", free / MIB),
        ),
        Ok(free) if free < LOW => Finding::warn("disk", format!("only {} MiB are free", free / MIB)),
        Ok(free) => Finding::ok("disk", format!("{} GiB are free", free / MIB / 1024)),
    }
}

fn settings(context: &Context) -> Finding {
    match context.loaded().and_then(|loaded| context.secrets().map(|_| loaded)) {
        Ok(loaded) => Finding::ok("settings", format!("{} keys set", loaded.set_keys())),
        Err(failure) => Finding::fail("settings", failure.message),
    }
}
