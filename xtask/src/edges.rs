//! Dependencies point one way: `events <- projections <- actors <- adapters <- dispatch`.
//!
//! The compiler refuses a circle, but not an edge that skips the order, nor an HTTP client in a crate of pure folds. The
//! manifests say both, so they are read here. [`rules`] is the table.

pub mod manifest;
pub mod rules;

use crate::{Failure, Finding};
use manifest::{Dependency, Manifest, Use};
use rules::{FOR_TESTS, LAYERS, OWNERS};
use std::path::Path;

/// Reads every manifest of the workspace at `root` and checks its edges.
pub fn check(root: &Path) -> Result<Vec<Finding>, Failure> {
    Ok(manifest::read_workspace(root)?.iter().flat_map(judge).collect())
}

/// The forbidden edges of one manifest.
pub fn judge(manifest: &Manifest) -> Vec<Finding> {
    let Some(layer) = LAYERS.iter().find(|layer| layer.package == manifest.package) else {
        let says = format!("{} has no place in the order of crates: give it one in xtask's LAYERS", manifest.package);
        return vec![Finding::new(&manifest.path, says)];
    };
    let mut findings = Vec::new();
    for dependency in &manifest.dependencies {
        let Dependency { package, used } = dependency;
        let is_internal = LAYERS.iter().any(|layer| layer.package == package);
        if is_internal {
            let is_allowed = layer.may_use.contains(&package.as_str())
                || (*used == Use::Tests && layer.tests_may_use.contains(&package.as_str()));
            if !is_allowed {
                let says = format!("{} may not depend on {package}: dependencies point the other way", layer.package);
                findings.push(Finding::new(&manifest.path, says));
            }
        } else if *used == Use::Code
            && !FOR_TESTS.contains(&layer.package)
            && let Some(rule) = OWNERS.iter().find(|rule| rule.covers(package))
            && !rule.owners.contains(&layer.package)
        {
            let owners = rule.owners.join(", ");
            let says =
                format!("{package} ({}) belongs to {owners}, not to {}: put a port here", rule.duty, layer.package);
            findings.push(Finding::new(&manifest.path, says));
        }
    }
    findings
}

#[cfg(test)]
mod tests;
