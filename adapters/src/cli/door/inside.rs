//! A host inside this process.

use crate::{
    assemble::{self, AssembleError},
    cli::{
        context::Context,
        exit::{Exit, Failure},
    },
    config::Loaded,
};
use dispatch_actors::{HostHandle, StartError};
use dispatch_events::{
    Clock, SystemClock,
    lock::{FolderLock, LockError},
    log::{LogError, OpenLogError},
    store::{OpenError, StartError as StoreError},
};

/// A running host, and the folder's lock.
pub struct Inside {
    /// The host.
    pub handle: HostHandle,
    /// The settings that it runs with.
    pub loaded: Loaded,
    _lock: FolderLock,
}

impl Inside {
    /// Takes the folder and starts a host in it. `what` is what others are told of the holder.
    pub async fn start(context: &Context, what: &str, recover: bool) -> Result<Self, Failure> {
        let loaded = context.loaded()?;
        let secrets = context.secrets()?;
        let lock =
            FolderLock::take(context.folder.path(), what, SystemClock.now()).map_err(|error| held(context, &error))?;
        let parts = assemble::host_parts(&context.folder, &loaded, &secrets, recover)?;
        let handle = HostHandle::start(parts).await.map_err(|error| not_started(&error))?;
        Ok(Self { handle, loaded, _lock: lock })
    }

    /// Lets running turns and memory writes end, records the stop, and gives the folder back.
    pub async fn stop(self, reason: &str) {
        self.handle.drain(reason).await;
    }
}

fn held(context: &Context, error: &LockError) -> Failure {
    let folder = context.folder.path().display();
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
            AssembleError::Files(why) => Self::failed(why),
        }
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
