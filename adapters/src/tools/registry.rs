//! The tools of this host, in their fixed order: request heads are compared byte for byte.

use super::{list_files::ListFiles, memory_tool::MemoryTool, read_file::ReadFile, todo::Todo, workspace::Workspace};
use dispatch_actors::ports::tool::{Tool, Toolbox};
use dispatch_events::RawJson;
use jsonschema::Validator;
use serde_json::Value;
use std::sync::Arc;

/// Bytes of the arguments of one call.
const ARGUMENT_BYTES: usize = 1024 * 1024;
/// Faults that one answer names.
const NAMED_FAULTS: usize = 5;
/// Characters of one named fault.
const FAULT_CHARS: usize = 300;

/// Why a registry can't be made: a fault in a tool, not in what a user wrote.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Two tools have one name.
    #[error("two tools are called `{0}`; rename one")]
    Twice(String),
    /// A schema is not `{"type":"function","function":{"name":…,"parameters":…}}` with this tool's name.
    #[error("the schema of the tool `{tool}` can't be used: {why}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong.
        why: String,
    },
}

/// Tools and the checks of their arguments.
pub struct Registry {
    entries: Vec<Entry>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    validator: Validator,
}

impl Registry {
    /// A registry with these tools, in this order.
    ///
    /// # Errors
    /// [`RegistryError`] names the tool at fault.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, RegistryError> {
        let mut entries: Vec<Entry> = Vec::with_capacity(tools.len());
        for tool in tools {
            if entries.iter().any(|entry| entry.tool.name() == tool.name()) {
                return Err(RegistryError::Twice(tool.name().to_owned()));
            }
            let validator =
                validator(tool.as_ref()).map_err(|why| RegistryError::Schema { tool: tool.name().to_owned(), why })?;
            entries.push(Entry { tool, validator });
        }
        Ok(Self { entries })
    }

    /// The built-in tools, over a workspace.
    ///
    /// # Errors
    /// [`RegistryError`] names the tool at fault.
    pub fn standard(workspace: Workspace) -> Result<Self, RegistryError> {
        let workspace = Arc::new(workspace);
        Self::new(vec![
            Arc::new(ListFiles::new(Arc::clone(&workspace))),
            Arc::new(MemoryTool),
            Arc::new(ReadFile::new(workspace)),
            Arc::new(Todo),
        ])
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.tool.name() == name)
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.tool.name()).collect();
        let near = names.iter().filter(|known| strsim::damerau_levenshtein(known, name) <= 3);
        let hint = near.min_by_key(|known| strsim::damerau_levenshtein(known, name));
        let hint = hint.map(|known| format!(" Did you mean `{known}`?")).unwrap_or_default();
        format!("there is no tool `{}`.{hint} The tools are: {}", short(name), names.join(", "))
    }
}

impl Toolbox for Registry {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.entries.iter().map(|entry| Arc::clone(&entry.tool)).collect()
    }

    fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.entry(name).map(|entry| Arc::clone(&entry.tool))
    }

    fn check(&self, name: &str, arguments: &RawJson) -> Result<(), String> {
        let Some(entry) = self.entry(name) else { return Err(self.unknown(name)) };
        let text = arguments.as_str();
        if text.len() > ARGUMENT_BYTES {
            return Err(format!("the arguments of `{name}` have {} bytes; send at most {ARGUMENT_BYTES}", text.len()));
        }
        let value = parse(text).map_err(|why| format!("the arguments of `{name}` are not one JSON object: {why}"))?;
        let faults: Vec<String> = entry
            .validator
            .iter_errors(&value)
            .take(NAMED_FAULTS)
            .map(|fault| {
                let place = fault.instance_path().to_string();
                let place = if place.is_empty() { String::new() } else { format!("at {place}: ") };
                short(&format!("{place}{fault}"))
            })
            .collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(format!(
            "the arguments of `{name}` do not fit its schema; correct them and call again:\n- {}",
            faults.join("\n- ")
        ))
    }
}

/// Reads the arguments of a call. No text at all stands for no arguments, as some models write it.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<Value, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.is_object() { Ok(value) } else { Err("it is another kind of value".to_owned()) }
}

/// Reads checked arguments into a tool's own type.
///
/// # Errors
/// In words, where type and schema disagree.
pub fn arguments<T: serde::de::DeserializeOwned>(raw: &RawJson) -> Result<T, String> {
    let value = parse(raw.as_str())?;
    serde_json::from_value(value).map_err(|error| format!("the arguments can't be used: {error}; correct them"))
}

fn validator(tool: &dyn Tool) -> Result<Validator, String> {
    let schema: Value = serde_json::from_str(tool.schema().as_str()).map_err(|error| error.to_string())?;
    let function = schema.get("function").ok_or("it has no `function`")?;
    if function.get("name").and_then(Value::as_str) != Some(tool.name()) {
        return Err("it has another name".to_owned());
    }
    let parameters = function.get("parameters").ok_or("it has no `parameters`")?;
    jsonschema::validator_for(parameters).map_err(|error| error.to_string())
}

fn short(text: &str) -> String {
    let mut line: String = text.chars().take(FAULT_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(FAULT_CHARS).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
