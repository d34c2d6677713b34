//! Care of the log, through either kind of host. How far it is shows on the terminal.

use super::{Door, document};
use crate::{
    audit::Check,
    cli::{context::Context, exit::Failure},
    gateway::{BackupReport, ExportReport},
};
use serde_json::{Value, json};
use std::path::Path;

impl Door {
    /// Whether the log is what was written.
    pub async fn verify(&self, context: &Context, check: &Check) -> Result<Value, Failure> {
        let mut progress = context.paper.progress();
        match self {
            Self::Inside(inside) => document(&check.run(&inside.handle, move |step| progress.tell(step)).await?),
            Self::Running(client) => {
                let mut query = vec![("since_last", check.since_last.to_string())];
                query.extend(check.anchor.as_ref().map(|anchor| ("anchor", anchor.display().to_string())));
                query.extend(check.public_key.as_ref().map(|key| ("public_key", key.to_string())));
                client.long(&["api", "audit", "verify"], &query, None, &mut progress).await
            }
        }
    }

    /// What the log is now, signed.
    pub async fn anchor(&self, context: &Context) -> Result<Value, Failure> {
        match self {
            Self::Inside(inside) => document(&inside.handle.anchor(context.folder.keys()).await?),
            Self::Running(client) => client.post(&["api", "audit", "anchor"], &json!({})).await,
        }
    }

    /// The whole log into a file, with its keys beside it or without.
    pub async fn export_log(&self, context: &Context, file: &Path, keys: bool) -> Result<Value, Failure> {
        let mut progress = context.paper.progress();
        match self {
            Self::Inside(inside) => {
                let tell = move |step| progress.tell(step);
                let exported = inside.handle.export_log(file.to_owned(), keys, tell).await?;
                document(&ExportReport::new(file, &exported))
            }
            Self::Running(client) => {
                let body = json!({"file": file, "keys": keys});
                client.long(&["api", "log", "export"], &[], Some(&body), &mut progress).await
            }
        }
    }

    /// A backup of log, keys, settings and memories.
    pub async fn backup(&self, context: &Context, file: &Path) -> Result<Value, Failure> {
        let mut progress = context.paper.progress();
        match self {
            Self::Inside(inside) => {
                let along = context.folder.to_take_along();
                let along = along.map_err(|error| {
                    let folder = context.folder.path().display();
                    Failure::failed(format!("settings and memories in {folder} can't be read: {error}"))
                })?;
                let tell = move |step| progress.tell(step);
                document(&BackupReport::new(file, inside.handle.backup(file.to_owned(), along, tell).await?))
            }
            Self::Running(client) => {
                client.long(&["api", "backup"], &[], Some(&json!({"file": file})), &mut progress).await
            }
        }
    }
}
