//! What was said before, when a chat begins.

use crate::cli::{
    door::Door,
    exit::{Exit, Failure},
    paper::{
        Paper,
        words::{at, clip, list, safe},
    },
};
use dispatch_projections::view::ViewName;

/// Messages that remind a person of where they were.
const SHOWN: usize = 4;

/// The last messages of a session that is there already; on a terminal only.
pub async fn show(paper: Paper, door: &Door, session: &str) -> Result<(), Failure> {
    if !paper.terminal || paper.json || paper.quiet {
        return Ok(());
    }
    let transcript = match door.view(session, ViewName::Transcript, None).await {
        Err(failure) if failure.exit == Exit::NotFound => {
            paper.note("a new session; Ctrl-C stops a turn, Ctrl-D leaves, the session stays");
            return Ok(());
        }
        other => other?,
    };
    let messages = list(&transcript, "messages");
    let spoken: Vec<_> = messages.iter().filter(|row| row["role"] == "user" || row["role"] == "assistant").collect();
    if spoken.is_empty() {
        return Ok(());
    }
    paper.note(format_args!("{} messages so far; the last:", spoken.len()));
    for message in &spoken[spoken.len().saturating_sub(SHOWN)..] {
        let text = clip(&safe(&at(message, "content")), 160);
        paper.note(paper.dim_note(format!("{:>9}  {text}", at(message, "role"))));
    }
    Ok(())
}
