//! What a writer is told: the cause, and what to do next.

use super::entries::Entries;
use dispatch_actors::ports::memory::MemoryOperation;
use dispatch_events::catalogue::memory::{MemoryChange, MemoryTarget};
use std::path::Path;

/// Characters of an entry in a preview.
const PREVIEW_CHARS: usize = 80;
/// Entries that a list shows.
const LISTED: usize = 100;

/// `2200` as `2,200`.
pub(super) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Percent of a limit, rounded down; above 100 where it is exceeded.
pub(super) fn percent(used: usize, limit: usize) -> usize {
    used.saturating_mul(100) / limit.max(1)
}

pub(super) fn summary(operations: &[MemoryOperation], changes: &[MemoryChange], used: usize, limit: usize) -> String {
    let what = match (operations, changes) {
        (_, []) => "Nothing to change: it is stored already.".to_owned(),
        ([_], [MemoryChange::Added(_)]) => "Entry added.".to_owned(),
        ([_], [MemoryChange::Replaced { .. }]) => "Entry replaced.".to_owned(),
        ([_], [MemoryChange::Removed(_)]) => "Entry removed.".to_owned(),
        (all, some) => format!("{} operations, {} changes.", all.len(), some.len()),
    };
    format!("{what} [{} % of {} characters]", percent(used, limit), thousands(limit))
}

pub(super) fn over_limit(target: MemoryTarget, before: &Entries, after: usize, limit: usize) -> String {
    format!(
        "{} would have {} of {} characters, so nothing was stored. Shorten the new text, or replace and remove entries \
         first (one call with `operations` does both). Entries now:\n{}",
        target.file(),
        thousands(after),
        thousands(limit),
        inventory(before),
    )
}

pub(super) fn no_old_text(target: MemoryTarget, entries: &Entries) -> String {
    let file = target.file();
    format!(
        "`old_text` is missing: give words that only the entry you mean holds. Entries of {file}:\n{}",
        inventory(entries)
    )
}

pub(super) fn no_match(target: MemoryTarget, entries: &Entries, wanted: &str) -> String {
    let (file, wanted) = (target.file(), preview(wanted));
    format!("no entry of {file} holds `{wanted}`; copy words from one of these:\n{}", inventory(entries))
}

pub(super) fn ambiguous(target: MemoryTarget, entries: &Entries, hits: &[usize], wanted: &str) -> String {
    let (file, wanted) = (target.file(), preview(wanted));
    let shown = hits.iter().take(LISTED).map(|at| format!("- {}", preview(&entries.list()[*at])));
    format!(
        "{} entries of {file} hold `{wanted}`; give words that only one of them holds:\n{}",
        hits.len(),
        shown.collect::<Vec<_>>().join("\n")
    )
}

pub(super) fn drifted(target: MemoryTarget, why: &str, saved: &Path) -> String {
    format!(
        "{} was edited by hand in a way that a rewrite would lose ({why}), so nothing was changed. A copy is in {}. Tidy \
         the file up (entries between lines that hold only §), then try again; `add` still works where it can",
        target.file(),
        saved.display(),
    )
}

pub(super) fn no_text(target: MemoryTarget) -> String {
    format!("{} is not UTF-8 text, so nothing was changed; save it as UTF-8 and try again", target.file())
}

pub(super) fn no_fit(target: MemoryTarget) -> String {
    let file = target.file();
    format!(
        "a recorded change names an entry that {file} does not hold, so nothing was written; compare {file} with the \
         newest `memory.noted` and edit it by hand"
    )
}

fn inventory(entries: &Entries) -> String {
    if entries.list().is_empty() {
        return "(none)".to_owned();
    }
    let mut lines: Vec<String> = entries.list().iter().take(LISTED).map(|entry| format!("- {entry}")).collect();
    if let Some(more) = entries.list().len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(format!("(and {more} more)"));
    }
    lines.join("\n")
}

fn preview(text: &str) -> String {
    let mut line: String = text.chars().take(PREVIEW_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(PREVIEW_CHARS).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1375, "1,375"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
