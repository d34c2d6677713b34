//! Whether a host runs in the folder. `host.json` only says where to ask.

use super::client::Client;
use crate::{
    cli::{context::Context, exit::Failure},
    config::{host_file::HostFile, token},
};
use std::time::Duration;

/// A running host answers within this; a loaded one too.
const PATIENCE: Duration = Duration::from_secs(2);
/// A host that has just taken the folder listens within this.
const START: Duration = Duration::from_secs(4);
const PAUSE: Duration = Duration::from_millis(50);

/// The host that runs in the folder and listens, if there is one.
pub async fn find(context: &Context) -> Result<Option<Client>, Failure> {
    let Some(file) = HostFile::read(&context.folder.host_file()) else { return Ok(None) };
    let Ok(token) = token::read(&context.folder.token_file()) else { return Ok(None) };
    let Ok(client) = Client::new(&file.url, token) else { return Ok(None) };
    let alive = client.alive(PATIENCE).await;
    if !alive {
        tracing::info!(url = file.url, "host.json names a host that does not answer");
    }
    Ok(alive.then_some(client))
}

/// The folder is held: by a host that is about to listen, or by a verb. Waits for the first.
pub async fn wait_for(context: &Context) -> Result<Option<Client>, Failure> {
    let mut waited = Duration::ZERO;
    while waited < START {
        if let Some(client) = find(context).await? {
            return Ok(Some(client));
        }
        actix_rt::time::sleep(PAUSE).await;
        waited += PAUSE;
    }
    Ok(None)
}
