//! The scripted model as a process of its own.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::{http, streaming};

#[tokio::test]
async fn it_prints_its_url_answers_and_ends_when_told() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_scripted-model"))
        .args(["--listen", "127.0.0.1:0", "--text", "one two", "--delay-ms", "60"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let start = Instant::now();
    let url = format!("{}/chat/completions", url.trim_end());
    let text = http().post(url).body(streaming().to_string()).send().await.unwrap().text().await.unwrap();
    assert!(text.contains("\"content\":\"one \"") && text.contains("\"content\":\"two\""), "{text}");
    assert!(start.elapsed() >= Duration::from_millis(60));
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
}
