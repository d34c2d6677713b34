//! What a system prompt takes of a file.

use super::{
    entries::{DELIMITER, Entries},
    words::{percent, thousands},
};
use crate::memory::threats::{Scope, named, scan};
use dispatch_events::catalogue::memory::MemoryTarget;

const RULE: &str = "────────────────────────────────────────────────";

/// A file that a person let grow is shown up to so many times its limit.
const GROWN: usize = 4;

/// The block of a file, and the entries that it shows. The same entries give the same bytes.
pub(super) fn block(target: MemoryTarget, entries: &Entries, limit: usize) -> (Option<String>, Vec<String>) {
    if entries.list().is_empty() {
        return (None, Vec::new());
    }
    let mut pieces = Vec::new();
    let mut shown = Vec::new();
    let mut chars = 0;
    for (index, entry) in entries.list().iter().enumerate() {
        chars += entry.chars().count();
        if chars > limit.saturating_mul(GROWN) {
            let more = entries.list().len() - index;
            pieces.push(format!("[{more} more entries are left out: the file is far above its limit]"));
            break;
        }
        let found = scan(entry, Scope::Strict);
        if found.is_empty() {
            shown.push(entry.clone());
            pieces.push(entry.clone());
        } else {
            pieces.push(placeholder(&named(&found)));
        }
    }
    let used = entries.chars();
    let title = match target {
        MemoryTarget::Memory => "MEMORY: notes of yours from earlier sessions",
        MemoryTarget::User => "USER: what you know of the person you talk to",
    };
    let figures = format!("{}% — {}/{} chars", percent(used, limit), thousands(used), thousands(limit));
    (Some(format!("{RULE}\n{title} [{figures}]\n{RULE}\n{}", pieces.join(DELIMITER))), shown)
}

fn placeholder(classes: &str) -> String {
    format!("[BLOCKED: an entry was left out of this prompt because of {classes}. The person can see and remove it.]")
}
