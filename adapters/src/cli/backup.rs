//! `dispatch backup`.

use super::{
    context::Context,
    door::Door,
    exit::{Exit, Failure},
    log::{show, whole},
    paper::words::number,
};
use clap::Args;
use std::path::PathBuf;

/// Write log, blobs, settings and memories to a file, keys to FILE.keys, and verify it
///
/// Works while a host runs. What is erased later stays in a backup that is older, but its key is in FILE.keys alone:
/// `dispatch restore` destroys it again.
#[derive(Debug, Args)]
pub struct Backup {
    /// The file, which may not be there yet; a FILE.keys without it is set aside as FILE.keys.before
    file: PathBuf,
}

impl Backup {
    /// Writes it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let file = whole(&self.file)?;
        let door = Door::open_to_look(context, "backup").await?;
        let done = door.backup(context, &file).await;
        door.close().await;
        let (done, paper) = (done?, context.paper);
        if paper.json {
            paper.document(&done)?;
            return Ok(Exit::Done);
        }
        show(paper, &done)?;
        let verified = &done["verified"];
        paper.line(paper.good("it was read again, and is sound"))?;
        if number(&done, "damaged_blobs") > 0 {
            paper.line(paper.odd(format_args!("{} blobs are damaged or missing", number(&done, "damaged_blobs"))))?;
        }
        if number(verified, "unreadable") > 0 {
            paper.line(paper.odd(format_args!(
                "{} payloads can't be opened here, and in the running log neither: a key or a blob is missing",
                number(verified, "unreadable")
            )))?;
        }
        paper.note("the token and `secrets.toml` are not in it; `dispatch restore` brings it back");
        Ok(Exit::Done)
    }
}
