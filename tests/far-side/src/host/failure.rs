//! A host that does not get ready, and the end of its stderr.

use std::io::Write as _;
use std::process::ExitStatus;

/// Why the host did not get ready.
#[derive(Debug, thiserror::Error)]
#[error("the host did not get ready: {why}\n{stderr}")]
pub struct NotReady {
    /// What was waited for.
    pub why: String,
    /// How the child ended; none if it was still running (and has been killed).
    pub status: Option<ExitStatus>,
    /// The end of its stderr.
    pub stderr: String,
}

/// The last lines of a log, with a line that says what they are.
pub(super) fn tail(stderr: &str) -> String {
    const LINES: usize = 60;
    let lines: Vec<_> = stderr.lines().collect();
    let from = lines.len().saturating_sub(LINES);
    format!("--- stderr of the host, last {} lines ---\n{}\n---", lines.len() - from, lines[from..].join("\n"))
}

/// Shows the end of a log beside the panic of a failing test.
pub(super) fn show(tail: &str) {
    // If stderr is closed there is nobody to show it to.
    writeln!(std::io::stderr(), "{tail}").ok();
}
