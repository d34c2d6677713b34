//! Whether the log is what was written, and anchors of it.

use super::{
    long,
    problem::{Code, Problem},
    query::Given,
    state::Gateway,
};
use crate::audit::Check;
use actix_web::{HttpRequest, HttpResponse, web::Data};
use dispatch_events::anchor::PublicKey;
use serde::Deserialize;
use std::path::PathBuf;

/// What is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    #[serde(default)]
    since_last: bool,
    anchor: Option<PathBuf>,
    public_key: Option<PublicKey>,
}

/// `GET /api/audit/verify`.
pub(super) async fn verify(
    gateway: Data<Gateway>,
    request: HttpRequest,
    asked: Given<Asked>,
) -> Result<HttpResponse, Problem> {
    let Asked { since_last, anchor, public_key } = asked.0;
    if let Some(relative) = anchor.as_ref().filter(|anchor| !anchor.is_absolute()) {
        let why = format!("`anchor` is a whole path on the host's machine, not `{}`", relative.display());
        return Err(Problem::invalid(why));
    }
    let folder = gateway.settings.folder.as_ref().map(|folder| folder.path().to_owned());
    let (host, check) = (gateway.host.clone(), Check { since_last, anchor, public_key, folder });
    long::answer(gateway, &request, |tell| async move { check.run(&host, move |step| tell.tell(step)).await }).await
}

/// `POST /api/audit/anchor`.
pub(super) async fn anchor(gateway: Data<Gateway>) -> Result<HttpResponse, Problem> {
    let Some(folder) = &gateway.settings.folder else {
        return Err(Problem::new(Code::StorageUnavailable, "this host has no folder of keys to sign with"));
    };
    Ok(HttpResponse::Ok().json(gateway.host.anchor(folder.keys()).await?))
}
