//! Keys and tokens are where they belong and nowhere else: not in the log, not in files, not in what the host says.

use crate::support::host;
use far_side::{Answer, HostProcess, MemoryAnswer, ScriptedMemory, ScriptedModel};
use std::path::{Path, PathBuf};

const MODEL_KEY: &str = "sk-far-side-0123456789abcdef";
const MEMORY_KEY: &str = "m0-zyxwvutsrqponmlkjihg9876";

/// Every file below a folder that holds these bytes.
fn holders(folder: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holders(&path, bytes));
        } else if std::fs::read(&path).unwrap().windows(bytes.len()).any(|window| window == bytes) {
            found.push(path);
        }
    }
    found
}

fn assert_nowhere(host: &HostProcess, secret: &str) {
    // Not its ends either: a mask that shows eight characters shows too much.
    for piece in [secret, &secret[..12], &secret[..8], &secret[secret.len() - 8..]] {
        assert_eq!(holders(host.data(), piece.as_bytes()), Vec::<PathBuf>::new(), "{piece}");
        assert!(!host.stderr().contains(piece), "{piece} is in what the host said");
    }
}

#[tokio::test]
async fn a_wrong_key_is_nowhere_on_the_disk() {
    let (model, memory) = (ScriptedModel::start(), ScriptedMemory::start());
    // Vendors repeat the key in their errors.
    let masked = format!("{}********{}", &MODEL_KEY[..8], &MODEL_KEY[MODEL_KEY.len() - 4..]);
    let echo =
        format!("Incorrect API key provided: {MODEL_KEY} ({masked}). You can find it at https://example.invalid.");
    model.push(Answer::error(401, "invalid_api_key", &echo));
    model.always(Answer::error(401, "invalid_api_key", &format!("{} {MODEL_KEY}", "-".repeat(280))));
    // The second echo is cut inside the key by whoever repeats only the beginning of a long error.
    memory.push_search(MemoryAnswer::error(401, &format!("bad key {MEMORY_KEY}")));
    memory.always_search(MemoryAnswer::error(401, &format!("{}{MEMORY_KEY}", "-".repeat(275))));
    let mut host =
        host().model(&model).mem0(&memory).env("MEM0_API_KEY", MEMORY_KEY).env("RUST_LOG", "trace").start().await;
    let reply = host.chat("s", "hello").await;
    assert_eq!(reply.status, 502);
    assert!(!reply.body.contains(MODEL_KEY), "{}", reply.body);
    assert_eq!(host.chat("s", "hello again").await.status, 502);
    assert_eq!(model.requests()[0].header("authorization"), Some(format!("Bearer {MODEL_KEY}").as_str()));
    assert_eq!(memory.searches()[0].header("x-api-key"), Some(MEMORY_KEY));
    let stranger = host.client().with_token(&host.token()[1..]);
    assert_eq!(stranger.get("/api/sessions").await.status, 401);
    let mut shown = String::new();
    for args in [
        &["config", "show", "--json"][..],
        &["config", "show"],
        &["doctor"],
        &["models", "list", "--json"],
        &["models", "test"],
        &["events"],
        &["replay", "s", "--view", "all", "--json"],
        &["sessions", "export", "s"],
    ] {
        let output = host.run_cli(args.iter().copied()).await;
        shown.push_str(&output.stdout);
        shown.push_str(&output.stderr);
    }
    shown.push_str(&host.get("/api/sessions/s/events?limit=100").await.ok().body);
    shown.push_str(&host.get("/metrics").await.ok().body);
    for secret in [MODEL_KEY, MEMORY_KEY, host.token()] {
        let place = shown.find(&secret[..8]).map(|at| &shown[shown.floor_char_boundary(at.saturating_sub(120))..at]);
        assert_eq!(place, None, "this stands before a secret");
    }
    host.restart().await;
    host.sigkill();
    assert_nowhere(&host, MODEL_KEY);
    assert_nowhere(&host, MEMORY_KEY);
    let token = host.token().to_owned();
    assert_eq!(holders(host.data(), token.as_bytes()), [host.data().join("token")]);
    assert!(!host.stderr().contains(&token));
}

#[tokio::test]
async fn what_was_said_is_sealed_on_the_disk() {
    let model = ScriptedModel::start();
    let long = format!("spoken-answer-{}", "y".repeat(200_000));
    model.push_all([Answer::text("spoken-answer"), Answer::text(&long)]);
    let host = host().model(&model).start().await;
    host.chat("s", "spoken-question").await.ok();
    host.chat("s", &format!("spoken-question {}", "x".repeat(200_000))).await.ok();
    for words in ["spoken-question", "spoken-answer", "yyyyyyyyyyyyyyyy", "xxxxxxxxxxxxxxxx"] {
        assert_eq!(holders(host.data(), words.as_bytes()), Vec::<PathBuf>::new(), "{words}");
    }
}

#[tokio::test]
async fn a_secrets_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut host = host().start().await;
    let path = host.data().join("secrets.toml");
    std::fs::write(&path, format!("OTHER_KEY = \"{MEMORY_KEY}\"\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = host.try_restart().await.unwrap_err();
    assert!(refused.stderr.contains("secrets.toml") && refused.stderr.contains("chmod 600"), "{refused}");
    assert!(!refused.stderr.contains(MEMORY_KEY));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    host.restart().await;
}
