//! Who is let in.

use super::rig::{BEARER, HOST, JSON, Rig, TOKEN, said};

#[actix_rt::test]
async fn only_the_token_opens_and_only_two_routes_need_none() {
    let rig = Rig::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(rig.raw(&format!("GET {path}"), &[HOST], b"").await.status, 200, "{path}");
    }
    let wrong = [
        "Bearer wrong",
        "Bearer",
        "Bearer ",
        "Basic YTph",
        TOKEN,
        "Bearer a-token-of-the-test",
        "Bearer a-token-of-the-tests-and-more",
    ];
    for path in ["/api/sessions", "/metrics", "/openapi.json", "/v1/models", "/no/such/route"] {
        let none = rig.raw(&format!("GET {path}"), &[HOST], b"").await;
        assert_eq!(none.refusal(), (401, "unauthorized".into()), "{path}");
        assert_eq!(none.header("www-authenticate"), Some("Bearer"));
        for token in wrong {
            let reply = rig.raw(&format!("GET {path}"), &[HOST, ("authorization", token)], b"").await;
            assert_eq!(reply.refusal(), (401, "unauthorized".into()), "{path} {token}");
            assert!(!reply.text().contains(TOKEN));
        }
    }
    assert_eq!(
        rig.raw("GET /api/sessions", &[HOST, ("authorization", &format!("bearer {TOKEN}"))], b"").await.status,
        200
    );
}

#[actix_rt::test]
async fn foreign_hosts_and_origins_are_turned_away() {
    let rig = Rig::start().await;
    for path in ["/healthz", "/api/sessions", "/no/such/route"] {
        let evil = rig.raw(&format!("GET {path}"), &[("host", "evil.example"), BEARER], b"").await;
        assert_eq!(evil.refusal(), (403, "permission_denied".into()), "{path}");
        let page = rig.raw(&format!("GET {path}"), &[HOST, BEARER, ("origin", "http://evil.example")], b"").await;
        assert_eq!(page.refusal(), (403, "permission_denied".into()), "{path}");
    }
    let whole = rig.raw("GET http://evil.example/api/sessions", &[HOST, BEARER], b"").await;
    assert_eq!(whole.status, 403, "an absolute target names a host too");
    let port = rig.running.address().port();
    let own = format!("http://127.0.0.1:{port}");
    let page = rig.raw("GET /api/sessions", &[("host", "127.0.0.1"), BEARER, ("origin", &own)], b"").await;
    assert_eq!((page.status, page.header("access-control-allow-origin")), (200, None));
    let asks = [HOST, ("origin", "http://evil.example"), ("access-control-request-method", "POST")];
    assert_eq!(rig.raw("OPTIONS /v1/chat/completions", &asks, b"").await.status, 403);
}

#[actix_rt::test]
async fn a_body_has_to_be_json_and_say_so() {
    let rig = Rig::start().await;
    let body = said("hi").to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
        let headers = [HOST, BEARER, ("content-type", kind)];
        let reply = rig.raw("POST /v1/chat/completions", &headers, body.as_bytes()).await;
        assert_eq!(reply.refusal(), (415, "invalid_params".into()), "{kind}");
    }
    let silent = rig.raw("POST /v1/chat/completions", &[HOST, BEARER], body.as_bytes()).await;
    assert_eq!(silent.refusal(), (415, "invalid_params".into()));
    let form = rig.raw("POST /v1/chat/completions", &[HOST, BEARER, ("content-type", "text/plain")], b"").await;
    assert_eq!(form.refusal(), (415, "invalid_params".into()));
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON"] {
        let reply =
            rig.raw("POST /v1/chat/completions", &[HOST, BEARER, ("content-type", kind)], body.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

#[actix_rt::test]
async fn refusals_are_problems_with_a_code() {
    let rig = Rig::start().await;
    let headers = [HOST, BEARER, JSON];
    let broken = rig.raw("POST /v1/chat/completions", &headers, b"{\"messages\": [").await;
    assert_eq!(broken.refusal(), (400, "invalid_params".into()));
    assert_eq!(broken.json()["error"]["type"], "invalid_request_error", "an OpenAI client finds its own member");
    assert_eq!(rig.raw("POST /api/sessions", &headers, b"[]").await.refusal(), (400, "invalid_params".into()));
    assert_eq!(rig.get("/api/sessions?limt=3").await.refusal(), (400, "invalid_params".into()));
    assert_eq!(rig.get("/api/sessions/nobody").await.refusal(), (404, "not_found".into()));
    assert_eq!(rig.get("/api/nothing").await.refusal(), (404, "not_found".into()));
    assert_eq!(rig.get("/").await.refusal(), (404, "not_found".into()));
    assert_eq!(rig.get("/api/sessions/../../etc/passwd").await.refusal(), (404, "not_found".into()));
    let method = rig.raw("PUT /api/sessions/x", &headers, b"{}").await;
    assert_eq!(method.refusal(), (405, "invalid_params".into()));
    assert_eq!(method.header("allow"), Some("GET, PATCH, DELETE"));
    assert_eq!(rig.post("/api/audit/sql", &serde_json::json!({})).await.refusal(), (501, "not_built".into()));
}
