//! Care of the log, through either kind of host. How far it is shows on the terminal.

use super::{Door, document};
use crate::{
    cli::{context::Context, exit::Failure},
    gateway::{BackupReport, ExportReport, VerifyReport},
};
use serde_json::{Value, json};
use std::path::Path;

impl Door {
    /// Whether the whole log is what was written.
    pub async fn verify(&self, context: &Context) -> Result<Value, Failure> {
        let mut progress = context.paper.progress();
        match self {
            Self::Inside(inside) => {
                let report = inside.handle.verify_with(move |step| progress.tell(step)).await?;
                document(&VerifyReport::from(report))
            }
            Self::Running(client) => client.long(&["api", "audit", "verify"], &[], None, &mut progress).await,
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
