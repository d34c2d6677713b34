//! A server that plays a script for each request, over connections that it keeps.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::Builder,
    time::Duration,
};

/// The head of an answer in chunks.
pub const SSE_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// One thing that the server does.
pub enum Step {
    Write(Vec<u8>),
    Sleep(u64),
    /// Waits until the client has closed the connection.
    UntilClosed,
}

/// One chunk of a chunked body.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// A whole stream in one write.
pub fn sse(body: &str) -> Vec<Step> {
    vec![Step::Write([SSE_HEAD, &chunk(body.as_bytes()), b"0\r\n\r\n"].concat())]
}

/// A chunked answer that ends as it should, whatever is in it.
pub fn chunked(headers: &str, body: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 200 OK\r\n{headers}transfer-encoding: chunked\r\n\r\n");
    vec![Step::Write([head.as_bytes(), &chunk(body.as_bytes()), b"0\r\n\r\n"].concat())]
}

/// An answer whose end is the end of the connection.
pub fn plain(status: u16, headers: &str, body: &str) -> Vec<Step> {
    vec![Step::Write(format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}\r\n{body}").into_bytes())]
}

type Scripts = Arc<Mutex<Vec<Vec<Step>>>>;

/// A running server.
pub struct Server {
    pub address: String,
    /// What was asked, as text.
    pub requests: Receiver<String>,
    connections: Arc<AtomicUsize>,
    closed: Arc<AtomicBool>,
}

impl Server {
    /// Starts one that plays the scripts, one for each request, and then closes.
    pub fn start(mut scripts: Vec<Vec<Step>>) -> Server {
        scripts.reverse();
        let scripts: Scripts = Arc::new(Mutex::new(scripts));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (heard, requests) = channel();
        let (connections, closed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, seen) = (connections.clone(), closed.clone());
        let accept = move || {
            while let Ok((socket, _)) = listener.accept() {
                counted.fetch_add(1, Ordering::SeqCst);
                let (scripts, heard, seen) = (scripts.clone(), heard.clone(), seen.clone());
                Builder::new().spawn(move || serve(socket, &scripts, &heard, &seen)).unwrap();
            }
        };
        Builder::new().spawn(accept).unwrap();
        Server { address, requests, connections, closed }
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn saw_close(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}

fn serve(socket: TcpStream, scripts: &Scripts, heard: &Sender<String>, seen: &AtomicBool) {
    socket.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(socket.try_clone().unwrap());
    let mut socket = socket;
    while let Some(request) = read(&mut reader) {
        let _ = heard.send(request);
        let Some(script) = scripts.lock().unwrap().pop() else { return };
        let ends = !script.iter().any(|step| matches!(step, Step::Write(bytes) if is_end(bytes)));
        for step in script {
            match step {
                Step::Write(bytes) => {
                    if socket.write_all(&bytes).is_err() {
                        return;
                    }
                }
                Step::Sleep(ms) => std::thread::sleep(Duration::from_millis(ms)),
                Step::UntilClosed => {
                    if reader.read(&mut [0]).is_ok_and(|count| count == 0) {
                        seen.store(true, Ordering::SeqCst);
                    }
                }
            }
        }
        if ends {
            return;
        }
    }
}

/// Whether a write ends a chunked body, so that the connection goes on.
fn is_end(bytes: &[u8]) -> bool {
    bytes == b"0\r\n\r\n" || bytes.ends_with(b"\r\n0\r\n\r\n")
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let start = text.len();
        if reader.read_line(&mut text).ok()? == 0 {
            return None;
        }
        let line = text[start..].to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    text.push_str(&String::from_utf8(body).unwrap());
    Some(text)
}
