//! A host inside this process.

use crate::{
    assemble::{self, AssembleError},
    cli::{
        context::Context,
        exit::{Exit, Failure},
    },
    config::{DataFolder, Loaded},
};
use dispatch_actors::{HostHandle, StartError};
use dispatch_events::{
    Clock, SystemClock,
    framed::FramedError,
    lock::{FolderLock, LockError},
    log::{LogError, OpenLogError},
    store::{OpenError, ReadError, StartError as StoreError},
};
use std::path::Path;

/// A running host, and the folder's lock.
pub struct Inside {
    /// The host.
    pub handle: HostHandle,
    /// The settings that it runs with.
    pub loaded: Loaded,
    /// Whether it has anything to end.
    drains: bool,
    /// None for a log file.
    _lock: Option<FolderLock>,
}

impl Inside {
    /// Takes the folder and starts a host in it. `what` is what others are told of the holder.
    pub async fn start(context: &Context, what: &str, recover: bool) -> Result<Self, Failure> {
        let loaded = context.loaded()?;
        let secrets = context.secrets()?;
        let lock = hold(&context.folder, what)?;
        let parts = assemble::host_parts(&context.folder, &loaded, &secrets, recover)?;
        let handle = HostHandle::start(parts).await.map_err(|error| not_started(&error))?;
        Ok(Self { handle, loaded, drains: true, _lock: Some(lock) })
    }

    /// Takes the folder for a look at all of its log: nothing is appended, so that what is looked at stays as it is.
    pub fn look_at_folder(context: &Context, what: &str) -> Result<Self, Failure> {
        let loaded = context.loaded()?;
        let secrets = context.secrets()?;
        // Who only looks makes nothing: a mistyped folder is no empty log that is sound.
        if !context.folder.log().exists() {
            return Err(Failure::new(
                Exit::NotFound,
                format!("there is no log in {}", context.folder.path().display()),
            ));
        }
        let lock = hold(&context.folder, what)?;
        let handle = HostHandle::look(assemble::host_parts(&context.folder, &loaded, &secrets, false)?);
        Ok(Self { handle, loaded, drains: false, _lock: Some(lock) })
    }

    /// A host that looks at a log file.
    pub fn look(context: &Context, file: &Path) -> Result<Self, Failure> {
        let loaded = context.loaded()?;
        let handle = HostHandle::look(assemble::file_parts(file, &loaded)?);
        Ok(Self { handle, loaded, drains: false, _lock: None })
    }

    /// Lets running turns and memory writes end, records the stop, and gives the folder back.
    pub async fn stop(self, reason: &str) {
        // Who only looks has nothing to end, and records nothing.
        if self.drains {
            self.handle.drain(reason).await;
        }
    }
}

/// Takes the folder, for work that no host may see in between.
pub fn hold(folder: &DataFolder, what: &str) -> Result<FolderLock, Failure> {
    FolderLock::take(folder.path(), what, SystemClock.now()).map_err(|error| held(folder, &error))
}

fn held(folder: &DataFolder, error: &LockError) -> Failure {
    let folder = folder.path().display();
    match error {
        LockError::Held(_) => Failure::held(format!(
            "{error}: wait until it is done, stop it, or choose another folder with --data ({folder})"
        )),
        LockError::Io(_) => Failure::failed(format!("{error} ({folder})")),
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        match error {
            AssembleError::Config(errors) => errors.into(),
            AssembleError::NotBuilt(what) => Self::not_built(&what),
            AssembleError::Log(error) => opened(&error),
            AssembleError::Framed(error) => Self::new(file_exit(&error), error.to_string()),
            error @ AssembleError::MoveCutOff { .. } => Self::new(Exit::Refused, error.to_string()),
            AssembleError::Files(why) => Self::failed(why),
        }
    }
}

fn file_exit(error: &FramedError) -> Exit {
    match error {
        FramedError::Damaged { .. } | FramedError::Read(ReadError::Damaged { .. } | ReadError::Missing { .. }) => {
            Exit::Damaged
        }
        FramedError::Foreign { .. } => Exit::Usage,
        _ => Exit::Failed,
    }
}

fn opened(error: &OpenLogError) -> Failure {
    let exit = match error {
        OpenLogError::Store(error) if error.is_damage() => Exit::Damaged,
        OpenLogError::Store(StoreError::Open(OpenError::OtherEngine { .. } | OpenError::Unfinished { .. })) => {
            Exit::Refused
        }
        _ => Exit::Failed,
    };
    Failure::new(exit, error.to_string())
}

fn not_started(error: &StartError) -> Failure {
    let damaged = matches!(error, StartError::Log(LogError::Read(error)) if error.is_damage());
    Failure::new(if damaged { Exit::Damaged } else { Exit::Failed }, error.to_string())
}
