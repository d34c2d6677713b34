//! Ready, and not.

use super::rig::{BEARER, HOST, Plan, Rig};
use std::time::Duration;

#[actix_rt::test]
async fn ready_means_ready() {
    let rig = Rig::starting(Plan::default()).await;
    let early = rig.raw("GET /readyz", &[HOST], b"").await;
    assert_eq!(early.status, 503);
    assert!(early.text().contains("starting"), "{}", early.text());
    assert_eq!(rig.raw("GET /healthz", &[HOST], b"").await.status, 200, "but alive");
    rig.running.mark_ready();
    assert!(rig.running.is_ready());
    assert_eq!(rig.raw("GET /readyz", &[HOST], b"").await.status, 200);
    rig.host.drain("the test says so").await;
    assert_eq!(rig.raw("GET /readyz", &[HOST], b"").await.refusal(), (503, "draining".into()));
    assert_eq!(rig.chat("demo", "hi").await.refusal(), (503, "draining".into()));
}

#[actix_rt::test]
async fn a_stop_ends_the_streams_and_frees_the_address() {
    let rig = Rig::start().await;
    rig.chat("demo", "hi").await;
    let mut viewer = rig.client().await;
    viewer.send("GET /api/sessions/demo/events", &[HOST, BEARER], b"").await;
    assert_eq!(viewer.head().await.status, 200);
    let mut pending = String::new();
    assert!(viewer.event(&mut pending).await.is_some());
    let address = rig.running.address();
    let begun = std::time::Instant::now();
    rig.running.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "a viewer holds nothing up");
    while viewer.event(&mut pending).await.is_some() {}
    std::net::TcpListener::bind(address).expect("the address is free");
}

#[actix_rt::test]
async fn silence_is_filled_with_comments() {
    let plan = Plan { settings: Some(|settings| settings.keep_alive_ms = 50), ..Plan::default() };
    let rig = Rig::with(plan).await;
    let mut viewer = rig.client().await;
    viewer.send("GET /api/events?from=1000000", &[HOST, BEARER], b"").await;
    viewer.head().await;
    assert_eq!(viewer.chunk().await.unwrap(), b": still here\n\n");
    assert_eq!(viewer.chunk().await.unwrap(), b": still here\n\n");
}

#[actix_rt::test]
async fn metrics_count_requests_by_route_and_never_by_name() {
    let rig = Rig::start().await;
    rig.chat("a-secret-name", "hi").await;
    rig.get("/api/sessions/a-secret-name").await;
    let text = rig.get("/metrics").await.text();
    assert!(
        text.contains("dispatch_http_requests_total{method=\"GET\",route=\"/api/sessions/{id}\",status=\"200\"}"),
        "{text}"
    );
    assert!(text.contains("dispatch_http_request_seconds_bucket"), "histograms have buckets");
    assert!(text.contains("dispatch_ready 1") && text.contains("dispatch_log_position"));
    assert!(!text.contains("a-secret-name"));
}
