//! A TOML file to a flat list of values, each with its line.

use super::{ConfigError, ConfigErrors, Given, Origin};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The values of a TOML text, in order.
///
/// # Errors
/// The line that is not TOML.
pub fn values(file: &str, text: &str) -> Result<Vec<Given>, ConfigErrors> {
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        ConfigError::at(&origin(file, text, start), format!("this is not TOML: {}", error.message()))
    })?;
    let mut found = Vec::new();
    walk(file, text, table.get_ref(), &mut Vec::new(), &mut found)?;
    Ok(found)
}

fn walk(
    file: &str,
    text: &str,
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    found: &mut Vec<Given>,
) -> Result<(), ConfigErrors> {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => walk(file, text, inner, path, found)?,
            _ => {
                let origin = origin(file, text, key.span().start);
                let value = plain(value)
                    .ok_or_else(|| ConfigError::at(&origin, format!("`{}` is out of range", path.join("."))))?;
                found.push(Given { path: path.clone(), value, origin });
            }
        }
        path.pop();
    }
    Ok(())
}

fn plain(value: &Spanned<DeValue<'_>>) -> Option<toml::Value> {
    Some(match value.get_ref() {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(number) => toml::Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()?),
        DeValue::Float(number) => toml::Value::Float(number.as_str().parse().ok()?),
        DeValue::Boolean(yes) => toml::Value::Boolean(*yes),
        DeValue::Datetime(time) => toml::Value::Datetime(*time),
        DeValue::Array(items) => toml::Value::Array(items.iter().map(plain).collect::<Option<_>>()?),
        DeValue::Table(inner) => {
            let pairs = inner.iter().map(|(key, value)| Some((key.get_ref().to_string(), plain(value)?)));
            toml::Value::Table(pairs.collect::<Option<_>>()?)
        }
    })
}

fn origin(file: &str, text: &str, at: usize) -> Origin {
    let line = text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
    Origin::File { file: file.to_owned(), line }
}
