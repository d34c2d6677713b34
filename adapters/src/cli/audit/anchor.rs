//! `dispatch audit anchor`.

use crate::cli::{
    context::Context,
    door::Door,
    exit::{Exit, Failure},
    paper::words::at,
};
use clap::Args;
use dispatch_events::{anchor::AnchorKey, disk};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Sign the heads of the chains: a statement of what the log is now, to keep in another place
///
/// `audit verify --anchor FILE` compares the log with it later. What the log says of itself is signed without being
/// checked, so verify it first. The signing key is `keys/anchor`, made with the first anchor.
#[derive(Debug, Args)]
pub struct Anchor {
    /// Write it to this file, which must not be there yet; without it, to stdout
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    out: Option<PathBuf>,
    /// Run this in the shell with the anchor as its input, for example `ssh elsewhere 'cat >> anchors'`
    #[arg(long, value_name = "CMD")]
    command: Option<String>,
    /// Print the public key that anchors are checked with, and sign nothing
    #[arg(long, conflicts_with_all = ["out", "command"])]
    public_key: bool,
}

impl Anchor {
    /// Signs it.
    pub async fn run(&self, context: &Context) -> Result<Exit, Failure> {
        if self.public_key {
            return public_key(context);
        }
        let door = Door::open_to_look(context, "audit anchor").await?;
        let anchor = door.anchor(context).await;
        door.close().await;
        let (anchor, paper) = (anchor?, context.paper);
        // In one line, so that anchors can be kept one behind the other.
        let text = format!("{anchor}\n");
        match (&self.out, &self.command) {
            (None, None) => return paper.document(&anchor).map(|()| Exit::Done),
            (Some(file), _) => keep(file, &text)?,
            (None, Some(command)) => pipe(command, &text)?,
        }
        if paper.json {
            paper.document(&told(&anchor, self.out.as_deref()))?;
        } else {
            paper.line(format_args!(
                "anchored position {}, log hash {}",
                at(&anchor, "position"),
                at(&anchor, "log_hash")
            ))?;
            paper.note(format_args!(
                "the public key is {}: keep it where the anchors are not",
                at(&anchor, "public_key")
            ));
        }
        Ok(Exit::Done)
    }
}

fn public_key(context: &Context) -> Result<Exit, Failure> {
    let key = AnchorKey::open(&context.folder.keys()).map_err(|error| Failure::failed(error.to_string()))?;
    let Some(key) = key else {
        let why = "no anchor was made here yet: `dispatch audit anchor` makes the key with the first one";
        return Err(Failure::new(Exit::NotFound, why));
    };
    let key = key.public().to_string();
    if context.paper.json {
        context.paper.document(&json!({"public_key": key}))?
    } else {
        context.paper.line(key)?
    }
    Ok(Exit::Done)
}

fn told(anchor: &Value, file: Option<&Path>) -> Value {
    json!({
        "position": anchor["position"],
        "log_hash": anchor["log_hash"],
        "streams": anchor["streams"],
        "public_key": anchor["public_key"],
        "file": file,
    })
}

fn keep(file: &Path, text: &str) -> Result<(), Failure> {
    disk::write_new_synced(file, text.as_bytes()).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{} is there already: an anchor never takes another one's place", file.display()))
        }
        _ => Failure::failed(format!("{} can't be written: {error}", file.display())),
    })
}

fn pipe(command: &str, text: &str) -> Result<(), Failure> {
    let run = || {
        let mut child = Command::new("sh").args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(text.as_bytes())?;
        }
        child.wait()
    };
    match run() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::failed(format!("`{command}` did not take the anchor ({status})"))),
        Err(error) => Err(Failure::failed(format!("`{command}` did not take the anchor: {error}"))),
    }
}
