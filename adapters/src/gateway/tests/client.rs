//! A client that sends exactly what a test writes down, and reads what really comes.

use serde_json::Value;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Longest time that a test waits for bytes.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came back.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Status and code of a refusal.
    pub fn refusal(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text());
        let body = self.json();
        assert_eq!(body["status"], self.status);
        (self.status, body["code"].as_str().expect("a code").to_owned())
    }
}

/// A connection.
pub struct Client {
    socket: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        Self { socket: TcpStream::connect(address).await.expect("a connection"), buffer: Vec::new() }
    }

    /// Sends a request as it stands; the length of the body is added where there is one.
    pub async fn send(&mut self, line: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{line} HTTP/1.1\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        self.socket.write_all(head.as_bytes()).await.expect("the head is sent");
        self.socket.write_all(body).await.expect("the body is sent");
    }

    async fn more(&mut self) -> bool {
        let mut piece = [0; 16 * 1024];
        let read = tokio::time::timeout(PATIENCE, self.socket.read(&mut piece)).await.expect("bytes in time");
        let read = read.unwrap_or(0);
        self.buffer.extend_from_slice(&piece[..read]);
        read > 0
    }

    async fn until(&mut self, mark: &[u8]) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(mark.len()).position(|window| window == mark) {
                let found = self.buffer.drain(..at + mark.len()).collect();
                return Some(found);
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Vec<u8> {
        while self.buffer.len() < length {
            assert!(self.more().await, "the connection ended in the middle of a body");
        }
        self.buffer.drain(..length).collect()
    }

    /// The head of a reply; its body is still to come.
    pub async fn head(&mut self) -> Reply {
        let head = self.until(b"\r\n\r\n").await.expect("a whole head");
        let head = String::from_utf8(head).expect("a readable head");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.into(), value.into()));
        Reply { status, headers: headers.collect(), body: Vec::new() }
    }

    /// A whole reply.
    pub async fn reply(&mut self) -> Reply {
        let mut reply = self.head().await;
        if reply.header("transfer-encoding").is_some_and(|coding| coding == "chunked") {
            while let Some(chunk) = self.chunk().await {
                reply.body.extend_from_slice(&chunk);
            }
        } else {
            let length = reply.header("content-length").map_or(0, |length| length.parse().expect("a length"));
            reply.body = self.exactly(length).await;
        }
        reply
    }

    /// The next chunk of a body; `None` at its end.
    pub async fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = self.until(b"\r\n").await?;
        let size = usize::from_str_radix(String::from_utf8_lossy(&size).trim(), 16).expect("a chunk size");
        let chunk = self.exactly(size + 2).await;
        (size > 0).then(|| chunk[..size].to_vec())
    }

    /// The next event of a stream, comments left out: its lines. `None` at the end.
    pub async fn event(&mut self, pending: &mut String) -> Option<String> {
        loop {
            while let Some((event, rest)) = pending.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                *pending = rest;
                if !event.starts_with(':') {
                    return Some(event);
                }
            }
            let chunk = self.chunk().await?;
            pending.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }
}

impl Client {
    /// Sends a chunked body of this many bytes, 64 KiB at a time; stops when the other side does not take more.
    pub async fn chunks(&mut self, length: usize) {
        let piece = vec![b' '; 64 * 1024];
        for _ in 0..length.div_ceil(piece.len()) {
            let head = format!("{:x}\r\n", piece.len());
            let chunk = [head.as_bytes(), &piece, b"\r\n"].concat();
            if self.socket.write_all(&chunk).await.is_err() {
                return;
            }
        }
        self.socket.write_all(b"0\r\n\r\n").await.ok();
    }
}
