//! A page that names a test names one that exists.
//!
//! `ARCHITECTURE.md` states invariants as absences, each with its test. A test is cited in backticks, as
//! `` `tests/file.rs::name` `` or `` `crate::module::name` ``; the crate is its folder or its name in code
//! (`events`, `dispatch_events`), and the module `tests` may be left out.

use crate::{
    Failure, Finding,
    source::{SourceFile, function::functions},
};
use std::{collections::BTreeSet, fs, path::Path};

/// The page that is checked.
pub const PAGE: &str = "ARCHITECTURE.md";

/// The folders of the workspace that are crates.
const CRATES: [&str; 5] = ["events", "projections", "actors", "adapters", "xtask"];

/// What can be cited.
#[derive(Debug, Default)]
pub struct Index {
    tests: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Index {
    /// Every test, function and module of `files`, under each way to write it.
    pub fn build(files: &[SourceFile]) -> Result<Self, Failure> {
        let mut index = Self::default();
        for file in files {
            let module = module_of(&file.path);
            index.others.extend(module.clone());
            for function in functions(file)? {
                let target = if function.is_test { &mut index.tests } else { &mut index.others };
                target.insert(format!("{}::{}", file.path, function.name));
                if let Some(module) = &module {
                    let inner = function.modules.iter().chain([&function.name]);
                    let full = inner.fold(module.clone(), |path, part| format!("{path}::{part}"));
                    target.insert(full.replace("::tests::", "::"));
                    target.insert(full);
                }
            }
        }
        Ok(index)
    }

    /// Why `citation` does not stand; none if it does, or if it is no citation of a test.
    fn refuse(&self, citation: &str) -> Option<String> {
        let (first, rest) = citation.split_once("::")?;
        let last = rest.rsplit("::").next().unwrap_or(rest);
        if !last.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        if first.ends_with(".rs") {
            return (!self.tests.contains(citation)).then(|| format!("there is no test `{citation}`"));
        }
        let krate = first.strip_prefix("dispatch_").unwrap_or(first);
        if !CRATES.contains(&krate) {
            return None;
        }
        let path = format!("{krate}::{rest}");
        let names_module = path.contains("::tests::");
        let stands = self.tests.contains(&path) || (!names_module && self.others.contains(&path));
        (!stands).then(|| format!("`{citation}` is neither a test nor a function nor a module"))
    }
}

/// Checks [`PAGE`] of the repository at `root`; none as long as it is not written.
pub fn check_page(root: &Path, files: &[SourceFile]) -> Result<Option<Vec<Finding>>, Failure> {
    let path = root.join(PAGE);
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(Failure::at(&path))?;
    let index = Index::build(files)?;
    let mut findings = check(PAGE, &text, &index);
    if count(&text, &index) == 0 {
        findings.push(Finding::new(PAGE, "no test is named: an invariant without a test is a wish"));
    }
    Ok(Some(findings))
}

/// The citations in `text`, the page at `path`, that do not stand.
pub fn check(path: &str, text: &str, index: &Index) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for citation in in_backticks(line) {
            if let Some(cause) = index.refuse(citation) {
                let says = format!("{cause}: correct the name, or write the test");
                findings.push(Finding::new(format!("{path}:{}", at + 1), says));
            }
        }
    }
    findings
}

/// How many tests `text` cites that exist.
fn count(text: &str, index: &Index) -> usize {
    let stands = |citation: &&str| {
        let path = citation.strip_prefix("dispatch_").unwrap_or(citation);
        index.tests.contains(path)
    };
    text.lines().flat_map(in_backticks).filter(stands).count()
}

fn in_backticks(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The module that the file at `path` is, if it belongs to a crate of the workspace.
fn module_of(path: &str) -> Option<String> {
    let (krate, inside) = path.split_once("/src/")?;
    if !CRATES.contains(&krate) {
        return None;
    }
    let inside = inside.strip_suffix(".rs")?;
    Some(if matches!(inside, "lib" | "main") {
        krate.to_owned()
    } else {
        format!("{krate}::{}", inside.replace('/', "::"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        Index::build(&[
            file(
                "events/src/log.rs",
                "pub fn open() {}\nmod tests {\n    #[test]\n    fn keeps() {}\n    fn given() {}\n}",
            ),
            file("events/src/log/tests.rs", "#[test]\nfn holds() {}"),
            file("tests/crash.rs", "#[test]\nfn nothing_is_lost() {}\nfn host() {}"),
        ])
        .unwrap()
    }

    #[test]
    fn every_way_to_write_a_test_stands() {
        let page = "`tests/crash.rs::nothing_is_lost`, `events::log::tests::keeps`, `dispatch_events::log::holds`\n\
                    `events::log`, `events::log::open`, `events::log::Log`, `a::b`, `tests/crash.rs`, ``";
        assert_eq!(check("A.md", page, &index()), []);
        assert_eq!(count(page, &index()), 3);
    }

    #[test]
    fn a_test_that_is_gone_is_found() {
        for citation in [
            "tests/crash.rs::something_is_lost",
            "tests/crash.rs::host",
            "tests/gone.rs::nothing_is_lost",
            "events::log::tests::gone",
            "events::log::tests::given",
            "dispatch_events::log::gone",
        ] {
            let found = check("A.md", &format!("first line\nheld by `{citation}`"), &index());
            assert!(found.len() == 1 && found[0].place == "A.md:2", "{citation}: {found:?}");
        }
    }
}
