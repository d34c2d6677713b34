//! What a `Cargo.toml` depends on.

use crate::Failure;
use std::{fs, path::Path};
use toml::{Table, Value};

/// One package of the workspace.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// Path of its `Cargo.toml` from the root of the repository.
    pub path: String,
    /// The package's name.
    pub package: String,
    /// Everything it depends on.
    pub dependencies: Vec<Dependency>,
}

/// One edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The package's own name, whatever it is renamed to.
    pub package: String,
    /// Who uses it.
    pub used: Use,
}

/// Who uses a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// The package's code or build script.
    Code,
    /// Its tests, benches and examples alone.
    Tests,
}

/// The manifests of the workspace at `root`: the root package and every member.
pub fn read_workspace(root: &Path) -> Result<Vec<Manifest>, Failure> {
    let text = read(root, "Cargo.toml")?;
    let table = parse_table("Cargo.toml", &text)?;
    let workspace = table.get("workspace").and_then(Value::as_table).cloned().unwrap_or_default();
    let shared = workspace.get("dependencies").and_then(Value::as_table).cloned().unwrap_or_default();
    let members = workspace.get("members").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut manifests = vec![parse("Cargo.toml", &text, &shared)?];
    for member in members.iter().filter_map(Value::as_str) {
        let path = format!("{member}/Cargo.toml");
        manifests.push(parse(&path, &read(root, &path)?, &shared)?);
    }
    Ok(manifests)
}

/// Reads one manifest; `shared` is the workspace's own dependency table, where renamed packages may stand.
pub fn parse(path: &str, text: &str, shared: &Table) -> Result<Manifest, Failure> {
    let table = parse_table(path, text)?;
    let name = table.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    let Some(package) = name.map(str::to_owned) else {
        return Err(Failure::Unreadable { path: path.into(), cause: "it names no package".into() });
    };
    let mut dependencies = Vec::new();
    collect(&table, shared, &mut dependencies);
    for target in table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values) {
        if let Some(target) = target.as_table() {
            collect(target, shared, &mut dependencies);
        }
    }
    Ok(Manifest { path: path.into(), package, dependencies })
}

fn collect(table: &Table, shared: &Table, dependencies: &mut Vec<Dependency>) {
    for (section, used) in
        [("dependencies", Use::Code), ("build-dependencies", Use::Code), ("dev-dependencies", Use::Tests)]
    {
        let section = table.get(section).and_then(Value::as_table);
        for (key, value) in section.into_iter().flatten() {
            let is_shared = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let source = if is_shared { shared.get(key) } else { Some(value) };
            let renamed = source.and_then(|source| source.get("package")).and_then(Value::as_str);
            dependencies.push(Dependency { package: renamed.unwrap_or(key).to_owned(), used });
        }
    }
}

fn read(root: &Path, path: &str) -> Result<String, Failure> {
    let path = root.join(path);
    fs::read_to_string(&path).map_err(Failure::at(&path))
}

fn parse_table(path: &str, text: &str) -> Result<Table, Failure> {
    text.parse().map_err(|cause: toml::de::Error| Failure::Unreadable { path: path.into(), cause: cause.to_string() })
}
