//! A copy that is another data folder: the log in the other engine, keys, blobs, memories and settings. Never the token, and
//! no secrets.

use super::copy::{copy_log, not_copied, settings_to_change, told};
use crate::{
    cli::{
        context::Context,
        door::inside::hold,
        exit::{Exit, Failure},
        log::export::whole,
    },
    config::{DataFolder, Loaded},
};
use dispatch_events::{
    copy::{self, MARKER},
    disk,
    store::EngineKind,
};
use serde_json::{Value, json};
use std::{fs, io, path::Path};

/// Makes the folder `into`, or goes on with one that was begun.
pub(super) fn copy(context: &Context, loaded: &Loaded, to: EngineKind, into: &Path) -> Result<Value, Failure> {
    let (source, target) = (&context.folder, DataFolder::at(whole(into)?));
    let Some(from) = EngineKind::found_in(&source.log()) else {
        let folder = source.path().display();
        return Err(Failure::new(Exit::NotFound, format!("there is no log in {folder} to copy")));
    };
    vacant(&target)?;
    let _lock = hold(&target, "dispatch log copy")?;
    // First of all: a folder that was begun is not opened, and is gone on with.
    copy::begin(&target.log(), to).map_err(|error| not_copied(&error))?;
    for name in ["keys", "blobs"] {
        copy_tree(&source.path().join(name), &target.path().join(name)).map_err(|error| unusable(&target, &error))?;
    }
    for along in source.to_take_along().map_err(|error| unusable(source, &error))? {
        copy_file(&along.path, &target.path().join(&along.name)).map_err(|error| unusable(&target, &error))?;
    }
    let copied = copy_log(context, source, from, &target.log(), to)?;
    let mut report = told(from, to, &target.log(), &copied, settings_to_change(loaded, to));
    report["data"] = json!(target.path());
    Ok(report)
}

fn unusable(folder: &DataFolder, error: &io::Error) -> Failure {
    Failure::failed(format!("{} can't be used: {error}", folder.path().display()))
}

/// Refuses a folder that holds anything, unless it is a copy that was begun.
fn vacant(target: &DataFolder) -> Result<(), Failure> {
    if target.log().join(MARKER).exists() {
        return Ok(());
    }
    let mut entries = match fs::read_dir(target.path()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| unusable(target, &error))?,
    };
    let other = entries.find_map(|entry| entry.ok().map(|entry| entry.file_name()).filter(|name| name != "lock"));
    match other {
        None => Ok(()),
        Some(name) => Err(Failure::new(
            Exit::Refused,
            format!("{} holds `{}` already: give --into a new folder", target.path().display(), name.to_string_lossy()),
        )),
    }
}

/// Copies a folder of files that never change once they have their names.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    disk::create_private_dir(to)?;
    for entry in entries {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        if kind.is_dir() {
            copy_tree(&entry.path(), &to.join(&name))?;
        } else if kind.is_file() && !name.to_string_lossy().starts_with('.') {
            copy_file(&entry.path(), &to.join(&name))?;
        }
    }
    Ok(())
}

/// Copies one file; it has its name when it is whole and on the disk.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    disk::create_private_dir(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(&mut fs::File::open(from)?, file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(to).map_err(|error| error.error)?;
    disk::sync_dir(folder)
}
