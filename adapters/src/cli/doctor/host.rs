//! Who holds the folder, whether it answers, and whether the log opens.

use super::{Finding, State};
use crate::{
    cli::{
        context::Context,
        door::{client::Client, running},
        exit::{Exit, Failure},
        paper::words::{at, grouped, number},
    },
    config::host_file::HostFile,
};
use dispatch_events::{
    Clock, Log, SystemClock,
    lock::{FolderLock, LockError},
};
use std::sync::Arc;

/// Asks the running host; without one, takes the folder for a moment and opens the log.
pub(super) async fn look(context: &Context) -> Result<Vec<Finding>, Failure> {
    if let Some(client) = running::find(context).await? {
        return Ok(vec![answers(&client).await]);
    }
    if !context.folder.path().exists() {
        return Ok(vec![Finding::ok("host", "none runs")]);
    }
    let mut findings = Vec::new();
    match FolderLock::take(context.folder.path(), "dispatch doctor", SystemClock.now()) {
        Err(error @ LockError::Held(_)) => {
            findings.push(Finding::warn("host", format!("{error}, and it does not listen: wait for it, or stop it")));
        }
        Err(error) => findings.push(Finding::fail("lock", error.to_string())),
        Ok(lock) => {
            findings.push(match HostFile::read(&context.folder.host_file()) {
                None => Finding::ok("host", "none runs"),
                Some(file) => Finding::warn(
                    "host",
                    format!("none runs; host.json names one that is gone ({}): the next start replaces it", file.url),
                ),
            });
            findings.push(log(context));
            drop(lock);
        }
    }
    Ok(findings)
}

async fn answers(client: &Client) -> Finding {
    let report = match client.get(&["api", "doctor"], &[]).await {
        Ok(report) => report,
        Err(failure) => return Finding::fail("host", format!("{}: {}", client.url(), failure.message)),
    };
    let problem = at(&report, "problem");
    if !problem.is_empty() {
        return Finding::fail("host", format!("{} is not ready: {problem}", client.url()));
    }
    let detail = format!(
        "{}, release {}, log in {}, position {}, run {}, {} sessions active",
        client.url(),
        at(&report, "version"),
        at(&report, "engine"),
        grouped(number(&report, "position")),
        at(&report, "epoch"),
        at(&report, "sessions_active"),
    );
    Finding::ok("host", detail)
}

fn log(context: &Context) -> Finding {
    if !context.folder.path().join("log").exists() {
        return Finding::ok("log", "not there yet: the first start makes it");
    }
    // Settings that can't be read are a finding of their own.
    let engine = context.loaded().ok().and_then(|loaded| crate::assemble::engine(&loaded).ok()).unwrap_or_default();
    match Log::open(context.folder.path(), engine, Arc::new(SystemClock)) {
        Ok(log) => {
            let engine = log.store().engine();
            Finding::ok("log", format!("opens ({engine}); `dispatch audit verify` reads all of it"))
        }
        Err(error) => {
            let failure = Failure::from(crate::assemble::AssembleError::Log(error));
            let state = if failure.exit == Exit::Damaged { State::Damaged } else { State::Fail };
            Finding { what: "log", state, detail: failure.message }
        }
    }
}
