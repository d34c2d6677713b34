//! Liveness, readiness, metrics, and what the doctor asks.

use super::{
    problem::{Code, Problem},
    state::Gateway,
};
use actix_web::{HttpResponse, web::Data};
use dispatch_events::{Epoch, Position};
use serde::Serialize;

/// `GET /healthz`: the process answers.
pub(super) async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(r#"{"status":"ok"}"#)
}

/// `GET /readyz`: the host takes work, or why not.
pub(super) async fn ready(gateway: Data<Gateway>) -> Result<HttpResponse, Problem> {
    match gateway.unready() {
        None => Ok(HttpResponse::Ok().content_type("application/json").body(r#"{"status":"ready"}"#)),
        Some((code, why)) => Err(Problem::new(code, why)),
    }
}

/// `GET /metrics`: what was counted, for Prometheus.
pub(super) async fn metrics(gateway: Data<Gateway>) -> Result<HttpResponse, Problem> {
    let health = gateway.host.health();
    metrics::gauge!("dispatch_log_position").set(health.position.0 as f64);
    metrics::gauge!("dispatch_epoch").set(health.epoch.0 as f64);
    metrics::gauge!("dispatch_ready").set(if gateway.unready().is_none() { 1.0 } else { 0.0 });
    metrics::gauge!("dispatch_appends_refused").set(if health.refusal.is_some() { 1.0 } else { 0.0 });
    metrics::gauge!("dispatch_build_info", "version" => env!("CARGO_PKG_VERSION"), "engine" => health.engine).set(1.0);
    let text = gateway.metrics.render().ok_or_else(|| {
        Problem::new(Code::NotBuilt, "this process has no Prometheus recorder: another one was installed before it")
    })?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

/// Health and settings, in words for a person who looks for a fault. Holds no secret.
#[derive(Serialize)]
struct Doctor<'a> {
    ready: bool,
    problem: Option<String>,
    version: &'static str,
    started_at: String,
    engine: &'static str,
    epoch: Epoch,
    position: Position,
    draining: bool,
    sessions_active: usize,
    model: Model<'a>,
    gateway: Limits<'a>,
}

#[derive(Serialize)]
struct Model<'a> {
    profile: &'a str,
    model: &'a str,
    dialect: &'a str,
    base_url: &'a str,
    rehearsal: bool,
}

#[derive(Serialize)]
struct Limits<'a> {
    listen: &'a str,
    max_body: usize,
    max_input: usize,
    max_header: usize,
    max_connections: usize,
    allowed_hosts: &'a [String],
    allowed_origins: &'a [String],
}

/// `GET /api/doctor`.
pub(super) async fn doctor(gateway: Data<Gateway>) -> HttpResponse {
    let health = gateway.host.health();
    let problem = gateway.unready().map(|(_, why)| why);
    let (model, settings) = (&gateway.model, &gateway.settings);
    HttpResponse::Ok().json(Doctor {
        ready: problem.is_none(),
        problem,
        version: env!("CARGO_PKG_VERSION"),
        started_at: gateway.started.rfc3339(),
        engine: health.engine,
        epoch: health.epoch,
        position: health.position,
        draining: health.draining,
        sessions_active: health.sessions_active,
        model: Model {
            profile: &model.name,
            model: gateway.model_name(),
            dialect: &model.dialect,
            base_url: &model.base_url,
            rehearsal: model.rehearsal,
        },
        gateway: Limits {
            listen: &settings.listen,
            max_body: settings.max_body,
            max_input: settings.max_input,
            max_header: settings.max_header,
            max_connections: settings.max_connections,
            allowed_hosts: &settings.allowed_hosts,
            allowed_origins: &settings.allowed_origins,
        },
    })
}
