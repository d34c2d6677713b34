//! Care of the log: into a file, and a backup of the whole folder. Both while the host goes on.

use super::{body::JsonBody, long, problem::Problem, state::Gateway};
use crate::audit::VerifyReport;
use actix_web::{HttpRequest, HttpResponse, web::Data};
use dispatch_events::{
    Digest, Position,
    backup::{Along, BackedUp},
    framed::{Exported, keys_beside},
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A log in a file, as the API and the command line tell it.
#[derive(Clone, Debug, Serialize)]
pub struct ExportReport {
    /// The file, on the host's machine.
    pub file: PathBuf,
    /// The file of its keys, if they were written.
    pub keys: Option<PathBuf>,
    /// Events in it.
    pub events: u64,
    /// Appends that they were written in.
    pub appends: u64,
    /// Blobs in it.
    pub blobs: u64,
    /// Blobs that are damaged or can't be read; they were so in the log.
    pub damaged_blobs: u64,
    /// Files that were taken along.
    pub files: u64,
    /// Position of its last event.
    pub position: Position,
    /// The log's chain there.
    pub log_hash: Digest,
}

impl ExportReport {
    /// What was written to `file`.
    pub fn new(file: &Path, exported: &Exported) -> Self {
        let written = &exported.trailer;
        Self {
            file: file.to_owned(),
            keys: exported.keys.then(|| keys_beside(file)),
            events: written.records,
            appends: written.appends,
            blobs: written.blobs,
            damaged_blobs: exported.damaged_blobs,
            files: written.files,
            position: written.head.position,
            log_hash: written.head.hash,
        }
    }
}

/// A backup, and what reading it again found.
#[derive(Clone, Debug, Serialize)]
pub struct BackupReport {
    /// What was written.
    #[serde(flatten)]
    pub written: ExportReport,
    /// What reading it again found.
    pub verified: VerifyReport,
}

impl BackupReport {
    /// What was written to `file`.
    pub fn new(file: &Path, done: BackedUp) -> Self {
        Self { written: ExportReport::new(file, &done.exported), verified: done.report.into() }
    }
}

/// Where a log goes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToFile {
    file: PathBuf,
    #[serde(default = "yes")]
    keys: bool,
}

fn yes() -> bool {
    true
}

/// `POST /api/log/export`.
pub(super) async fn export(
    gateway: Data<Gateway>,
    request: HttpRequest,
    to: JsonBody<ToFile>,
) -> Result<HttpResponse, Problem> {
    let ToFile { file, keys } = to.0;
    whole(&file)?;
    let host = gateway.host.clone();
    long::answer(gateway, &request, |tell| async move {
        let exported = host.export_log(file.clone(), keys, move |step| tell.tell(step)).await?;
        Ok(ExportReport::new(&file, &exported))
    })
    .await
}

/// Where a backup goes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BackupTo {
    file: PathBuf,
}

/// `POST /api/backup`.
pub(super) async fn backup(
    gateway: Data<Gateway>,
    request: HttpRequest,
    to: JsonBody<BackupTo>,
) -> Result<HttpResponse, Problem> {
    let BackupTo { file } = to.0;
    whole(&file)?;
    let (host, along) = (gateway.host.clone(), along(&gateway)?);
    long::answer(gateway, &request, |tell| async move {
        let done = host.backup(file.clone(), along, move |step| tell.tell(step)).await?;
        Ok(BackupReport::new(&file, done))
    })
    .await
}

fn along(gateway: &Gateway) -> Result<Vec<Along>, Problem> {
    let Some(folder) = &gateway.settings.folder else { return Ok(Vec::new()) };
    folder.to_take_along().map_err(|error| {
        let why = format!("settings and memories in {} can't be read: {error}", folder.path().display());
        Problem::new(super::Code::StorageUnavailable, why)
    })
}

/// The host has a working folder that its callers don't know.
fn whole(file: &Path) -> Result<(), Problem> {
    if file.is_absolute() {
        return Ok(());
    }
    Err(Problem::invalid(format!("`file` is a whole path on the host's machine, not `{}`", file.display())))
}
