//! The table of routes against the server: what it promises is registered, and what is answered has the shape that it
//! describes.

use super::{
    super::{
        openapi::describe,
        problem::Code,
        routes::{Definition, ROUTES, Verb},
    },
    client::Reply,
    rig::{BEARER, HOST, JSON, Rig},
};
use serde_json::{Value, json};
use std::path::Path;

/// Routes of the contract, so that none is lost.
const CONTRACT: &[&str] = &[
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/models",
    "/api/sessions",
    "/api/sessions/{id}",
    "/api/sessions/{id}/input",
    "/api/sessions/{id}/interrupt",
    "/api/sessions/{id}/fork",
    "/api/sessions/{id}/rewind",
    "/api/sessions/{id}/reset",
    "/api/sessions/{id}/compact",
    "/api/sessions/{id}/reconcile",
    "/api/sessions/{id}/events",
    "/api/sessions/{id}/view/{view}",
    "/api/sessions/{id}/export",
    "/api/events",
    "/api/audit/sql",
    "/api/audit/verify",
    "/api/audit/prefix",
    "/api/audit/report",
    "/api/search",
    "/api/approvals",
    "/api/approvals/{id}",
    "/api/memory",
    "/api/catalog",
    "/api/backup",
    "/api/log/export",
    "/api/doctor",
];

/// Version of the user message of the one turn: behind the opening, the input, its claim and the prompt.
const FIRST_MESSAGE: u64 = 9;
const NOBODY: &str = "01900000-0000-7000-8000-000000000000";

/// Routes that refuse here, because the one session has nothing to cancel, to settle or to try again.
fn refuses(route: &Definition) -> Option<(u16, String)> {
    let (status, code) = match (route.verb, route.path.rsplit('/').next()?) {
        _ if route.errors.contains(&Code::NotBuilt) => (501, "not_built"),
        (Verb::Delete, "{admission}") => (404, "not_found"),
        (Verb::Post, "reconcile" | "retry") => (400, "invalid_params"),
        _ => return None,
    };
    Some((status, code.to_owned()))
}

fn body(schema: &str, folder: &Path) -> Value {
    match schema {
        "Fork" => json!({"name": "forked-by-the-table"}),
        "Rewind" => json!({"to": FIRST_MESSAGE}),
        "Undo" | "Seen" => json!({}),
        "Archive" => json!({"archived": true}),
        "Reconcile" => json!({"verdict": "give_up", "why": "nobody knows"}),
        "BackupTo" => json!({"file": folder.join("backup")}),
        "ExportTo" => json!({"file": folder.join("log"), "keys": true}),
        "ChatRequest" => json!({"messages": [{"role": "user", "content": "hi"}]}),
        "NewSession" => json!({"name": "made-by-the-table"}),
        "SessionChange" => json!({"name": "demo"}),
        "Input" => json!({"intent": "queue", "parts": [{"type": "text", "text": "hi"}]}),
        "Interrupt" => json!({}),
        "MemoryEdit" => json!({"target": "memory", "operations": [{"op": "add", "content": "x"}]}),
        other => panic!("the test has no body of the shape {other}"),
    }
}

async fn call(rig: &Rig, route: &Definition, folder: &Path) -> Reply {
    // The one that is erased is not asked for anything after that.
    let session =
        if route.verb == Verb::Delete && route.path == "/api/sessions/{id}" { "made-by-the-table" } else { "demo" };
    let mut path = route.path.replace("{id}", session).replace("{view}", "transcript").replace("{name}", "scripted");
    match route.path {
        "/api/sessions/{id}/input/{admission}" => path = path.replace("{admission}", NOBODY),
        "/api/audit/prefix" => path.push_str("?session=demo"),
        path_ if path_.ends_with("/events") => path.push_str("?limit=1000"),
        _ => {}
    }
    let line = format!("{} {path}", route.verb.as_str());
    match (route.body, route.verb) {
        (Some(schema), _) => rig.raw(&line, &[HOST, BEARER, JSON], body(schema, folder).to_string().as_bytes()).await,
        (None, Verb::Get) => rig.raw(&line, &[HOST, BEARER], b"").await,
        (None, _) => rig.raw(&line, &[HOST, BEARER, JSON], b"{}").await,
    }
}

/// Holds a value against a named shape of the document.
fn check(document: &Value, schema: &str, value: &Value, route: &str) {
    let whole = json!({"$ref": format!("#/components/schemas/{schema}"), "components": document["components"]});
    let validator = jsonschema::validator_for(&whole).expect("a schema");
    let faults: Vec<_> =
        validator.iter_errors(value).map(|fault| format!("{} at {}", fault, fault.instance_path())).collect();
    assert!(faults.is_empty(), "{route}: {faults:?} in {value}");
}

#[actix_rt::test]
async fn every_route_of_the_table_answers_what_it_promises() {
    let rig = Rig::start().await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(rig.chat("demo", "hi").await.status, 200);
    let document = rig.get("/openapi.json").await.json();
    assert_eq!(document, describe());
    // The line of an attached viewer never ends.
    for route in ROUTES.iter().filter(|route| !route.path.ends_with("/attach")) {
        let place = format!("{} {}", route.verb.as_str(), route.path);
        let reply = call(&rig, route, folder.path()).await;
        let operation = &document["paths"][route.path][route.verb.as_str().to_ascii_lowercase()];
        let answer = &operation["responses"][reply.status.to_string()];
        assert!(answer.is_object(), "{place} answers {}, which is not described: {}", reply.status, reply.text());
        let kind = reply.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
        if kind == "application/problem+json" {
            assert_eq!(Some(reply.refusal()), refuses(route), "{place}: {}", reply.text());
            check(&document, "Problem", &reply.json(), &place);
            continue;
        }
        assert_eq!(reply.status, route.good.status, "{place}");
        let schema = route.good.content.iter().find(|(media_type, _)| *media_type == kind);
        let (_, schema) = schema.unwrap_or_else(|| panic!("{place} answers with {kind}"));
        match kind {
            "application/json" => check(&document, schema, &reply.json(), &place),
            "application/x-ndjson" => reply
                .text()
                .lines()
                .for_each(|line| check(&document, schema, &serde_json::from_str(line).unwrap(), &place)),
            _ => {}
        }
        if let Some(schema) = route.body {
            check(&document, schema, &body(schema, folder.path()), &place);
        }
    }
}

#[test]
fn the_table_has_every_route_of_the_contract() {
    for path in CONTRACT {
        assert!(ROUTES.iter().any(|route| route.path == *path), "{path} is missing");
    }
}

#[actix_rt::test]
async fn what_is_not_in_the_table_is_not_answered() {
    let rig = Rig::start().await;
    for method in ["GET", "POST", "PATCH", "DELETE"] {
        for path in CONTRACT.iter().chain(&["/v1", "/api", "/console", "/api/sessions/{id}/nothing"]) {
            if ROUTES.iter().any(|route| route.path == *path && route.verb.as_str() == method) {
                continue;
            }
            let line = format!("{method} {}", path.replace("{id}", "demo").replace("{view}", "transcript"));
            let reply = rig.raw(&line, &[HOST, BEARER, JSON], if method == "GET" { b"" } else { b"{}" }).await;
            assert!(matches!(reply.status, 404 | 405), "{line} answers {}", reply.status);
        }
    }
}
