//! The Prometheus recorder. It is the process's only one: the actors count through the `metrics` facade, and
//! `GET /metrics` renders what they counted. No listener of its own.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{sync::OnceLock, time::Duration};

/// Upper bounds of the histograms in seconds: from a commit on a good disk to a turn with tools.
const SECONDS: [f64; 16] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0];

/// Milliseconds between two rounds of [`Metrics::upkeep`].
const UPKEEP_MS: u64 = 5_000;

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// The recorder, as far as it could be installed.
#[derive(Clone)]
pub(super) struct Metrics(Option<PrometheusHandle>);

impl Metrics {
    /// Installs the recorder once per process.
    pub fn installed() -> Self {
        Self(RECORDER.get_or_init(install).clone())
    }

    /// The text that Prometheus reads; `None` if another recorder was there first.
    pub fn render(&self) -> Option<String> {
        self.0.as_ref().map(PrometheusHandle::render)
    }

    /// Folds what the histograms collected, for ever. Without it they grow until somebody reads `/metrics`.
    pub async fn upkeep(self) {
        let Some(handle) = self.0 else { return };
        loop {
            tokio::time::sleep(Duration::from_millis(UPKEEP_MS)).await;
            handle.run_upkeep();
        }
    }
}

fn install() -> Option<PrometheusHandle> {
    let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS);
    match builder.and_then(PrometheusBuilder::install_recorder) {
        Ok(handle) => Some(handle),
        Err(error) => {
            tracing::warn!(%error, "there will be no metrics: another recorder was installed first");
            None
        }
    }
}
