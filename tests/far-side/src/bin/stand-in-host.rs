//! A host that keeps the promises `HostProcess` relies on, and does nothing else: the URL line, `/readyz`, the token
//! file, a clean end at SIGTERM. With it the far side is tested without the host.
//!
//! `serve --listen ADDR --data DIR [--refuse | --mute]` echoes each chat and counts the starts in `DIR/starts`;
//! `environment` prints its variables as JSON; anything else is a usage error.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use far_side::Request;
use far_side::http::{Reply, Server, Step};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

/// How long it is up before it is ready, so that a client which does not wait is seen.
const WARM_UP: Duration = Duration::from_millis(150);

fn main() -> io::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("serve") => serve(&args),
        Some("environment") => {
            let variables: BTreeMap<String, String> = std::env::vars().collect();
            writeln!(io::stdout(), "{}", json!(variables))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            writeln!(io::stderr(), "no such verb: {args:?}")?;
            Ok(ExitCode::from(2))
        }
    }
}

fn value<'a>(args: &'a [String], flag: &str) -> io::Result<&'a str> {
    let at = args.iter().position(|arg| arg == flag);
    at.and_then(|at| args.get(at + 1)).map(String::as_str).ok_or_else(|| io::Error::other(format!("{flag} is missing")))
}

fn serve(args: &[String]) -> io::Result<ExitCode> {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let data = Path::new(value(args, "--data")?);
    writeln!(io::stderr(), "starting on {}", data.display())?;
    if has("--refuse") {
        writeln!(io::stderr(), "refusing to start, as told")?;
        return Ok(ExitCode::from(4));
    }
    if has("--mute") {
        loop {
            std::thread::park();
        }
    }
    let token_file = data.join("token");
    if !token_file.exists() {
        std::fs::write(&token_file, format!("token-{}\n", std::process::id()))?;
    }
    let token = std::fs::read_to_string(token_file)?.trim_end().to_owned();
    let starts = data.join("starts");
    // Without the file this is the first start.
    let before: u32 = std::fs::read_to_string(&starts).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    std::fs::write(starts, (before + 1).to_string())?;

    let listen = value(args, "--listen")?.parse().map_err(io::Error::other)?;
    let started = Instant::now();
    let answer = move |request: &Arc<Request>| answer(request, &token, started);
    let server = Server::start("stand-in-host", listen, Arc::new(answer))?;
    writeln!(io::stdout(), "some other line\nlistening on http://{}/", server.address())?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        signal(SignalKind::terminate())?.recv().await;
        io::Result::Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn answer(request: &Request, token: &str, started: Instant) -> Reply {
    if started.elapsed() < WARM_UP {
        return Reply::json(503, &json!({"code": "storage_unavailable"}));
    }
    if request.route() == "/readyz" {
        return Reply::json(200, &json!({}));
    }
    if request.header("authorization") != Some(&format!("Bearer {token}")) {
        return Reply::json(401, &json!({"code": "unauthorized"}));
    }
    if request.route() == "/events" {
        return Reply::events(vec![Step::Send("id: 7\nevent: log\nretry: 1\ndata: a\ndata:b\n\n".into())]);
    }
    if request.route() != "/v1/chat/completions" {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let variables: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
        let seen = json!({"method": request.method, "path": request.path, "body": body, "variables": variables});
        return Reply::json(200, &seen);
    }
    let body = request.json();
    let session = request.header("x-dispatch-session").unwrap_or_default();
    let text = format!("{session}: {}", body["messages"][0]["content"].as_str().unwrap_or_default());
    if body["stream"] != true {
        return Reply::json(200, &json!({"choices": [{"message": {"role": "assistant", "content": text}}]}));
    }
    // One letter per event, and every event in two writes: the client has to put them together.
    let events = text.chars().map(|letter| json!({"choices": [{"delta": {"content": letter}}]}).to_string());
    let mut steps = vec![Step::Send(": a comment\r\n\r\n".into())];
    for data in events.chain(["[DONE]".to_owned()]) {
        steps.extend([Step::Send(format!("data: {data}\r\n").into()), Step::Flush, Step::Send("\r\n".into())]);
    }
    Reply::events(steps)
}
