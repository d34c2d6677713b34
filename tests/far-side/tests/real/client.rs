//! The client's side of a chat completion, as raw as needed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use far_side::ScriptedModel;
use serde_json::{Value, json};

pub fn streaming() -> Value {
    json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]})
}

pub fn whole() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
}

pub fn http() -> reqwest::Client {
    rustls::crypto::ring::default_provider().install_default().ok();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

pub async fn send(model: &ScriptedModel, body: &Value) -> reqwest::Response {
    let url = format!("{}/chat/completions", model.base_url());
    http().post(url).header("content-type", "application/json").body(body.to_string()).send().await.unwrap()
}

/// The whole answer as text, whatever its status.
pub async fn text(model: &ScriptedModel, body: &Value) -> String {
    send(model, body).await.text().await.unwrap()
}

/// The `data` of each event of a stream.
pub async fn data(model: &ScriptedModel, body: &Value) -> Vec<String> {
    let text = text(model, body).await;
    text.lines().filter_map(|line| line.strip_prefix("data: ")).map(ToOwned::to_owned).collect()
}

/// The deltas of a stream that ends with `[DONE]`, without the opening one and the last.
pub async fn deltas(model: &ScriptedModel) -> Vec<Value> {
    let data = data(model, &streaming()).await;
    assert_eq!(data.last().map(String::as_str), Some("[DONE]"));
    let chunks: Vec<Value> = data[..data.len() - 1].iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(chunks[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    chunks[1..chunks.len() - 1].iter().map(|chunk| chunk["choices"][0]["delta"].clone()).collect()
}

/// Sends a request over a plain socket and returns each read until the server closes or goes silent for the time.
pub fn raw_reads(model: &ScriptedModel, body: &Value, silence: Duration) -> Vec<Vec<u8>> {
    let body = body.to_string();
    let mut socket = TcpStream::connect(model.address()).unwrap();
    socket.set_read_timeout(Some(silence)).unwrap();
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut reads = Vec::new();
    let mut buffer = [0; 65536];
    while let Ok(count) = socket.read(&mut buffer) {
        if count == 0 {
            break;
        }
        reads.push(buffer[..count].to_vec());
    }
    reads
}
