//! The container file, read with a Dockerfile parser and held to rules of ours.
//!
//! The usual linter for these files is a download outside every package registry, and the ones in registries are
//! unmaintained. A maintained parser and the few rules that matter here are less to trust and run in the same test.

mod image;
mod rule;

use crate::{Failure, Finding};
use parse_dockerfile::Dockerfile;

/// A container file, with what its rules need besides.
struct Subject<'a, 't> {
    path: &'a str,
    text: &'t str,
    file: &'a Dockerfile<'t>,
    toolchain: &'a str,
    findings: Vec<Finding>,
}

impl Subject<'_, '_> {
    /// Notes a violation at the byte `at` of the file.
    fn found(&mut self, at: usize, says: impl Into<String>) {
        let line = self.text[..at.min(self.text.len())].matches('\n').count() + 1;
        self.findings.push(Finding::new(format!("{}:{line}", self.path), says));
    }
}

/// The violations in `text`, the container file at `path`; `toolchain` is the oldest Rust that builds this workspace.
pub fn lint(path: &str, text: &str, toolchain: &str) -> Result<Vec<Finding>, Failure> {
    let unreadable =
        |cause: parse_dockerfile::Error| Failure::Unreadable { path: path.into(), cause: cause.to_string() };
    let file = parse_dockerfile::parse(text).map_err(unreadable)?;
    let mut subject = Subject { path, text, file: &file, toolchain, findings: Vec::new() };
    for (at, stage) in file.stages().enumerate() {
        image::check_tag(&mut subject, stage.from);
        for instruction in stage.instructions {
            rule::check_instruction(&mut subject, instruction, at);
        }
    }
    if let Some(last) = file.stages().last() {
        rule::check_result(&mut subject, &last);
    }
    Ok(subject.findings)
}

#[cfg(test)]
mod tests;
