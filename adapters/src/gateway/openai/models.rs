//! `GET /v1/models`: the configured profiles, in OpenAI's words.

use super::super::state::Gateway;
use actix_web::{HttpResponse, web::Data};
use serde::Serialize;

#[derive(Serialize)]
struct List {
    object: &'static str,
    data: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: String,
    object: &'static str,
    created: i64,
    owned_by: &'static str,
    x_dispatch: Extra,
}

#[derive(Serialize)]
struct Extra {
    model: String,
    dialect: String,
    context_window: Option<u64>,
    rehearsal: bool,
    default: bool,
}

/// The handler.
pub(in super::super) async fn list(gateway: Data<Gateway>) -> HttpResponse {
    let rows = gateway.host.models().into_iter().map(|profile| Row {
        object: "model",
        created: gateway.started.0 / 1_000_000,
        owned_by: "dispatch",
        x_dispatch: Extra {
            model: profile.model,
            dialect: profile.dialect,
            context_window: profile.context_window,
            rehearsal: profile.rehearsal,
            default: profile.name == gateway.model.name,
        },
        id: profile.name,
    });
    HttpResponse::Ok().json(List { object: "list", data: rows.collect() })
}
