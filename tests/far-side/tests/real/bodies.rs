//! What is kept of a request.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use far_side::{Answer, Ended, ScriptedModel, message_elements, sha256};

use crate::client::{http, text, whole};

#[tokio::test]
async fn bytes_headers_and_times_are_kept() {
    let model = ScriptedModel::start();
    model.always(Answer::text("a"));
    let body = "{ \"messages\" : [ {\"role\":\"user\",\"content\":\"1.50 \\u65e5 日\"} ]  }";
    let before = Instant::now();
    let url = format!("{}/chat/completions?x=1", model.base_url());
    let sent = http().post(url).header("X-Probe", "Yes").bearer_auth("k").body(body).send().await.unwrap();
    sent.bytes().await.unwrap();
    let request = model.wait_for(1).await.remove(0);
    assert_eq!(request.body, body.as_bytes());
    assert_eq!(message_elements(&request.body), ["{\"role\":\"user\",\"content\":\"1.50 \\u65e5 日\"}"]);
    assert_eq!(sha256(&request.body), sha256(body));
    assert_eq!(request.header("x-probe"), Some("Yes"));
    assert_eq!(request.header("authorization"), Some("Bearer k"));
    assert_eq!(request.path, "/v1/chat/completions?x=1");
    assert!(before < request.arrived && request.arrived < Instant::now());
}

#[test]
fn a_chunked_body_and_two_requests_on_one_connection() {
    let model = ScriptedModel::start();
    model.always(Answer::text("a"));
    let mut socket = TcpStream::connect(model.address()).unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n";
    socket.write_all(format!("{head}\r\n3\r\n{{\"a\r\n").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    socket
        .write_all(
            format!("4;x=y\r\n\":1}}\r\n0\r\n\r\n{head}connection: close\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n").as_bytes(),
        )
        .unwrap();
    let mut answers = String::new();
    socket.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2);
    let bodies: Vec<_> = model.requests().iter().map(|request| request.body.clone()).collect();
    assert_eq!(bodies, ["{\"a\":1}", "{}"]);
}

#[tokio::test]
async fn the_busy_time_covers_the_delay() {
    let model = ScriptedModel::start();
    model.push(Answer::text("a").stall_before_headers(Duration::from_millis(80)));
    model.push(Answer::text("a"));
    text(&model, &whole()).await;
    text(&model, &whole()).await;
    let requests = model.requests();
    let outcomes = [requests[0].finished().await, requests[1].finished().await];
    assert!(outcomes[0].busy >= Duration::from_millis(80) && outcomes[0].busy < Duration::from_secs(2), "{outcomes:?}");
    assert!(outcomes[1].busy < Duration::from_millis(50), "{outcomes:?}");
    assert!(outcomes[0].first_byte.unwrap() >= Duration::from_millis(80));
    assert_eq!(outcomes[0].ended, Ended::Whole);
}

#[tokio::test]
async fn only_the_newest_are_kept_when_told_so() {
    let model = ScriptedModel::start();
    model.keep(2);
    model.always(Answer::text("a"));
    for _ in 0..5 {
        text(&model, &whole()).await;
    }
    assert_eq!((model.received(), model.requests().len()), (5, 2));
    assert_eq!(model.wait_for(5).await.len(), 2);
}

#[tokio::test]
#[should_panic(expected = "waited 50ms for 2 requests and saw 1")]
async fn waiting_in_vain_says_what_came() {
    let model = ScriptedModel::start();
    model.always(Answer::text("a"));
    text(&model, &whole()).await;
    model.wait_for_within(2, Duration::from_millis(50)).await;
}
