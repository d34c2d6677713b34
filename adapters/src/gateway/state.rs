//! What every handler needs.

use super::{metrics::Metrics, problem::Code, settings::GatewaySettings};
use actix_web::HttpRequest;
use dispatch_actors::{HostHandle, handle::Health, ports::ModelProfile};
use dispatch_events::{Clock, SystemClock, Timestamp, catalogue::input::Principal};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// One per server, shared by its workers.
pub(super) struct Gateway {
    /// The host.
    pub host: HostHandle,
    /// Settings.
    pub settings: GatewaySettings,
    /// The model that sessions use; fixed while the process lives.
    pub model: ModelProfile,
    /// The Prometheus text.
    pub metrics: Metrics,
    /// Becomes true (or loses its sender) when the server stops: event streams end then.
    pub closing: watch::Receiver<bool>,
    /// When the server started.
    pub started: Timestamp,
    ready: AtomicBool,
}

impl Gateway {
    /// The state of a server that is not ready yet.
    pub fn new(host: HostHandle, settings: GatewaySettings, closing: watch::Receiver<bool>) -> Self {
        Self {
            model: host.default_model(),
            metrics: Metrics::installed(),
            started: SystemClock.now(),
            ready: AtomicBool::new(false),
            host,
            settings,
            closing,
        }
    }

    /// From now on `/readyz` says so.
    pub fn mark_ready(&self) {
        self.ready.store(true, Ordering::Release);
    }

    /// Why the host takes no work; `None` if it does.
    pub fn unready(&self) -> Option<(Code, String)> {
        unready(&self.host.health(), self.ready.load(Ordering::Acquire))
    }

    /// Seconds since 1970.
    pub fn unix_time(&self) -> i64 {
        SystemClock.now().0 / 1_000_000
    }

    /// What the model is called in answers. The built-in scripted one is always called by its name.
    pub fn model_name(&self) -> &str {
        if self.model.rehearsal { "rehearsal" } else { &self.model.model }
    }
}

fn unready(health: &Health, ready: bool) -> Option<(Code, String)> {
    if health.draining {
        return Some((Code::Draining, "the host is shutting down".to_owned()));
    }
    if let Some(why) = &health.refusal {
        return Some((Code::PersistenceFailed, format!("the log takes no writes: {why}")));
    }
    (!ready).then(|| (Code::StorageUnavailable, "the host is starting".to_owned()))
}

/// Header by which the command line says that it only carries what a person typed.
pub(super) const CLIENT: &str = "x-dispatch-client";

/// Who asks. There is one token, so there is one subject; the header `X-Dispatch-Client: cli` names the command line as
/// the adapter, so that an input means the same whether a host runs or not.
pub(super) fn principal(request: &HttpRequest) -> Principal {
    let from_cli = request.headers().get(CLIENT).is_some_and(|value| value.as_bytes() == b"cli");
    let adapter = if from_cli { "cli" } else { "http" };
    Principal { adapter: adapter.to_owned(), subject: "operator".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dispatch_events::{Epoch, Position};

    #[test]
    fn only_a_host_that_can_write_is_ready() {
        let well = Health {
            engine: "memory",
            epoch: Epoch(1),
            position: Position(1),
            refusal: None,
            draining: false,
            sessions_active: 0,
            turns_running: 0,
        };
        assert_eq!(unready(&well, true), None);
        assert_eq!(unready(&well, false).unwrap().0, Code::StorageUnavailable);
        let full = Health { refusal: Some("the disk is full".into()), ..well.clone() };
        let (code, why) = unready(&full, true).unwrap();
        assert_eq!((code, why.as_str()), (Code::PersistenceFailed, "the log takes no writes: the disk is full"));
        assert_eq!(unready(&Health { draining: true, ..full }, true).unwrap().0, Code::Draining);
    }
}
