//! Operations on entries: all of them, or none.

use super::{entries::Entries, words};
use crate::memory::threats::{Scope, named, scan};
use dispatch_actors::ports::memory::MemoryOperation;
use dispatch_events::{
    Digest,
    catalogue::memory::{MemoryChange, MemoryTarget},
};

/// Operations of one edit.
const OPERATIONS: usize = 100;

/// What an edit would do.
pub(super) struct Done {
    pub(super) entries: Entries,
    pub(super) changes: Vec<MemoryChange>,
    pub(super) summary: String,
}

/// Looks at every new text before anything is applied.
pub(super) fn check_contents(operations: &[MemoryOperation]) -> Result<(), String> {
    if operations.is_empty() {
        return Err("there is no operation; name an action, or give `operations` a list".to_owned());
    }
    if operations.len() > OPERATIONS {
        return Err(format!("{} operations in one edit are too many; send at most {OPERATIONS}", operations.len()));
    }
    for operation in operations {
        let (MemoryOperation::Add { content } | MemoryOperation::Replace { content, .. }) = operation else { continue };
        let content = content.trim();
        if content.is_empty() {
            return Err("`content` is empty; say what to remember, or use `remove` to drop an entry".to_owned());
        }
        if content.lines().any(|line| line.trim() == "§") {
            return Err("a line that holds only § ends an entry, so no entry may hold one; send two entries".to_owned());
        }
        let found = scan(content, Scope::Strict);
        if !found.is_empty() {
            return Err(format!(
                "this text was not stored, because each later prompt would take it in and it looks like an attempt to \
                 steer the agent or like a secret ({}); say the fact in other words, without commands and keys",
                named(&found)
            ));
        }
    }
    Ok(())
}

/// Applies operations in their order and checks the size of what they leave.
pub(super) fn apply(
    target: MemoryTarget,
    before: &Entries,
    operations: &[MemoryOperation],
    limit: usize,
) -> Result<Done, String> {
    let mut entries = before.clone();
    let mut changes = Vec::new();
    for operation in operations {
        changes.extend(one(target, &mut entries, operation)?);
    }
    let (was, now) = (before.chars(), entries.chars());
    // A store that a person let grow above its limit may still be made smaller step by step.
    if now > limit && now >= was && !changes.is_empty() {
        return Err(words::over_limit(target, before, now, limit));
    }
    let summary = words::summary(operations, &changes, now, limit);
    Ok(Done { entries, changes, summary })
}

fn one(
    target: MemoryTarget,
    entries: &mut Entries,
    operation: &MemoryOperation,
) -> Result<Option<MemoryChange>, String> {
    match operation {
        MemoryOperation::Add { content } => {
            let content = content.trim();
            let new = entries.push(content.to_owned());
            Ok(new.then(|| MemoryChange::Added(digest(content))))
        }
        MemoryOperation::Replace { old_text, content } => {
            let at = find(target, entries, old_text)?;
            let content = content.trim();
            let old = entries.list()[at].clone();
            if old == content {
                return Ok(None);
            }
            let (old, new) = (digest(&old), digest(content));
            let took_place = entries.replace(at, content.to_owned());
            Ok(Some(if took_place { MemoryChange::Replaced { old, new } } else { MemoryChange::Removed(old) }))
        }
        MemoryOperation::Remove { old_text } => {
            let at = find(target, entries, old_text)?;
            Ok(Some(MemoryChange::Removed(digest(&entries.remove(at)))))
        }
    }
}

/// The one entry that holds the words.
fn find(target: MemoryTarget, entries: &Entries, old_text: &str) -> Result<usize, String> {
    let wanted = old_text.trim();
    if wanted.is_empty() {
        return Err(words::no_old_text(target, entries));
    }
    let hits: Vec<usize> = (0..entries.list().len()).filter(|at| entries.list()[*at].contains(wanted)).collect();
    match hits.as_slice() {
        [at] => Ok(*at),
        [] => Err(words::no_match(target, entries, wanted)),
        several => Err(words::ambiguous(target, entries, several, wanted)),
    }
}

fn digest(entry: &str) -> Digest {
    Digest::of(entry.as_bytes())
}
