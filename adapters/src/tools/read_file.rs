//! `read_file`: one page of a text file, as numbered lines. Memory stays bounded whatever the file holds.

mod decode;
mod page;

use super::{registry::arguments, reply::looked, workspace::Workspace};
use dispatch_actors::ports::tool::{Tool, ToolInvocation, ToolReply};
use dispatch_events::{RawJson, catalogue::tool::EffectClass};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use std::{io::Read, sync::Arc};

use decode::{Decoder, Kind, kind_of};
use page::Page;

/// Bytes that are looked at before a file counts as text.
const SAMPLE_BYTES: usize = 8 * 1024;
/// Bytes of one step of reading.
const STEP_BYTES: usize = 64 * 1024;
/// Bytes that one call goes through, also to count lines.
const SCAN_BYTES: u64 = 256 * 1024 * 1024;

/// The tool.
pub struct ReadFile {
    workspace: Arc<Workspace>,
}

impl ReadFile {
    /// Reads below a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    offset: Option<u64>,
    limit: Option<u64>,
}

fn read(workspace: &Workspace, given: &Arguments) -> Result<String, String> {
    let (mut file, meta, inside) = workspace.open(&given.path)?;
    let failed = |error: std::io::Error| format!("`{}` can't be read: {error}", inside.shown);
    let mut bytes = vec![0; STEP_BYTES];
    let mut length = fill(&mut file, &mut bytes[..SAMPLE_BYTES]).map_err(failed)?;
    let kind = kind_of(&bytes[..length]);
    if kind == Kind::Binary {
        return Err(format!("`{}` is no text ({} bytes) and is not shown", inside.shown, meta.len()));
    }
    let mut decoder = Decoder::new(kind);
    let mut page = Page::new(given.offset.unwrap_or(1).max(1), given.limit.unwrap_or(500).clamp(1, 2000));
    let mut scanned = 0;
    while length > 0 && scanned < SCAN_BYTES {
        decoder.feed(&bytes[..length], &mut |c| page.take(c));
        scanned += length as u64;
        length = fill(&mut file, &mut bytes).map_err(failed)?;
    }
    decoder.finish(&mut |c| page.take(c));
    page.finish(&inside.shown, length > 0)
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut at = 0;
    while at < buffer.len() {
        match file.read(&mut buffer[at..]) {
            Ok(0) => break,
            Ok(length) => at += length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(at)
}

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }

    fn schema(&self) -> RawJson {
        RawJson(include_str!("schemas/read_file.json").trim_end().to_owned())
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn parallel(&self) -> bool {
        true
    }

    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolReply> {
        let workspace = Arc::clone(&self.workspace);
        Box::pin(async move {
            let given: Arguments = match arguments(&invocation.arguments) {
                Ok(given) => given,
                Err(why) => return looked(Err(why)),
            };
            // The file system may block, and an actor's thread must not.
            let done = tokio::task::spawn_blocking(move || read(&workspace, &given)).await;
            looked(done.unwrap_or_else(|error| Err(format!("reading broke off: {error}"))))
        })
    }
}

#[cfg(test)]
mod tests;
