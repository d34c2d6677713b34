//! What the backend answers when the script says nothing.

use serde_json::{Value, json};

use super::answer::MemoryAnswer;
use crate::http::Request;

/// One stored memory for each message, as mem0 answers without inference. `number` makes the ids unique.
pub(super) fn added(request: &Request, number: usize) -> MemoryAnswer {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return MemoryAnswer::error(422, "the body is not JSON");
    };
    let Some(messages) = body["messages"].as_array() else {
        return MemoryAnswer::error(422, "`messages` is missing or no list");
    };
    let results: Vec<Value> = messages
        .iter()
        .enumerate()
        .map(|(at, message)| json!({"id": format!("a{number}-{}", at + 1), "memory": message["content"], "event": "ADD"}))
        .collect();
    MemoryAnswer::json(200, &json!({ "results": results }))
}

/// Updates and removals succeed; everything else is no route.
pub(super) fn other(request: &Request) -> MemoryAnswer {
    match (request.method.as_str(), request.route().strip_prefix("/memories/")) {
        ("PUT", Some(id)) => MemoryAnswer::json(200, &json!({"message": format!("Memory {id} updated")})),
        ("DELETE", Some(id)) => MemoryAnswer::json(200, &json!({"message": format!("Memory {id} deleted")})),
        _ => MemoryAnswer::error(404, "Not Found"),
    }
}
