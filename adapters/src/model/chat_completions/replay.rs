//! What a vendor wants back with the next request, beyond the fields that every vendor has.
//!
//! The policy, one for all vendors: the fields of [`REPLAYED`] and the ones that stand beside a call's `function`
//! ([`REPLAYED_BESIDE_CALLS`]) are kept in the message's `extra` if the vendor sent them, and go back under the same
//! names with every later request. A vendor that sends such a field takes it back (some refuse a request that lacks
//! it); one that never sent it never sees it. All other unknown fields are dropped: nobody needs them back, and strict
//! servers refuse what they do not know.
//!
//! Two settings of a profile ([`crate::model::ReplayReasoning`]) cover the rest: `never`, for servers that send
//! reasoning and refuse it; `always`, for those that want `reasoning_content` on every message, if only empty. They act
//! when an answer is recorded, so what was recorded is rendered the same way for ever.
//!
//! In `extra` the fields beside calls stand under the key `tool_calls`, an array with one object for each call.

use super::json_text::{Members, members, members_text, push_string};
use serde_json::value::RawValue;

/// Fields of an assistant message that are replayed.
pub const REPLAYED: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"];

/// Fields beside a call's `function` that are replayed: Gemini's compatible endpoint keeps thought signatures there.
pub const REPLAYED_BESIDE_CALLS: [&str; 1] = ["extra_content"];

/// Fields that the renderer writes itself, so `extra` never adds a second one.
const RENDERED: [&str; 3] = ["role", "content", "tool_calls"];

/// A message's `extra`, cut for the renderer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Members of the message itself, as text without braces.
    pub members: String,
    /// For each call, the members of its object, as text without braces.
    pub beside_calls: Vec<String>,
}

/// Cuts an `extra`. An object without special keys is taken as the text that it is.
pub fn split(extra: &str) -> Split {
    let Some(Members(all)) = members(extra) else { return Split::default() };
    if !all.iter().any(|(key, _)| RENDERED.contains(&key.as_str())) {
        return Split { members: members_text(extra).to_owned(), beside_calls: Vec::new() };
    }
    let mut split = Split::default();
    for (key, value) in all {
        if key == "tool_calls" {
            let objects: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
            split.beside_calls = objects.iter().map(|object| members_text(object.get()).to_owned()).collect();
        } else if !RENDERED.contains(&key.as_str()) {
            push_member(&mut split.members, &key, value.get());
        }
    }
    split
}

/// Appends `"key":value`, with a comma if something stands before it.
pub fn push_member(out: &mut String, key: &str, value: &str) {
    if !out.is_empty() {
        out.push(',');
    }
    push_string(out, key);
    out.push(':');
    out.push_str(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extra_without_special_keys_keeps_its_very_text() {
        let split = split("{ \"reasoning_content\" : \"a\\u00e9\",  \"x\":1.50 }");
        assert_eq!(split.members, "\"reasoning_content\" : \"a\\u00e9\",  \"x\":1.50");
    }

    #[test]
    fn fields_beside_calls_are_told_apart() {
        let split = split(r#"{"a":1,"tool_calls":[{"extra_content":{"s":"é"}},{}],"role":"system"}"#);
        assert_eq!(split.members, r#""a":1"#);
        assert_eq!(split.beside_calls, [r#""extra_content":{"s":"é"}"#, ""]);
    }

    #[test]
    fn what_is_not_an_object_adds_nothing() {
        assert_eq!(split("[1]"), Split::default());
        assert_eq!(split(""), Split::default());
    }
}
