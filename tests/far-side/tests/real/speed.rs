//! The server must not be what a benchmark measures.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use far_side::{Answer, ScriptedModel};

use crate::client::streaming;

/// Requests in a row; short enough to fit between two turns of the scheduler.
const ROUND: u32 = 25;

/// Asks on one connection, one request after the other, as often as given, and returns the time that took.
fn ask(socket: &mut TcpStream, request: &[u8], times: u32) -> Duration {
    let mut buffer = vec![0; 65536];
    let start = Instant::now();
    for _ in 0..times {
        socket.write_all(request).unwrap();
        let mut tail = Vec::new();
        while !tail.ends_with(b"0\r\n\r\n") {
            let count = socket.read(&mut buffer).unwrap();
            assert!(count > 0);
            tail.extend_from_slice(&buffer[..count]);
        }
    }
    start.elapsed()
}

#[test]
fn an_instant_answer_takes_little_time() {
    let model = ScriptedModel::start();
    model.keep(1);
    model.always(Answer::chunks(["one ", "two ", "three"]));
    let body = streaming().to_string();
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    let request = format!("{head}{body}").into_bytes();
    let mut socket = TcpStream::connect(model.address()).unwrap();
    socket.set_nodelay(true).unwrap();
    ask(&mut socket, &request, 200);
    // The best of many short rounds: the cores are shared with other tests and builds, and what counts is what the
    // server can do while it has one.
    let best = (0..200).map(|_| ask(&mut socket, &request, ROUND)).min().unwrap();
    let per_second = f64::from(ROUND) / best.as_secs_f64();
    assert!(per_second > 5_000.0, "{per_second:.0} requests/s");
    std::io::stderr()
        .write_all(format!("scripted model: {per_second:.0} requests/s on one connection\n").as_bytes())
        .unwrap();
}
