//! What is too large, and where it can't listen.

use super::{
    super::{GatewaySettings, ServeError, Token, serve},
    rig::{BEARER, HOST, JSON, Plan, Rig, said},
};

#[actix_rt::test]
async fn a_body_above_the_limit_is_answered_and_not_cut_off() {
    let rig = Rig::start().await;
    let huge = said(&"x".repeat(20 * 1024 * 1024)).to_string();
    let reply = rig.raw("POST /v1/chat/completions", &[HOST, BEARER, JSON], huge.as_bytes()).await;
    assert_eq!(reply.refusal(), (413, "too_large".into()));
    assert!(reply.json()["detail"].as_str().unwrap().contains("the limit is 10485760 bytes"), "{}", reply.text());
    let mut client = rig.client().await;
    client.send("POST /api/sessions", &[HOST, BEARER, JSON, ("transfer-encoding", "chunked")], b"").await;
    client.chunks(12 * 1024 * 1024).await;
    assert_eq!(client.reply().await.refusal(), (413, "too_large".into()), "without an announced length");
}

#[actix_rt::test]
async fn an_input_above_the_limit_names_it() {
    let rig = Rig::start().await;
    let long = "y".repeat(4 * 1024 * 1024 + 1);
    let reply = rig.chat("s", &long).await;
    assert_eq!(reply.refusal(), (413, "too_large".into()));
    assert!(reply.json()["detail"].as_str().unwrap().contains("4194304 bytes"), "{}", reply.text());
    let input = serde_json::json!({"parts": [long], "open": true});
    assert_eq!(rig.post("/api/sessions/s/input", &input).await.refusal(), (413, "too_large".into()));
    assert_eq!(rig.chat("s", &"z".repeat(3 * 1024 * 1024)).await.status, 200, "below it all is well");
}

#[actix_rt::test]
async fn a_head_above_the_limit_is_refused() {
    let rig = Rig::start().await;
    let long = "h".repeat(33 * 1024);
    let reply = rig.raw("GET /healthz", &[HOST, ("x-long", &long)], b"").await;
    assert_eq!(reply.refusal(), (431, "too_large".into()));
}

#[actix_rt::test]
async fn a_refused_body_leaves_the_answer_readable() {
    let rig = Rig::start().await;
    let body = said(&"x".repeat(1024 * 1024)).to_string();
    let reply = rig.raw("POST /v1/chat/completions", &[HOST, JSON], body.as_bytes()).await;
    assert_eq!(reply.refusal(), (401, "unauthorized".into()));
}

#[actix_rt::test]
async fn connections_above_the_limit_wait_for_a_free_place() {
    let plan =
        Plan { settings: Some(|settings| (settings.max_connections, settings.workers) = (2, 1)), ..Plan::default() };
    let rig = Rig::with(plan).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut client = rig.client().await;
        client.send("GET /healthz", &[HOST], b"").await;
        assert_eq!(client.reply().await.status, 200);
        held.push(client);
    }
    let mut third = rig.client().await;
    third.send("GET /healthz", &[HOST], b"").await;
    let soon = std::time::Duration::from_millis(300);
    assert!(tokio::time::timeout(soon, third.head()).await.is_err(), "there is no place yet");
    held.clear();
    assert_eq!(third.head().await.status, 200);
}

#[actix_rt::test]
async fn an_address_that_cannot_be_had_says_what_to_do() {
    let rig = Rig::start().await;
    let taken = rig.running.address();
    let token = || Token::new("short").unwrap();
    let refused = |listen: &str| serve(rig.host.clone(), GatewaySettings::new(listen, token())).err().unwrap();
    let error = refused(&taken.to_string());
    assert!(matches!(error, ServeError::InUse(address) if address == taken));
    assert!(error.to_string().contains(&taken.to_string()) && error.to_string().contains("--listen"), "{error}");
    assert!(matches!(refused("nonsense"), ServeError::Address { .. }));
    assert!(matches!(refused("0.0.0.0:0"), ServeError::WeakToken(_)), "a short token is for loopback alone");
    let long = Token::new("long-enough-for-the-world").unwrap();
    let public = serve(rig.host.clone(), GatewaySettings::new("0.0.0.0:0", long)).unwrap();
    public.stop().await;
}
