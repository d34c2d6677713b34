//! The files that put Dispatch on a machine.

pub mod container;
pub mod unit;

use crate::{Failure, Finding};
use std::{fs, path::Path};

/// The container file.
pub const CONTAINER: &str = "deploy/Containerfile";
/// The systemd unit.
pub const UNIT: &str = "deploy/dispatch.service";

/// What a lint found, and what it could not look at.
#[derive(Debug, Default)]
pub struct Lint {
    /// The violations.
    pub findings: Vec<Finding>,
    /// The parts that this machine lacks the program for, each with its reason.
    pub skipped: Vec<String>,
}

/// Lints both files of the repository at `root`.
pub fn check(root: &Path) -> Result<Lint, Failure> {
    let text = read(root, CONTAINER)?;
    let toolchain = least_toolchain(&read(root, "Cargo.toml")?)?;
    let mut lint = Lint { findings: container::lint(CONTAINER, &text, &toolchain)?, skipped: Vec::new() };
    let text = read(root, UNIT)?;
    lint.findings.extend(unit::lint(UNIT, &text));
    match unit::verify(UNIT, &text)? {
        Some(findings) => lint.findings.extend(findings),
        None => {
            lint.skipped.push("systemd-analyze is not installed: the unit was only checked for our own rules".into())
        }
    }
    Ok(lint)
}

fn read(root: &Path, path: &str) -> Result<String, Failure> {
    let path = root.join(path);
    fs::read_to_string(&path).map_err(Failure::at(&path))
}

/// The `rust-version` of the workspace: the image that builds must have it.
fn least_toolchain(manifest: &str) -> Result<String, Failure> {
    let unreadable = |cause: String| Failure::Unreadable { path: "Cargo.toml".into(), cause };
    let table: toml::Table = manifest.parse().map_err(|cause: toml::de::Error| unreadable(cause.to_string()))?;
    let package = table.get("workspace").and_then(|workspace| workspace.get("package"));
    let version = package.and_then(|package| package.get("rust-version")).and_then(toml::Value::as_str);
    version.map(str::to_owned).ok_or_else(|| unreadable("workspace.package has no rust-version".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    #[test]
    fn the_files_of_this_repository_are_clean() {
        assert_eq!(check(&source::root()).unwrap().findings, []);
    }
}
