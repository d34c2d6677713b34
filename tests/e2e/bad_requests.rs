//! Requests that are wrong: each is refused with its cause and the next step, nothing is lost, and the host stays up.

use crate::support::{events, host, said, submit, verified};
use far_side::{Answer, HostClient, HostProcess, HostReply, ScriptedModel};
use serde_json::{Value, json};

struct Rig {
    host: HostProcess,
    model: ScriptedModel,
}

async fn rig() -> Rig {
    let model = ScriptedModel::start();
    model.always(Answer::text("answered"));
    let host = host().model(&model).start().await;
    host.chat("kept", "before").await.ok();
    Rig { host, model }
}

impl Rig {
    /// A good turn works, and what was there is there.
    async fn still_good(&self) {
        assert_eq!(self.host.chat("kept", "after").await.ok().text(), "answered");
        let users = said(&self.host.view("kept", "transcript").await, "user");
        assert_eq!(
            (users.first().map(String::as_str), users.last().map(String::as_str)),
            (Some("before"), Some("after"))
        );
        verified(self.host.client()).await;
    }
}

async fn post_raw(client: &HostClient, path: &str, body: impl Into<Vec<u8>>) -> HostReply {
    let request = client.request("POST".parse().unwrap(), path).header("X-Dispatch-Session", "kept");
    client.send(request.header("content-type", "application/json").body(body.into())).await
}

/// A problem document with this status and code, whose detail has these words.
fn assert_problem(what: &str, reply: &HostReply, status: u16, code: &str, words: &[&str]) {
    assert_eq!((reply.status, reply.code().as_str()), (status, code), "{what}: {}", reply.body);
    assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{what}");
    let detail = reply.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.len() > 20, "{what}: {detail}");
    for word in words {
        assert!(detail.contains(word), "{what}: {detail}");
    }
}

#[tokio::test]
async fn bodies_that_are_no_request() {
    let rig = rig().await;
    let bodies: [(&str, &[u8]); 9] = [
        ("no JSON", b"hello"),
        ("cut off", b"{\"messages\": [{\"role\": \"user\""),
        ("empty", b""),
        ("no UTF-8", b"{\"messages\": [{\"role\":\"user\",\"content\":\"\xff\xfe\"}]}"),
        ("half a surrogate pair", br#"{"messages": [{"role":"user","content":"\ud83d"}]}"#),
        ("another shape", br#"[1, 2, 3]"#),
        ("no messages", br#"{"messages": []}"#),
        ("another type", br#"{"messages": [{"role":"user","content": 5}]}"#),
        ("no user message", br#"{"messages": [{"role":"assistant","content":"hi"}]}"#),
    ];
    for (what, body) in bodies {
        let reply = post_raw(rig.host.client(), "/v1/chat/completions", body).await;
        assert_problem(what, &reply, 400, "invalid_params", &[]);
        assert!(reply.json()["error"]["message"].is_string(), "{what}: an OpenAI client looks for `error`");
        if !what.starts_with("no user") && what != "no messages" {
            let reply = post_raw(rig.host.client(), "/api/sessions/kept/input", body).await;
            assert_problem(what, &reply, 400, "invalid_params", &[]);
        }
    }
    let deep = "[".repeat(200_000);
    assert_problem(
        "deep",
        &post_raw(rig.host.client(), "/v1/chat/completions", deep).await,
        400,
        "invalid_params",
        &[],
    );
    assert_eq!(rig.model.received(), 1, "no model call was made for any of them");
    rig.still_good().await;
}

#[tokio::test]
async fn wrong_tokens_hosts_origins_and_forms() {
    let rig = rig().await;
    let client = rig.host.client();
    for token in ["", "wrong", "kept", &client.token()[1..], &format!("{}x", client.token())] {
        let reply = client.with_token(token).get("/api/sessions").await;
        assert_problem(token, &reply, 401, "unauthorized", &["token"]);
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        assert_eq!(client.with_token(token).chat("kept", "no").await.status, 401);
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(client.with_token("").get(path).await.status, 200, "{path}");
    }
    let get = || client.request("GET".parse().unwrap(), "/api/sessions");
    assert_eq!(client.send(get().header("Host", "evil.example")).await.status, 403);
    assert_eq!(client.send(get().header("Origin", "https://evil.example")).await.status, 403);
    assert_eq!(client.send(get().header("Origin", "null")).await.status, 403);
    let plain = client.request("POST".parse().unwrap(), "/api/sessions/kept/input");
    let plain = client.send(plain.header("content-type", "text/plain").body(r#"{"parts":["x"]}"#)).await;
    assert_eq!(plain.status, 415, "{}", plain.body);
    rig.still_good().await;
}

#[tokio::test]
async fn unknown_sessions_routes_and_methods() {
    let rig = rig().await;
    let client = rig.host.client();
    for path in ["/api/sessions/nobody", "/api/sessions/nobody/view/transcript", "/api/sessions/nobody/events?limit=1"]
    {
        assert_problem(path, &client.get(path).await, 404, "not_found", &["nobody"]);
    }
    let reply = client.post("/api/sessions/nobody/input", &json!({"parts": ["x"]})).await;
    assert_problem("input", &reply, 404, "not_found", &["nobody"]);
    let reply = client.post("/api/sessions/nobody/interrupt", &json!({})).await;
    assert_problem("interrupt", &reply, 404, "not_found", &["nobody"]);
    let reply = client.get("/api/sessions/kept/view/nonsense").await;
    assert_problem("view", &reply, 400, "invalid_params", &["nonsense", "transcript", "wire"]);
    assert_problem("route", &client.get("/api/nonsense").await, 404, "not_found", &[]);
    assert_eq!(client.get("/v1/chat/completions").await.status, 405);
    for view in ["transcript", "wire", "all"] {
        let reply = client.get(&format!("/api/sessions/kept/view/{view}?at=99999")).await;
        assert_problem(view, &reply, 400, "invalid_params", &["99999", "last one"]);
    }
    for (args, exit) in [
        (&["replay", "nobody"][..], 3),
        (&["sessions", "show", "nobody"], 3),
        (&["interrupt", "nobody"], 3),
        (&["audit", "prefix", "nobody"], 3),
        (&["replay", "kept", "--view", "nonsense"], 2),
        (&["nonsense"], 2),
        (&["search", "x"], 4),
    ] {
        let output = rig.host.run_cli(args.iter().copied()).await;
        assert_eq!(output.status, Some(exit), "{args:?}: {}", output.stderr);
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}: {output:?}");
    }
    rig.still_good().await;
}

#[tokio::test]
async fn a_message_that_is_too_large() {
    let rig = rig().await;
    let client = rig.host.client();
    let megabytes = |count: usize| "m".repeat(count << 20);
    for count in [5, 20] {
        let reply = client.chat("kept", &megabytes(count)).await;
        assert_problem("chat", &reply, 413, "too_large", &[]);
        assert_problem("input", &submit(client, "kept", &megabytes(count)).await, 413, "too_large", &[]);
    }
    assert_eq!(rig.model.received(), 1);
    let before = events(client, "kept").await.len();
    // What fits goes through, to the last byte.
    let fits = megabytes(2);
    assert_eq!(client.chat("kept", &fits).await.ok().text(), "answered");
    assert!(events(client, "kept").await.len() > before);
    assert_eq!(said(&client.view("kept", "transcript").await, "user")[1], fits);
    rig.still_good().await;
}

#[tokio::test]
async fn odd_text_arrives_as_it_was_sent() {
    let rig = rig().await;
    let odd = [
        "\0\0\0",
        "a\0b",
        "\u{feff}byte order mark",
        "\u{202e}right to left\u{202c}",
        "family 👨‍👩‍👧‍👦 flag 🏳️‍🌈 e\u{301}",
        "\u{e0041}\u{e005a}\u{fffd}\u{ffff}\u{10ffff}",
        "line\r\nends\u{2028}and\u{85}others\u{7}\u{1b}[31m",
        "\\u0000 \" \\ / \\\" </memory-context>",
        " \u{200b}x ",
    ];
    for (at, text) in odd.iter().enumerate() {
        let session = format!("odd-{at}");
        let reply = rig.host.chat(&session, text).await;
        assert_eq!(reply.status, 200, "{text:?}: {}", reply.body);
        assert_eq!(said(&rig.host.view(&session, "transcript").await, "user"), [*text], "{text:?}");
        let sent = crate::support::asked(rig.model.requests().last().unwrap());
        assert_eq!(sent, *text);
        let wire = rig.host.run_cli(["replay", &session, "--view", "wire", "--json"]).await.ok().json();
        assert_eq!(wire["requests"][0]["proven"], Value::Bool(true), "{text:?}");
        assert_eq!(wire["requests"][0]["body"], rig.model.requests().last().unwrap().text());
        // People get no control character on their terminal.
        let shown = rig.host.run_cli(["replay", &session]).await.ok().stdout;
        assert!(!shown.contains(['\0', '\u{1b}', '\u{7}']), "{shown:?}");
    }
    for empty in ["", "   ", "\r\n\t"] {
        assert_problem("empty", &rig.host.chat("kept", empty).await, 400, "invalid_params", &[]);
    }
    rig.still_good().await;
}
