//! `list_files`: names below a folder of the workspace, sorted. Links are named and never followed.

use super::{
    registry::arguments,
    reply::looked,
    workspace::{Workspace, printable},
};
use dispatch_actors::ports::tool::{Tool, ToolInvocation, ToolReply};
use dispatch_events::{RawJson, catalogue::tool::EffectClass};
use futures_util::future::BoxFuture;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use std::{collections::VecDeque, fs, path::Path, sync::Arc};

/// Names that one call looks at; a larger tree is listed in part, with a note.
const VISITED: usize = 50_000;

/// The tool.
pub struct ListFiles {
    workspace: Arc<Workspace>,
}

impl ListFiles {
    /// Lists below a workspace.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }
}

#[derive(Deserialize)]
struct Arguments {
    path: Option<String>,
    #[serde(default)]
    recursive: bool,
    glob: Option<String>,
    limit: Option<usize>,
}

struct Walk {
    names: Vec<String>,
    visited: usize,
    unreadable: usize,
    stopped: bool,
}

fn list(workspace: &Workspace, given: &Arguments) -> Result<String, String> {
    let inside = workspace.resolve(given.path.as_deref().unwrap_or("."))?;
    if !inside.real.is_dir() {
        return Err(format!("`{}` is no folder; use `read_file` for a file", inside.shown));
    }
    let glob = given.glob.as_deref().map(matcher).transpose()?;
    let recursive = given.recursive || glob.is_some();
    let mut walk = walk(workspace, &inside.real, &inside.shown, recursive, glob.as_ref())?;
    walk.names.sort();
    let found = walk.names.len();
    walk.names.truncate(given.limit.unwrap_or(200).clamp(1, 2000));
    let mut notes = Vec::new();
    if found == 0 {
        notes.push(format!("[nothing found in `{}`]", inside.shown));
    }
    if found > walk.names.len() {
        notes.push(format!("[{} more names are left out; narrow it with `path` or `glob`]", found - walk.names.len()));
    }
    if walk.stopped {
        notes.push(format!(
            "[the search stopped after {VISITED} names, so the list is incomplete; name a deeper `path`]"
        ));
    }
    if walk.unreadable > 0 {
        notes.push(format!("[{} folders or names could not be read]", walk.unreadable));
    }
    walk.names.extend(notes);
    Ok(walk.names.join("\n"))
}

fn walk(
    workspace: &Workspace,
    top: &Path,
    shown: &str,
    recursive: bool,
    glob: Option<&GlobMatcher>,
) -> Result<Walk, String> {
    let mut walk = Walk { names: Vec::new(), visited: 0, unreadable: 0, stopped: false };
    let mut open = VecDeque::from([top.to_path_buf()]);
    while let Some(folder) = open.pop_front() {
        let reader = match fs::read_dir(&folder) {
            Ok(reader) => reader,
            Err(error) if folder == top => return Err(format!("`{shown}` can't be listed: {error}")),
            Err(_) => {
                walk.unreadable += 1;
                continue;
            }
        };
        for entry in reader {
            if walk.visited == VISITED {
                walk.stopped = true;
                return Ok(walk);
            }
            walk.visited += 1;
            let Some((path, kind)) = entry.ok().and_then(|entry| Some((entry.path(), entry.file_type().ok()?))) else {
                walk.unreadable += 1;
                continue;
            };
            let below = path.strip_prefix(top).unwrap_or(&path);
            let hit = glob.is_none_or(|glob| {
                glob.is_match(below) || path.file_name().is_some_and(|name| glob.is_match(Path::new(name)))
            });
            let prefix = if shown == "." { String::new() } else { format!("{shown}/") };
            let end = if kind.is_dir() {
                "/"
            } else if kind.is_symlink() {
                " (link)"
            } else {
                ""
            };
            if hit {
                walk.names.push(format!("{prefix}{}{end}", printable(&below.to_string_lossy())));
            }
            if recursive && kind.is_dir() && !workspace.is_closed(&path) {
                open.push_back(path);
            }
        }
    }
    Ok(walk)
}

fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| format!("`glob` can't be used: {error}; correct it"))
}

impl Tool for ListFiles {
    fn name(&self) -> &'static str {
        "list_files"
    }

    fn schema(&self) -> RawJson {
        RawJson(include_str!("schemas/list_files.json").trim_end().to_owned())
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
            let done = tokio::task::spawn_blocking(move || list(&workspace, &given)).await;
            looked(done.unwrap_or_else(|error| Err(format!("listing broke off: {error}"))))
        })
    }
}

#[cfg(test)]
mod tests;
