//! What never stands in a part of the code: the invariants that are phrased as absences.
//!
//! A manifest cannot say that a crate leaves the file system alone, because the standard library has no entry there. So
//! the paths that the code writes are read, grouped imports and all. Tests are left out: they may do what they like.

pub mod path;

use crate::{Failure, Finding, source::SourceFile};
use path::paths;

/// A path that must not be written below a folder.
#[derive(Debug)]
pub struct Absence {
    /// The files that it binds: all whose path begins so.
    pub below: &'static str,
    /// The files among them that may write it all the same: all whose path begins so.
    pub except: &'static [&'static str],
    /// What must not be named; a path that continues one is named too.
    pub paths: &'static [&'static str],
    /// Why.
    pub why: &'static str,
}

const OUTSIDE: &[&str] = &["std::fs", "std::net", "std::process", "std::env"];
const TIME: &[&str] = &["std::time::SystemTime", "std::time::Instant"];
const CRATES: &[&str] = &["events/src/", "projections/src/", "actors/src/", "adapters/src/", "src/"];

/// What design and manifests promise about the code.
pub const ABSENCES: [Absence; 5] = [
    Absence {
        below: "projections/src/",
        except: &["projections/src/catalog"],
        paths: OUTSIDE,
        why: "a projection is a pure fold; only the catalog has a file",
    },
    Absence {
        below: "projections/src/",
        except: &[],
        paths: TIME,
        why: "a fold that reads a clock cannot be repeated",
    },
    Absence {
        below: "actors/src/",
        except: &[],
        paths: OUTSIDE,
        why: "actors reach the outside through ports, so that a test can hold it still",
    },
    Absence {
        below: "",
        except: &["events/src/codec", "xtask/", "tests/", "benches/"],
        paths: &["bincode"],
        why: "the payload codec is known in one module, so that it can be replaced",
    },
    Absence {
        below: "",
        except: &["events/src/store/sled", "xtask/", "tests/", "benches/"],
        paths: &["sled"],
        why: "the store is used in its hardened form only",
    },
];

/// The places in `files` where one of `rules` is broken.
pub fn check(files: &[SourceFile], rules: &[Absence]) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_code(&file.path)) {
        let rules: Vec<_> = rules.iter().filter(|rule| rule.binds(&file.path)).collect();
        if rules.is_empty() {
            continue;
        }
        for named in paths(file)? {
            for rule in &rules {
                if rule.paths.iter().any(|path| continues(&named.text, path)) {
                    let says = format!("{} does not belong here: {}", named.text, rule.why);
                    findings.push(Finding::new(format!("{}:{}", file.path, named.line), says));
                }
            }
        }
    }
    Ok(findings)
}

impl Absence {
    fn binds(&self, path: &str) -> bool {
        path.starts_with(self.below) && !self.except.iter().any(|except| path.starts_with(except))
    }
}

/// Code of the workspace's crates, and none of their tests.
fn is_code(path: &str) -> bool {
    let is_test = |part: &str| part == "tests" || part.ends_with("_tests");
    let is_test = path.trim_end_matches(".rs").split('/').any(is_test);
    !is_test && CRATES.iter().any(|krate| path.starts_with(krate))
}

fn continues(path: &str, beginning: &str) -> bool {
    path.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let file = SourceFile { path: path.into(), text: text.into() };
        check(&[file], &ABSENCES).unwrap().into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn what_must_be_absent_is_found_however_it_is_written() {
        for text in ["use std::fs;", "use std::{fmt, fs::{File}};", "fn f() { std::fs::read(p); }", "use ::std::fs::*;"]
        {
            assert_eq!(found("projections/src/queue.rs", text), ["projections/src/queue.rs:1"], "{text}");
            assert_eq!(found("actors/src/turn.rs", text), ["actors/src/turn.rs:1"], "{text}");
        }
        assert_eq!(found("projections/src/queue.rs", "fn f() {\n    std::time::Instant::now();\n}").len(), 1);
        assert_eq!(found("events/src/log.rs", "use bincode::encode;").len(), 1);
        assert_eq!(found("adapters/src/cli.rs", "use sled::Db;").len(), 1);
    }

    #[test]
    fn what_may_stand_is_left_alone() {
        assert_eq!(found("projections/src/queue.rs", "use std::fmt; // std::fs\nuse crate::std::fs;"), [""; 0]);
        assert_eq!(found("projections/src/catalog/file.rs", "use std::fs;"), [""; 0]);
        assert_eq!(found("actors/src/turn/tests.rs", "use std::fs;"), [""; 0]);
        assert_eq!(found("actors/src/turn_tests/calls.rs", "use std::fs;"), [""; 0]);
        assert_eq!(found("actors/src/turn.rs", "mod tests { use std::fs; }"), [""; 0]);
        assert_eq!(found("events/src/codec.rs", "use bincode::encode;"), [""; 0]);
        assert_eq!(found("events/src/store/sled/open.rs", "use sled::Db;"), [""; 0]);
        assert_eq!(found("events/src/store.rs", "mod sled;\nuse self::sled::X;"), [""; 0]);
    }
}
