//! The list of exceptions to the size limits. It may only shrink.
//!
//! One entry a line: `NAME LINES KIND`, where the name is a path or `path::function`. The number is exact, so what is
//! listed cannot grow, an entry follows it down, and one that is no longer needed is an error.

use super::{EXCEPTIONS, Oversize};
use crate::Finding;

/// The kinds of text for which length is no fault.
const KINDS: [&str; 3] = ["generated", "snapshot", "table"];

#[derive(Debug)]
struct Entry<'a> {
    line: usize,
    name: &'a str,
    lines: usize,
}

/// What is too long and not listed, and what is listed and should not be.
pub fn reconcile(oversizes: &[Oversize], list: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (at, text) in list.lines().enumerate() {
        match parse(at + 1, text) {
            Ok(Some(entry)) if entries.iter().any(|other| other.name == entry.name) => {
                findings.push(at_entry(entry.line, format!("{} is listed twice: keep one entry", entry.name)));
            }
            Ok(Some(entry)) => entries.push(entry),
            Ok(None) => {}
            Err(finding) => findings.push(finding),
        }
    }
    for oversize in oversizes {
        let listed = entries.iter().find(|entry| entry.name == oversize.name);
        findings.extend(judge(oversize, listed));
    }
    for entry in entries {
        if !oversizes.iter().any(|oversize| oversize.name == entry.name) {
            let says = format!("{} is within the limit or gone: remove the entry", entry.name);
            findings.push(at_entry(entry.line, says));
        }
    }
    findings
}

fn judge(oversize: &Oversize, listed: Option<&Entry<'_>>) -> Option<Finding> {
    let Oversize { name, lines, limit, .. } = oversize;
    match listed {
        None => {
            let path = name.split("::").next().unwrap_or(name);
            let says = format!("{name} has {lines} lines, the limit is {limit}: split it by idea");
            Some(Finding::new(format!("{path}:{}", oversize.line), says))
        }
        Some(entry) if entry.lines < *lines => {
            let says = format!("{name} grew from {} to {lines} lines: an exception may only shrink", entry.lines);
            Some(at_entry(entry.line, says))
        }
        Some(entry) if entry.lines > *lines => {
            Some(at_entry(entry.line, format!("{name} has {lines} lines now: lower the number from {}", entry.lines)))
        }
        Some(_) => None,
    }
}

fn parse(line: usize, text: &str) -> Result<Option<Entry<'_>>, Finding> {
    let text = text.split('#').next().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    let malformed = |cause: String| at_entry(line, format!("{cause}: write `NAME LINES KIND`"));
    let [name, lines, kind] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        return Err(malformed(format!("`{text}` is no entry")));
    };
    let lines = lines.parse().map_err(|_| malformed(format!("`{lines}` is no number of lines")))?;
    if !KINDS.contains(&kind) {
        return Err(malformed(format!("`{kind}` is no kind of exception (one of {})", KINDS.join(", "))));
    }
    Ok(Some(Entry { line, name, lines }))
}

fn at_entry(line: usize, says: String) -> Finding {
    Finding::new(format!("{EXCEPTIONS}:{line}"), says)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(lines: usize) -> Vec<Oversize> {
        vec![Oversize { name: "a/src/b.rs".into(), line: 1, lines, limit: 500 }]
    }

    fn says(oversizes: &[Oversize], list: &str) -> Vec<String> {
        reconcile(oversizes, list).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn what_is_not_listed_is_found() {
        assert_eq!(
            says(&long(501), "# nothing\n"),
            ["a/src/b.rs:1: a/src/b.rs has 501 lines, the limit is 500: split it by idea"]
        );
    }

    #[test]
    fn an_exact_entry_excuses() {
        assert_eq!(says(&long(600), "# why\na/src/b.rs 600 table # one row for each status\n"), [""; 0]);
    }

    #[test]
    fn an_exception_may_only_shrink() {
        let place = "xtask/size-exceptions.txt:1";
        let list = "a/src/b.rs 600 table";
        let grown = format!("{place}: a/src/b.rs grew from 600 to 601 lines: an exception may only shrink");
        assert_eq!(says(&long(601), list), [grown]);
        let shrunk = format!("{place}: a/src/b.rs has 599 lines now: lower the number from 600");
        assert_eq!(says(&long(599), list), [shrunk]);
        let gone = format!("{place}: a/src/b.rs is within the limit or gone: remove the entry");
        assert_eq!(says(&[], list), [gone]);
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_named() {
        for entry in ["a/src/b.rs 600", "a/src/b.rs many table", "a/src/b.rs 600 tired"] {
            assert_eq!(says(&[], entry).len(), 1, "{entry}");
        }
        assert_eq!(says(&long(600), "a/src/b.rs 600 table\na/src/b.rs 600 table").len(), 1);
    }
}
