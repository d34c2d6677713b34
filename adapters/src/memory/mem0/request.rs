//! Bodies of requests, and what an answer means.

use crate::memory::settings::Mem0Settings;
use dispatch_actors::ports::memory::Exchange;
use serde_json::{Value, json};

/// Hits that a search asks for.
const TOP_K: u32 = 10;
/// Bytes of a query; what lies behind would only blur the search.
const QUERY_BYTES: usize = 8 * 1024;
/// Bytes of one message of an exchange.
const MESSAGE_BYTES: usize = 256 * 1024;
/// Bytes of one bullet.
const BULLET_BYTES: usize = 4 * 1024;

/// The body of a search; `None` if there is nothing to search for.
pub(super) fn search(settings: &Mem0Settings, text: &str) -> Option<Value> {
    let query = prefix(text.trim(), QUERY_BYTES);
    if query.is_empty() {
        return None;
    }
    let filters = json!({ "user_id": settings.user_id });
    Some(json!({ "query": query, "filters": filters, "top_k": TOP_K, "rerank": settings.rerank }))
}

/// The body that adds an exchange. The key, the session and the turn go along as metadata, so that a person can find
/// what was written twice.
pub(super) fn add(settings: &Mem0Settings, exchange: &Exchange) -> Value {
    json!({
        "messages": [
            { "role": "user", "content": prefix(&exchange.user, MESSAGE_BYTES) },
            { "role": "assistant", "content": prefix(&exchange.assistant, MESSAGE_BYTES) },
        ],
        "user_id": settings.user_id,
        "agent_id": settings.agent_id,
        "infer": true,
        "metadata": {
            "channel": "dispatch",
            "idempotency_key": exchange.key,
            "session": exchange.session.to_string(),
            "turn": exchange.turn.to_string(),
        },
    })
}

/// The hits of an answer as a bullet list, in their order; `None` if there are none.
pub(super) fn bullets(answer: &[u8], min_score: Option<f64>) -> Result<Option<String>, String> {
    let value: Value = serde_json::from_slice(answer).map_err(|error| format!("mem0 answered no JSON: {error}"))?;
    let hits = value.as_array().or_else(|| value.get("results").and_then(Value::as_array));
    let Some(hits) = hits else { return Err("mem0 answered neither a list nor `results`".to_owned()) };
    let mut seen = Vec::new();
    for hit in hits.iter().take(TOP_K as usize) {
        let too_low = match (min_score, hit.get("score").and_then(Value::as_f64)) {
            (Some(least), Some(score)) => score < least,
            _ => false,
        };
        let words: Vec<&str> = hit.get("memory").and_then(Value::as_str).unwrap_or("").split_whitespace().collect();
        let line = words.join(" ");
        if too_low || line.is_empty() || seen.contains(&line) {
            continue;
        }
        seen.push(line);
    }
    let lines: Vec<String> = seen.iter().map(|line| format!("- {}", prefix(line, BULLET_BYTES))).collect();
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
}

fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
