//! The shapes of bodies and answers, as JSON Schema. The tests hold real answers against them.

mod control;

use super::super::problem::Code;
use serde_json::{Map, Value, json};

/// Every named shape.
pub(super) fn all() -> Value {
    let mut schemas = Map::new();
    for group in [general(), openai(), sessions(), control::all(), events(), memory(), equipment(), care()] {
        if let Value::Object(group) = group {
            schemas.extend(group);
        }
    }
    Value::Object(schemas)
}

/// An object with these members; those whose name ends in `?` may be missing.
fn object(members: &[(&str, Value)]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, schema) in members {
        let bare = name.trim_end_matches('?');
        if bare.len() == name.len() {
            required.push(bare);
        }
        properties.insert(bare.to_owned(), schema.clone());
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn id() -> Value {
    json!({"type": "string", "format": "uuid"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn yes_no() -> Value {
    json!({"type": "boolean"})
}

fn maybe(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn named(name: &str) -> Value {
    super::reference(name)
}

fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn general() -> Value {
    let codes: Vec<_> = Code::TABLE.iter().map(|row| row.1).collect();
    json!({
        "Anything": {},
        "Status": object(&[("status", text())]),
        "Problem": object(&[
            ("type", text()), ("title", text()), ("status", count()), ("detail", text()), ("code", one_of(&codes)),
            ("error?", object(&[("message", text()), ("type", text()), ("code", text())])),
        ]),
        "Doctor": object(&[
            ("ready", yes_no()), ("problem", maybe(text())), ("version", text()), ("started_at", text()),
            ("engine", text()), ("epoch", count()), ("position", count()), ("draining", yes_no()),
            ("sessions_active", count()),
            ("model", object(&[("profile", text()), ("model", text()), ("rehearsal", yes_no())])),
            ("gateway", object(&[("listen", text()), ("max_body", count()), ("max_input", count())])),
        ]),
    })
}

fn openai() -> Value {
    let content = json!({"anyOf": [text(), list(object(&[("type", one_of(&["text"])), ("text", text())]))]});
    let usage = object(&[("prompt_tokens", count()), ("completion_tokens", count()), ("total_tokens", count())]);
    let extra = object(&[
        ("outcome", one_of(&["completed", "interrupted"])),
        ("session", id()),
        ("turn", maybe(id())),
        ("position", count()),
    ]);
    let frame = [("id", text()), ("object", text()), ("created", count()), ("model", text())];
    let answer = object(&[("role", one_of(&["assistant"])), ("content", text())]);
    let choice = object(&[("index", count()), ("message", answer), ("finish_reason", text())]);
    let delta = object(&[("role?", text()), ("content?", text())]);
    let piece = object(&[("index", count()), ("delta", delta), ("finish_reason", maybe(text()))]);
    let with = |rest: &[(&str, Value)]| object(&[&frame, rest].concat());
    json!({
        "ChatRequest": object(&[
            ("model?", text()),
            ("messages", list(object(&[("role", text()), ("content", content)]))),
            ("stream?", yes_no()),
            ("stream_options?", object(&[("include_usage?", yes_no())])),
        ]),
        "ChatAnswer": with(&[
            ("system_fingerprint?", text()), ("choices", list(choice)), ("usage?", usage.clone()), ("x_dispatch", extra.clone()),
        ]),
        "ChatPiece": with(&[
            ("system_fingerprint?", text()), ("choices", list(piece)), ("usage?", maybe(usage)), ("x_dispatch?", extra),
        ]),
        "OpenAiModels": object(&[
            ("object", text()),
            ("data", list(object(&[("id", text()), ("object", text()), ("created", count()), ("owned_by", text())]))),
        ]),
    })
}

fn sessions() -> Value {
    let said = object(&[("role", one_of(&["user", "assistant"])), ("content", text())]);
    json!({
        "Session": object(&[
            ("id", id()), ("name", text()), ("status", one_of(&["idle", "queued", "running", "paused", "unreadable", "erased"])),
            ("archived", yes_no()), ("busy", maybe(text())), ("source", text()), ("agent", text()), ("opened_at", text()), ("updated_at", text()), ("version", count()),
            ("position", count()), ("revision", count()), ("turns", count()), ("turn", maybe(id())),
            ("messages", count()), ("model_calls", count()), ("pending", count()), ("profile", maybe(text())),
            ("input_tokens", count()), ("output_tokens", count()), ("unknown_usage", count()),
            ("skipped_events", count()),
            ("problems", list(text())),
        ]),
        "Sessions": object(&[("sessions", list(named("Session"))), ("next", maybe(text()))]),
        "NewSession": object(&[("name?", maybe(text())), ("source?", maybe(text())), ("system?", maybe(text())), ("history?", list(said)), ("route?", maybe(named("Route")))]),
        "Prefix": object(&[("requests", list(object(&[
            ("version", count()), ("turn", id()), ("attempt", count()), ("extends_previous", yes_no()),
            ("diverged_at", maybe(count())), ("cause", maybe(text())), ("proven", yes_no()),
        ])))]),
    })
}

fn events() -> Value {
    let problem = object(&[("kind", text()), ("position", count()), ("stream", maybe(id())), ("what", text())]);
    let verdicts =
        ["intact", "erased", "half_erased", "index", "unreadable", "missing_tail", "missing_stream", "edited"]
            .map(|verdict| (verdict, count()));
    json!({
        "Event": object(&[
            ("position", count()), ("stream", id()), ("version", count()), ("id", id()), ("type", text()),
            ("schema", count()), ("recorded_at", text()), ("epoch", count()), ("turn", maybe(id())),
            ("causation", maybe(id())), ("principal", maybe(id())), ("payload", json!({})), ("note?", text()),
        ]),
        "Verified": object(&[
            ("sound", yes_no()), ("events", count()), ("streams", count()), ("position", count()),
            ("log_hash", text()),
            ("verdict", text()), ("since", count()), ("problems", list(problem.clone())), ("more_problems", count()),
            ("unreadable", count()), ("erased", count()), ("unknown", count()), ("verdicts", object(&verdicts)),
            ("not_intact", list(object(&[
                ("stream", id()), ("verdict", text()), ("version", count()), ("position", count()),
            ]))),
            ("more_not_intact", count()),
            ("anchor", maybe(object(&[
                ("made_at", text()), ("public_key", text()), ("trusted", yes_no()), ("position", count()),
                ("streams", count()), ("problems", list(problem)), ("more_problems", count()),
            ]))),
        ]),
        "Anchor": object(&[
            ("format", count()), ("position", count()), ("log_hash", text()), ("streams", count()),
            ("heads_digest", text()),
            ("heads?", list(object(&[("stream", id()), ("version", count()), ("hash", text())]))),
            ("made_at", text()), ("release", text()), ("public_key", text()), ("signature", text()),
        ]),
        "Message": object(&[
            ("role", one_of(&["user", "assistant", "tool", "notice"])), ("content", text()), ("turn", id()),
            ("version", count()), ("stream", id()), ("at", text()), ("has_api_content", yes_no()),
        ]),
        "Events": object(&[("events", list(named("Event"))), ("next", maybe(count()))]),
    })
}

fn memory() -> Value {
    let add = object(&[("op", one_of(&["add"])), ("content", text())]);
    let replace = object(&[("op", one_of(&["replace"])), ("old_text", text()), ("content", text())]);
    let remove = object(&[("op", one_of(&["remove"])), ("old_text", text())]);
    json!({
        "MemoryFiles": object(&[
            ("agent", text()),
            ("files", list(object(&[("file", text()), ("entries", list(text())), ("characters", count())]))),
            ("backend", maybe(object(&[("name", text()), ("destination", text())]))),
        ]),
        "MemoryEdit": object(&[
            ("target", one_of(&["memory", "user"])),
            ("operations", list(json!({"oneOf": [add, replace, remove]}))),
        ]),
        "MemoryEdited": object(&[("summary", text())]),
        "MemoryTimeline": object(&[("moments", list(object(&[
            ("position", count()), ("stream", id()), ("version", count()), ("at", text()), ("what", text()),
        ])))]),
    })
}

fn equipment() -> Value {
    json!({
        "Models": object(&[
            ("default", text()),
            ("models", list(object(&[
                ("name", text()), ("model", text()), ("dialect", text()), ("base_url", text()),
                ("context_window", maybe(count())), ("stream", yes_no()), ("rehearsal", yes_no()),
            ]))),
        ]),
        "Tools": object(&[("tools", list(object(&[("name", text()), ("class", text()), ("schema", json!({}))])))]),
    })
}

fn care() -> Value {
    let written = [
        ("file", text()),
        ("keys", maybe(text())),
        ("events", count()),
        ("appends", count()),
        ("blobs", count()),
        ("damaged_blobs", count()),
        ("files", count()),
        ("position", count()),
        ("log_hash", text()),
    ];
    json!({
        "ExportTo": object(&[("file", text()), ("keys?", yes_no())]),
        "Exported": object(&written),
        "BackupTo": object(&[("file", text())]),
        "BackedUp": object(&[&written[..], &[("verified", named("Verified"))]].concat()),
        "Erased": object(&[("session", id()), ("version", count())]),
        "Progress": object(&[
            ("stage", one_of(&["log", "blobs", "files", "verifying"])), ("done", count()), ("of", count()),
        ]),
    })
}
