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
        match one(target, &mut entries, operation) {
            Ok(change) => changes.extend(change),
            Err(_) if stands(before, operations) => {
                let summary = words::summary(operations, &[], before.chars(), limit);
                return Ok(Done { entries: before.clone(), changes: Vec::new(), summary });
            }
            Err(why) => return Err(why),
        }
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
            Ok(new.then(|| MemoryChange::Added(content.to_owned())))
        }
        MemoryOperation::Replace { old_text, content } => {
            let at = find(target, entries, old_text)?;
            let content = content.trim();
            let old = entries.list()[at].clone();
            if old == content {
                return Ok(None);
            }
            let (old, new) = (digest(&old), content.to_owned());
            let took_place = entries.replace(at, content.to_owned());
            Ok(Some(if took_place { MemoryChange::Replaced { old, new } } else { MemoryChange::Removed(old) }))
        }
        MemoryOperation::Remove { old_text } => {
            let at = find(target, entries, old_text)?;
            Ok(Some(MemoryChange::Removed(digest(&entries.remove(at)))))
        }
    }
}

/// Whether the file shows that this edit was made before, as when a crash took the answer and the call runs again: each
/// new text is an entry, no other entry holds the words that were to go, and there is a new text to tell it by. A removal
/// alone leaves no trace, so its repeat is refused, and changes nothing either.
fn stands(entries: &Entries, operations: &[MemoryOperation]) -> bool {
    let list = entries.list();
    let gone = |old_text: &str, but: Option<&str>| {
        let wanted = old_text.trim();
        !wanted.is_empty() && !list.iter().any(|entry| Some(entry.as_str()) != but && entry.contains(wanted))
    };
    let is_there = |content: &str| list.iter().any(|entry| entry == content.trim());
    let tells = |operation: &MemoryOperation| !matches!(operation, MemoryOperation::Remove { .. });
    operations.iter().any(tells)
        && operations.iter().all(|operation| match operation {
            MemoryOperation::Add { content } => is_there(content),
            MemoryOperation::Replace { old_text, content } => is_there(content) && gone(old_text, Some(content.trim())),
            MemoryOperation::Remove { old_text } => gone(old_text, None),
        })
}

/// Applies changes that were made before, in their order.
pub(super) fn replay(target: MemoryTarget, mut entries: Entries, changes: &[MemoryChange]) -> Result<Entries, String> {
    for change in changes {
        let at = |old: Digest| entries.list().iter().position(|entry| digest(entry) == old);
        let fits = match change {
            MemoryChange::Added(new) => entries.push(new.clone()),
            MemoryChange::Replaced { old, new } => at(*old).is_some_and(|at| entries.replace(at, new.clone())),
            MemoryChange::Removed(old) => at(*old).map(|at| entries.remove(at)).is_some(),
        };
        if !fits {
            return Err(words::no_fit(target));
        }
    }
    Ok(entries)
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
