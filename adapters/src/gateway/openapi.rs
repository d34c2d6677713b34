//! `GET /openapi.json`, made from the table of routes.

mod schemas;

use super::{
    problem::Code,
    routes::{Definition, Parameter, Place, ROUTES},
};
use actix_web::{HttpResponse, web::Bytes};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::OnceLock};

static DOCUMENT: OnceLock<Bytes> = OnceLock::new();

/// The handler.
pub(super) async fn document() -> HttpResponse {
    let text = DOCUMENT.get_or_init(|| Bytes::from(describe().to_string()));
    HttpResponse::Ok().content_type("application/json").body(text.clone())
}

/// The document.
pub(super) fn describe() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[route.verb.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Dispatch",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A durable host for LLM agent sessions. Names address sessions everywhere ids do.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas::all(),
        },
    })
}

fn operation(route: &Definition) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": route.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "responses": responses(route),
    });
    if let Some(schema) = route.body {
        // An empty body counts as `{}`, so it will do where no member has to be there.
        let required = schemas::all()[schema]["required"].as_array().is_some_and(|members| !members.is_empty());
        let content = json!({"application/json": {"schema": reference(schema)}});
        operation["requestBody"] = json!({"required": required, "content": content});
    }
    if route.open {
        operation["security"] = json!([]);
    }
    operation
}

fn operation_id(route: &Definition) -> String {
    let mut id = route.verb.as_str().to_ascii_lowercase();
    for word in route.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        id.push('_');
        id.push_str(word);
    }
    id
}

fn parameter(parameter: &Parameter) -> Value {
    let place = match parameter.place {
        Place::Path => "path",
        Place::Query => "query",
        Place::Header => "header",
    };
    json!({
        "in": place,
        "name": parameter.name,
        "required": parameter.required,
        "description": parameter.what,
        "schema": {"type": parameter.kind},
    })
}

fn responses(route: &Definition) -> Value {
    let mut content = Map::new();
    for (media_type, schema) in route.good.content {
        let schema = if schema.is_empty() { json!({"type": "string"}) } else { reference(schema) };
        content.insert((*media_type).to_owned(), json!({"schema": schema}));
    }
    let mut responses = Map::new();
    responses.insert(route.good.status.to_string(), json!({"description": "As asked.", "content": content}));
    let mut problems: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in common(route).into_iter().chain(route.errors.iter().copied()) {
        let codes = problems.entry(code.status().as_u16()).or_default();
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    for (status, codes) in problems {
        let codes: Vec<_> = codes.into_iter().map(Code::as_str).collect();
        let problem = json!({
            "description": format!("Refused: {}.", codes.join(", ")),
            "content": {"application/problem+json": {"schema": reference("Problem")}},
        });
        responses.insert(status.to_string(), problem);
    }
    Value::Object(responses)
}

/// Codes that a route can answer because of what it is.
fn common(route: &Definition) -> Vec<Code> {
    let mut codes = vec![Code::PermissionDenied];
    if !route.open {
        codes.push(Code::Unauthorized);
    }
    if route.body.is_some() {
        codes.push(Code::TooLarge);
    }
    if route.body.is_some() || !route.parameters.is_empty() {
        codes.push(Code::InvalidParams);
    }
    if route.parameters.iter().any(|parameter| parameter.place == Place::Path) {
        codes.push(Code::NotFound);
    }
    codes
}

fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_has_its_schema_and_every_schema_is_used() {
        let document = describe();
        let mut used = Vec::new();
        references(&document, &mut used);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for reference in &used {
            let name = reference.strip_prefix("#/components/schemas/").unwrap();
            assert!(schemas.contains_key(name), "{name} is not described");
        }
        for name in schemas.keys() {
            assert!(used.iter().any(|reference| reference.ends_with(&format!("/{name}"))), "{name} is never used");
        }
    }

    #[test]
    fn path_parameters_are_those_of_the_path_and_ids_are_unique() {
        let mut ids = Vec::new();
        for route in ROUTES {
            let given = route.parameters.iter().filter(|parameter| parameter.place == Place::Path);
            let mut given: Vec<_> = given.map(|parameter| format!("{{{}}}", parameter.name)).collect();
            let mut wanted: Vec<_> = route.path.split('/').filter(|part| part.starts_with('{')).collect();
            given.sort();
            wanted.sort_unstable();
            assert_eq!(given, wanted, "{}", route.path);
            ids.push(operation_id(route));
        }
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
