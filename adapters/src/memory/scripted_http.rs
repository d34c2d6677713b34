//! An HTTP server on a real socket that answers as a test says, and keeps what it was asked.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

/// What the far side does with one request.
#[derive(Clone, Debug)]
pub(super) enum Play {
    /// Answers with a status and a body.
    Answer(u16, String),
    /// Answers with a redirect.
    Redirect(String),
    /// Takes the request and answers nothing.
    Hang,
    /// Cuts the connection.
    Cut,
    /// Sends a body without end.
    Flood,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) line: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: serde_json::Value,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct ScriptedHttp {
    pub(super) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ScriptedHttp {
    /// Starts; each request takes the next play, the last one stands for all that follow.
    pub(super) fn start(plays: Vec<Play>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::Builder::new()
            .name("scripted-http".to_owned())
            .spawn(move || {
                let mut hanging = Vec::new();
                for stream in listener.incoming().flatten() {
                    let mut stream = stream;
                    let Some(request) = read(&mut stream) else { continue };
                    let number = {
                        let mut kept = kept.lock().unwrap();
                        kept.push(request);
                        kept.len() - 1
                    };
                    match plays[number.min(plays.len() - 1)].clone() {
                        Play::Answer(status, body) => answer(&mut stream, status, "", &body),
                        Play::Redirect(to) => answer(&mut stream, 307, &format!("location: {to}\r\n"), ""),
                        Play::Hang => hanging.push(stream),
                        Play::Cut => drop(stream),
                        Play::Flood => flood(&mut stream),
                    }
                }
            })
            .unwrap();
        Self { url, asked }
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { line: line.trim_end().to_owned(), headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn answer(stream: &mut TcpStream, status: u16, more: &str, body: &str) {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} Said\r\n{more}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    // A client that has gone is what some tests want.
    let _gone = stream.write_all(text.as_bytes());
}

fn flood(stream: &mut TcpStream) {
    let piece = [b'['; 64 * 1024];
    if stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").is_ok() {
        while stream.write_all(&piece).is_ok() {}
    }
}
