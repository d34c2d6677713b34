//! The events' own words in the views: `snake_case`, like every other word there.

use serde::{Serialize, Serializer, ser::Error};
use serde_json::Value;

/// Writes a variant without fields as its name in `snake_case`, and nothing as `null`. In a snapshot it is what it is.
///
/// # Errors
/// The serializer's own.
pub fn snake<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    if !serializer.is_human_readable() {
        return value.serialize(serializer);
    }
    match serde_json::to_value(value).map_err(S::Error::custom)? {
        Value::String(name) => {
            let mut word = String::with_capacity(name.len() + 2);
            for letter in name.chars() {
                if letter.is_uppercase() && !word.is_empty() {
                    word.push('_');
                }
                word.extend(letter.to_lowercase());
            }
            serializer.serialize_str(&word)
        }
        other => other.serialize(serializer),
    }
}
