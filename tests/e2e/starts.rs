//! How a host starts: without a key and without a network, or not at all, and then it says why.

use crate::support::host;
use far_side::{HostProcess, NotReady, ScriptedModel};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

fn code(refused: &NotReady) -> Option<i32> {
    refused.status.and_then(|status| status.code())
}

async fn refused(setup: far_side::HostSetup) -> NotReady {
    setup.try_start().await.err().expect("a host that refuses to start")
}

#[tokio::test]
async fn without_a_key_it_starts_answers_as_rehearsed_and_says_so() {
    let host = host().start().await;
    let reply = host.chat("first", "hello").await.ok();
    assert!(reply.text().contains("hello") && reply.text().contains("rehears"), "{}", reply.text());
    let last = reply.text().lines().last().unwrap().to_owned();
    assert!(last.contains("OPENAI_API_KEY") || last.contains("config init"), "{last}");
    assert!(host.stderr().contains("rehearsal"), "{}", host.stderr());
    let models = host.get("/v1/models").await.ok().body;
    assert!(models.contains("rehearsal"), "{models}");
    let listed = host.run_cli(["models", "list"]).await.ok();
    assert!(listed.stdout.contains("rehearsal"), "{}", listed.stdout);
    let show = host.get("/api/sessions/first").await.ok().body;
    assert!(show.contains("rehearsal"), "{show}");
}

#[tokio::test]
async fn it_prints_one_line_with_the_url_and_drains_on_sigterm() {
    let folder = tempfile::tempdir().unwrap();
    let child = tokio::process::Command::new(env!("CARGO_BIN_EXE_dispatch"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(folder.path().join("data"))
        .env_clear()
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let pid = child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let output = tokio::time::timeout(Duration::from_secs(10), child.wait_with_output()).await.unwrap().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    assert!(stdout.contains("http://127.0.0.1:"), "{stdout}");
    let data = folder.path().join("data");
    assert!(!data.join("host.json").exists(), "a host that has ended is not announced");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |name: &str| std::fs::metadata(data.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("token"), mode("keys"), mode("log")), (0o600, 0o700, 0o700));
}

#[tokio::test]
async fn a_broken_line_is_named_with_file_line_and_the_nearest_key() {
    let cases = [
        ("[turn]\nmax_model_cals = 3\n", 2, "max_model_calls"),
        ("[memory]\nbackend = \"none\"\nrecal_timeout_ms = 1\n", 3, "recall_timeout_ms"),
        ("default_modle = \"x\"\n", 1, "default_model"),
        ("[turn]\nmax_model_calls = \"many\"\n", 2, "max_model_calls"),
        ("[turn]\n\nmax_model_calls = \n", 3, "config.toml"),
        ("[memory]\nbackend = \"mem1\"\n", 2, "mem0"),
        ("[log]\nengine = \"sleed\"\n", 2, "sled"),
    ];
    for (text, line, hint) in cases {
        let refused = refused(host().config(text)).await;
        assert_eq!(code(&refused), Some(2), "{text}: {refused}");
        let told = &refused.stderr;
        assert!(told.contains("config.toml"), "{text}: {told}");
        assert!(
            told.contains(&format!("config.toml:{line}")) || told.contains(&format!("line {line}")),
            "{text}: {told}"
        );
        assert!(told.contains(hint), "{text}: {told}");
    }
    let refused = refused(host().env("DISPATCH_TURN__MAX_MODEL_CALS", "3")).await;
    assert!(refused.stderr.contains("DISPATCH_TURN__MAX_MODEL_CALLS"), "{refused}");
}

#[tokio::test]
async fn a_broken_line_loses_nothing_once_it_is_mended() {
    let model = ScriptedModel::start();
    model.always(far_side::Answer::text("answered"));
    let mut host = host().model(&model).start().await;
    host.chat("s", "before").await.ok();
    let good = std::fs::read_to_string(host.data().join("config.toml")).unwrap();
    host.write_config(&format!("{good}\n[turn]\nlease_tll_s = 3\n"));
    let refused = host.try_restart().await.unwrap_err();
    assert!(refused.stderr.contains("lease_ttl_s"), "{refused}");
    host.write_config(&good);
    host.restart().await;
    let transcript = host.view("s", "transcript").await;
    assert_eq!(crate::support::said(&transcript, "user"), ["before"]);
    host.chat("s", "after").await.ok();
}

#[tokio::test]
async fn a_second_host_is_told_who_holds_the_folder() {
    let first = host().start().await;
    first.chat("s", "hello").await.ok();
    let refused = refused(host().data_in(first.data())).await;
    assert_eq!(code(&refused), Some(4), "{refused}");
    let told = &refused.stderr;
    assert!(told.contains("dispatch serve") && told.contains(&first.pid().unwrap().to_string()), "{told}");
    assert!(told.contains(first.url()), "{told}");
    first.chat("s", "again").await.ok();
}

#[tokio::test]
async fn a_dead_holder_holds_nothing() {
    let mut host = host().start().await;
    host.sigkill();
    let lock = host.data().join("lock");
    let foreign =
        format!("{{\"pid\":{},\"what\":\"dispatch serve\",\"since\":\"2020-01-01T00:00:00Z\"}}", std::process::id());
    for text in ["", "1", "\0\0\0", foreign.as_str()] {
        std::fs::write(&lock, text).unwrap();
        host.restart().await;
        host.chat("s", "hello").await.ok();
        host.sigkill();
    }
    assert!(host.data().join("host.json").exists(), "a killed host can't take its file away");
    // The file that it left fools no verb.
    let transcript = host.run_cli(["replay", "s", "--json"]).await.ok().json();
    assert_eq!(crate::support::said(&transcript, "user").len(), 4);
}

#[tokio::test]
async fn a_port_in_use_is_named_with_the_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = refused(host().listen(address.clone())).await;
    assert_eq!(code(&refused), Some(1), "{refused}");
    assert!(refused.stderr.contains(&address) && refused.stderr.contains("--listen"), "{refused}");
    drop(taken);
    let host: HostProcess = host().listen(address.clone()).start().await;
    assert!(host.url().ends_with(&address));
}
