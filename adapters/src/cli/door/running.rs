//! Whether a host runs in the folder. `host.json` only says where to ask; the lock says whether anybody is there. So a
//! file that a killed host left stops nobody, and the token never goes to a program that took the old port.

use super::client::Client;
use crate::{
    cli::{context::Context, exit::Failure},
    config::{host_file::HostFile, token},
};
use dispatch_events::{
    Clock, SystemClock,
    lock::{FolderLock, LockError},
};
use std::time::Duration;

/// A running host answers within this; a loaded one too.
const PATIENCE: Duration = Duration::from_secs(2);

/// The host that runs in the folder and listens, if there is one.
pub async fn find(context: &Context) -> Result<Option<Client>, Failure> {
    let Some(file) = HostFile::read(&context.folder.host_file()) else { return Ok(None) };
    let Ok(token) = token::read(&context.folder.token_file()) else { return Ok(None) };
    let Ok(client) = Client::new(&file.url, token) else { return Ok(None) };
    if !client.alive(PATIENCE).await {
        tracing::info!(url = file.url, "host.json names a host that does not answer");
        return Ok(None);
    }
    Ok(is_held(context).then_some(client))
}

/// Whether some process holds the folder. Taking the lock for a moment is the only way to know.
fn is_held(context: &Context) -> bool {
    let taken = FolderLock::take(context.folder.path(), "a look for a running host", SystemClock.now());
    matches!(taken, Err(LockError::Held(_)))
}
