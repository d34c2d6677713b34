//! Models and tools of this host.

use super::state::Gateway;
use actix_web::{HttpResponse, web::Data};
use dispatch_actors::{handle::ToolView, ports::ModelProfile};
use serde::Serialize;

#[derive(Serialize)]
struct Models {
    default: String,
    models: Vec<Model>,
}

#[derive(Serialize)]
struct Model {
    name: String,
    model: String,
    dialect: String,
    base_url: String,
    context_window: Option<u64>,
    stream: bool,
    rehearsal: bool,
}

impl From<ModelProfile> for Model {
    fn from(profile: ModelProfile) -> Self {
        let ModelProfile { name, model, dialect, base_url, context_window, stream, rehearsal } = profile;
        Self { name, model, dialect, base_url, context_window, stream, rehearsal }
    }
}

/// `GET /api/models`.
pub(super) async fn models(gateway: Data<Gateway>) -> HttpResponse {
    let models = gateway.host.models().into_iter().map(Model::from).collect();
    HttpResponse::Ok().json(Models { default: gateway.model.name.clone(), models })
}

#[derive(Serialize)]
struct Tools {
    tools: Vec<ToolView>,
}

/// `GET /api/tools`.
pub(super) async fn tools(gateway: Data<Gateway>) -> HttpResponse {
    HttpResponse::Ok().json(Tools { tools: gateway.host.tools() })
}
