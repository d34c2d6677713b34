//! `dispatch doctor`: looks for what is wrong, and says what to do. It never needs a whole host, because it is asked
//! when there is none.

mod folder;
mod host;
mod reach;
mod repair;

use super::{
    context::Context,
    exit::{Exit, Failure},
    paper::Paper,
};
use clap::Args;
use serde::Serialize;
use serde_json::json;

/// Look for what is wrong: folder, settings, keys, log, model, backend, host
#[derive(Debug, Args)]
pub struct Doctor {
    /// Make one real, tiny call to the default model too
    #[arg(long)]
    call: bool,
    /// Make the log's indexes again where they differ from its events. No host may run meanwhile
    #[arg(long, conflicts_with = "call")]
    repair_indexes: bool,
    /// With --repair-indexes: also where nothing seems to differ, or the end of the log is lost
    #[arg(long, requires = "repair_indexes")]
    force: bool,
}

/// How one thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Fail,
    /// The log is damaged.
    Damaged,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
}

impl Finding {
    fn ok(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Ok, detail: detail.into() }
    }

    fn warn(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Warn, detail: detail.into() }
    }

    fn fail(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, state: State::Fail, detail: detail.into() }
    }
}

impl Doctor {
    /// Looks, and tells.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        if self.repair_indexes {
            return repair::run(context, self.force);
        }
        let mut findings = folder::look(context);
        findings.extend(host::look(context).await?);
        findings.extend(reach::look(context, self.call).await);
        let worst = findings.iter().map(|finding| finding.state).max().unwrap_or(State::Ok);
        if context.paper.json {
            context.paper.document(&json!({"ok": worst < State::Fail, "findings": findings}))?;
        } else {
            show(context.paper, &findings)?;
        }
        Ok(match worst {
            State::Ok | State::Warn => Exit::Done,
            State::Fail => Exit::Failed,
            State::Damaged => Exit::Damaged,
        })
    }
}

fn show(paper: Paper, findings: &[Finding]) -> Result<(), Failure> {
    for finding in findings {
        let state = match finding.state {
            State::Ok => paper.good("ok  "),
            State::Warn => paper.odd("warn"),
            State::Fail | State::Damaged => paper.bad("fail"),
        };
        let detail = finding.detail.replace('\n', "\n                  ");
        paper.line(format_args!("{state}  {:<10}  {detail}", finding.what))?;
    }
    Ok(())
}
