//! A client that costs next to nothing: it writes prepared bytes and looks for the answer's end.
//!
//! The client shares two cores with what it measures, so an HTTP library with its pools and its parsing would take a
//! good part of what the table says about the host.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where requests go.
pub struct Target {
    /// Address.
    pub address: SocketAddr,
    /// API token; empty for the model itself.
    pub token: String,
}

/// An answer, and when its parts came.
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Head and body as they came.
    pub bytes: Vec<u8>,
    /// From the first byte sent to the first piece of text; none without text.
    pub first: Option<Duration>,
    /// From the first byte sent to the last one received.
    pub whole: Duration,
}

impl Reply {
    /// Whether the turn has its answer.
    pub fn answered(&self) -> bool {
        self.status == 200 && find(&self.bytes, b"staging").is_some()
    }
}

/// One keep-alive connection.
pub struct Connection {
    socket: TcpStream,
    target: Arc<Target>,
}

impl Connection {
    /// Connects.
    pub async fn open(target: Arc<Target>) -> Self {
        let socket = TcpStream::connect(target.address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        Self { socket, target }
    }

    /// One chat completion of a session.
    pub async fn chat(&mut self, session: &str, text: &str, stream: bool) -> Reply {
        let request = request(&self.target, session, text, stream);
        tokio::time::timeout(PATIENCE, self.ask(&request, stream)).await.expect("an answer within a minute")
    }

    async fn ask(&mut self, request: &[u8], stream: bool) -> Reply {
        let begun = Instant::now();
        self.socket.write_all(request).await.unwrap();
        let mut reply = Reply { status: 0, bytes: Vec::with_capacity(4096), first: None, whole: Duration::ZERO };
        loop {
            let count = self.socket.read_buf(&mut reply.bytes).await.unwrap();
            assert!(count > 0, "the connection was closed behind {}", String::from_utf8_lossy(&reply.bytes));
            if stream && reply.first.is_none() && has_text(&reply.bytes) {
                reply.first = Some(begun.elapsed());
            }
            if is_whole(&reply.bytes) {
                break;
            }
        }
        reply.whole = begun.elapsed();
        reply.status = std::str::from_utf8(&reply.bytes[9..12]).unwrap().parse().unwrap();
        reply
    }
}

fn request(target: &Target, session: &str, text: &str, stream: bool) -> Vec<u8> {
    let body = format!(r#"{{"model":"dispatch","messages":[{{"role":"user","content":"{text}"}}],"stream":{stream}}}"#);
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nx-dispatch-session: {session}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        target.address,
        target.token,
        body.len()
    );
    (head + &body).into_bytes()
}

/// Whether head and body are complete.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = find(bytes, b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    match length {
        Some(length) => bytes.len() >= end + 4 + length.trim().parse::<usize>().unwrap(),
        None => bytes.ends_with(b"0\r\n\r\n"),
    }
}

/// Whether a piece of text has come: a delta whose content is not empty.
fn has_text(bytes: &[u8]) -> bool {
    const MARK: &[u8] = br#""content":""#;
    let mut rest = bytes;
    while let Some(at) = find(rest, MARK) {
        rest = &rest[at + MARK.len()..];
        if rest.first().is_some_and(|byte| *byte != b'"') {
            return true;
        }
    }
    false
}

/// Where the first of these bytes stand.
pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
