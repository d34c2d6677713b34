//! The agent's memory files over HTTP.

use super::{body::JsonBody, problem::Problem, state::Gateway};
use actix_web::{HttpResponse, web::Data};
use dispatch_actors::ports::{MemoryEdit, MemoryOperation};
use dispatch_events::catalogue::memory::MemoryTarget;
use serde::{Deserialize, Serialize};

/// An edit; its operations are carried out together or not at all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    target: Target,
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    Memory,
    User,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum Operation {
    Add { content: String },
    Replace { old_text: String, content: String },
    Remove { old_text: String },
}

#[derive(Serialize)]
struct Edited {
    summary: String,
}

/// `GET /api/memory`.
pub(super) async fn show(gateway: Data<Gateway>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(gateway.host.memory_show().await?))
}

/// `POST /api/memory`.
pub(super) async fn edit(
    gateway: Data<Gateway>,
    request: actix_web::HttpRequest,
    edit: JsonBody<Edit>,
) -> Result<HttpResponse, Problem> {
    if edit.0.operations.is_empty() {
        return Err(Problem::invalid("`operations` is empty: say what to add, replace or remove"));
    }
    let target = match edit.0.target {
        Target::Memory => MemoryTarget::Memory,
        Target::User => MemoryTarget::User,
    };
    let operations = edit.0.operations.into_iter().map(|operation| match operation {
        Operation::Add { content } => MemoryOperation::Add { content },
        Operation::Replace { old_text, content } => MemoryOperation::Replace { old_text, content },
        Operation::Remove { old_text } => MemoryOperation::Remove { old_text },
    });
    let edit = MemoryEdit { target, operations: operations.collect() };
    let writer = super::state::principal(&request).adapter;
    let summary = gateway.host.memory_edit(edit, &writer).await?;
    Ok(HttpResponse::Ok().json(Edited { summary }))
}

/// `GET /api/memory/timeline`.
pub(super) async fn timeline(gateway: Data<Gateway>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(gateway.host.memory_timeline().await?))
}
