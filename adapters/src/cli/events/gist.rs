//! What an event says, in a line. All of it is in the JSON form.

use crate::cli::paper::words::{at, list, short};
use serde_json::Value;

/// Fields that the columns show already, or that only a program reads.
const LEFT_OUT: [&str; 10] = [
    "turn",
    "admission",
    "digest",
    "fragments",
    "head",
    "prefix",
    "parameters",
    "obligation",
    "schemas",
    "dialect_version",
];

/// The gist of an event of a type.
pub fn of(kind: &str, event: &Value) -> String {
    let payload = &event["payload"];
    if payload.is_null() {
        return at(event, "note");
    }
    match kind {
        "input.queued" => {
            let who = format!("{}:{}", at(payload, "principal/adapter"), at(payload, "principal/subject"));
            format!("{who}: {}", text(payload))
        }
        "message.recorded" => message(&payload["message"]),
        "model.streamed" => at(payload, "text"),
        "memory.noted" => format!("{} by {}", at(payload, "target"), at(payload, "writer")),
        "prompt.built" => String::new(),
        _ => fields(payload),
    }
}

fn message(message: &Value) -> String {
    let Some((role, said)) = message.as_object().and_then(|fields| fields.iter().next()) else {
        return String::new();
    };
    let mut told = role.to_lowercase();
    let said_text = text(said);
    if !said_text.is_empty() {
        told.push_str(": ");
        told.push_str(&said_text);
    }
    for call in list(said, "calls") {
        told.push_str(&format!(" → {} {}", at(call, "tool"), at(call, "arguments")));
    }
    told
}

fn text(value: &Value) -> String {
    let texts = list(value, "parts").iter().map(|part| at(part, "Text"));
    texts.collect::<Vec<_>>().join(" ")
}

/// `name=value`, without what is empty.
fn fields(payload: &Value) -> String {
    let Some(fields) = payload.as_object() else { return payload.to_string() };
    let told = fields.iter().filter(|(name, value)| !LEFT_OUT.contains(&name.as_str()) && !is_empty(value));
    let told = told.map(|(name, value)| match value {
        Value::String(text) => format!("{name}={text}"),
        Value::Object(inner) if inner.len() <= 3 => {
            let parts = inner.iter().map(|(name, value)| format!("{name} {}", plain(value)));
            format!("{name}=({})", parts.collect::<Vec<_>>().join(", "))
        }
        Value::Object(_) => format!("{name}=…"),
        Value::Array(items) => format!("{name}={} items", items.len()),
        other => format!("{name}={other}"),
    });
    told.collect::<Vec<_>>().join(" ")
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty)
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), |text| if text.len() == 36 { short(text) } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_told_in_the_words_that_matter() {
        let queued = json!({"payload": {
            "admission": "a", "principal": {"adapter": "cli", "subject": "me"}, "parts": [{"Text": "hi"}], "seq": 1,
        }});
        assert_eq!(of("input.queued", &queued), "cli:me: hi");
        let said = json!({"payload": {"message": {"Assistant": {
            "parts": [{"Text": "yes"}], "calls": [{"tool": "todo", "arguments": "{}"}],
        }}}});
        assert_eq!(of("message.recorded", &said), "assistant: yes → todo {}");
        let settled = json!({"payload": {"admission": "a", "outcome": "Completed"}});
        assert_eq!(of("input.settled", &settled), "outcome=Completed");
    }

    #[test]
    fn a_payload_that_can_not_be_shown_says_why() {
        assert_eq!(of("any.thing", &json!({"payload": null, "note": "erased"})), "erased");
    }
}
