//! The suites that kill a process or cut its power at random moments, with counts too high for every build.
//!
//! A suite is a test file that reads [`KILLS`] or [`POWER_CUTS`]; it is found by that, so a new one takes part without
//! being listed.

use crate::{
    Failure,
    edges::manifest::{Manifest, read_workspace},
    source::SourceFile,
};
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, ExitStatus},
};

/// The environment variable that says how often a suite kills.
pub const KILLS: &str = "DISPATCH_KILLS";

/// The kills of a full run.
pub const FULL: u32 = 100;

/// The environment variable that says how often a suite cuts the power, for each engine.
pub const POWER_CUTS: &str = "DISPATCH_POWER_CUTS";

/// The power cuts of a full run.
pub const FULL_POWER_CUTS: u32 = 50;

/// How much a run does.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Kills of each suite that kills.
    pub kills: u32,
    /// Power cuts of each engine.
    pub power_cuts: u32,
}

/// One `cargo test` to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suite {
    /// The package.
    pub package: String,
    /// What selects the suite in it: `--lib`, or `--test NAME`.
    pub target: Vec<String>,
}

impl Suite {
    /// Runs it from `root`, its output shown as it comes.
    pub fn run(&self, root: &Path, counts: Counts, is_release: bool) -> Result<ExitStatus, Failure> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(root).env(KILLS, counts.kills.to_string());
        cargo.env(POWER_CUTS, counts.power_cuts.to_string()).args(["test", "--package", &self.package]);
        cargo.args(&self.target);
        if is_release {
            cargo.arg("--release");
        }
        cargo.args(["--", "--nocapture"]);
        cargo.status().map_err(|cause| Failure::Program { program: "cargo".into(), cause })
    }
}

/// The suites of the workspace at `root`.
pub fn suites(root: &Path, files: &[SourceFile]) -> Result<BTreeSet<Suite>, Failure> {
    let manifests = read_workspace(root)?;
    let found: BTreeSet<Suite> = files
        .iter()
        .filter(|file| [KILLS, POWER_CUTS].iter().any(|variable| file.text.contains(variable)))
        .filter_map(|file| suite(&manifests, files, &file.path))
        .collect();
    if found.is_empty() {
        return Err(Failure::Nothing(format!("no test reads {KILLS} or {POWER_CUTS}: there is nothing to run")));
    }
    Ok(found)
}

fn suite(manifests: &[Manifest], files: &[SourceFile], path: &str) -> Option<Suite> {
    // The deepest package above the file: members may lie below the root package's own tests.
    let folder = |manifest: &Manifest| manifest.path.trim_end_matches("Cargo.toml").to_owned();
    let manifest = manifests
        .iter()
        .filter(|manifest| path.starts_with(&folder(manifest)))
        .max_by_key(|manifest| manifest.path.len())?;
    let inside = path.strip_prefix(&folder(manifest))?;
    if manifest.package == "xtask" {
        return None;
    }
    let target = match inside.strip_prefix("tests/") {
        None => vec!["--lib".to_owned()],
        Some(name) => {
            let name = name.split('/').next().unwrap_or(name).trim_end_matches(".rs");
            let tests = path.strip_suffix(inside)?.to_owned() + "tests/";
            let is_target = |file: &SourceFile| {
                file.path == format!("{tests}{name}.rs") || file.path == format!("{tests}{name}/main.rs")
            };
            // A folder that is no target is shared by the suites beside it: all of them run.
            let name = if files.iter().any(is_target) { name } else { "*" };
            vec!["--test".to_owned(), name.to_owned()]
        }
    };
    Some(Suite { package: manifest.package.clone(), target })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    #[test]
    fn a_suite_is_found_by_the_variable_that_it_reads() {
        let reads = format!("let kills = std::env::var(\"{KILLS}\");");
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        let files = [
            file("events/tests/kill.rs", &reads),
            file("events/src/store/sled/tests.rs", &reads),
            file("tests/crash.rs", &reads),
            file("tests/support/kill.rs", &reads),
            file("events/tests/store.rs", "mod damage;"),
            file("events/tests/store/damage.rs", &reads),
            file("events/tests/power/main.rs", &reads),
            file("tests/power-cut/tests/power_cut/main.rs", &format!("var(\"{POWER_CUTS}\")")),
            file("tests/chat.rs", "fn none() {}"),
            file("xtask/src/torture.rs", &reads),
        ];
        let found: Vec<_> = suites(&source::root(), &files)
            .unwrap()
            .into_iter()
            .map(|suite| format!("{} {}", suite.package, suite.target.join(" ")))
            .collect();
        assert_eq!(
            found,
            [
                "dispatch --test *",
                "dispatch --test crash",
                "dispatch-events --lib",
                "dispatch-events --test kill",
                "dispatch-events --test power",
                "dispatch-events --test store",
                "power-cut --test power_cut"
            ]
        );
    }

    #[test]
    fn no_suite_is_an_error() {
        assert!(matches!(suites(&source::root(), &[]), Err(Failure::Nothing(_))));
    }
}
