//! Against a real socket that says what it is told to, byte by byte.

mod server;

use super::*;
use bytes::Bytes;
use dispatch_actors::ports::ModelAnswer;
use server::{Server, Step, chunk, chunked, plain, sse};
use std::time::{Duration, Instant};

const KEY: &str = "sk-very-secret";
const ANSWER: &str = "data: {\"id\":\"r1\",\"choices\":[{\"delta\":{\"content\":\"日本🙂 é\"}}]}\n\ndata: \
                      {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn endpoint(address: &str, stall_ms: u64) -> HttpEndpoint {
    HttpEndpoint::new(HttpTarget {
        profile: "stub".into(),
        url: Url::parse(&format!("http://{address}/v1/chat/completions")).unwrap(),
        key: ApiKey::new(KEY),
        missing_key: None,
        limits: Limits::default().with_stall(Duration::from_millis(stall_ms)),
        replay: ReplayReasoning::AsCame,
    })
}

async fn call(endpoint: &HttpEndpoint, stream: bool) -> (String, Result<ModelAnswer, ModelError>) {
    let mut text = String::new();
    let mut events = endpoint.call(ModelCall { body: Bytes::from_static(b"{\"model\":\"m\"}"), stream });
    while let Some(event) = events.next().await {
        match event {
            Ok(ModelEvent::Text(piece)) => text.push_str(&piece),
            Ok(ModelEvent::Reasoning(_)) => {}
            Ok(ModelEvent::Finished(answer)) => return (text, Ok(answer)),
            Err(error) => return (text, Err(error)),
        }
    }
    panic!("the stream ended without an answer or an error");
}

async fn one(script: Vec<Step>) -> (String, Result<ModelAnswer, ModelError>) {
    let server = Server::start(vec![script]);
    call(&endpoint(&server.address, 400), true).await
}

async fn failed(script: Vec<Step>) -> ModelError {
    one(script).await.1.unwrap_err()
}

#[tokio::test]
async fn the_request_is_the_bytes_that_were_given() {
    let server = Server::start(vec![sse(ANSWER)]);
    let (text, answer) = call(&endpoint(&server.address, 1000), true).await;
    assert_eq!(text, "日本🙂 é");
    assert_eq!(answer.unwrap().finish, "stop");
    let request = server.requests.recv().unwrap();
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"model\":\"m\"}"), "{request}");
    let lower = request.to_lowercase();
    for header in [
        "authorization: bearer sk-very-secret\r\n",
        "content-type: application/json\r\n",
        "accept-encoding: identity\r\n",
    ] {
        assert!(lower.contains(header), "{request}");
    }
}

#[tokio::test]
async fn one_byte_for_each_write() {
    let mut script = vec![Step::Write(server::SSE_HEAD.into())];
    script.extend(ANSWER.bytes().map(|byte| Step::Write(chunk(&[byte]))));
    script.push(Step::Write(b"0\r\n\r\n".to_vec()));
    let (text, answer) = one(script).await;
    assert_eq!((text.as_str(), answer.unwrap().text.as_str()), ("日本🙂 é", "日本🙂 é"));
}

#[tokio::test]
async fn silence_is_a_timeout_wherever_it_begins() {
    let started = Instant::now();
    let error = failed(vec![Step::Sleep(2000)]).await;
    assert_eq!(error.class, ErrorClass::Timeout);
    assert!(error.message.contains("no answer within 400 ms"), "{}", error.message);
    let error = failed(vec![Step::Write(server::SSE_HEAD.into()), Step::Sleep(2000)]).await;
    assert_eq!(error.class, ErrorClass::Timeout);
    let first = chunk(ANSWER.split_inclusive("\n\n").next().unwrap().as_bytes());
    let script = vec![Step::Write(server::SSE_HEAD.into()), Step::Write(first), Step::Sleep(2000)];
    let (text, answer) = one(script).await;
    assert_eq!(text, "日本🙂 é");
    let error = answer.unwrap_err();
    assert_eq!(error.class, ErrorClass::Timeout);
    assert!(error.message.contains("stalled"), "{}", error.message);
    assert!(started.elapsed() < Duration::from_millis(2000));
}

#[tokio::test]
async fn a_slow_answer_is_no_fault() {
    let mut script = vec![Step::Write(server::SSE_HEAD.into())];
    for piece in [": wait\n\n"; 5].into_iter().chain(ANSWER.split_inclusive("\n\n")) {
        script.extend([Step::Sleep(150), Step::Write(chunk(piece.as_bytes()))]);
    }
    assert_eq!(one(script).await.1.unwrap().text, "日本🙂 é");
}

#[tokio::test]
async fn a_cut_is_told_from_a_missing_end() {
    let begun = ANSWER.split_inclusive("\n\n").next().unwrap();
    let script = vec![Step::Write(server::SSE_HEAD.into()), Step::Write(chunk(begun.as_bytes()))];
    assert_eq!(failed(script).await.class, ErrorClass::Connection);
    assert_eq!(failed(plain(200, "content-length: 9999\r\n", begun)).await.class, ErrorClass::Connection);
    assert_eq!(failed(chunked("", begun)).await.class, ErrorClass::Incomplete);
    assert_eq!(failed(plain(200, "", begun)).await.class, ErrorClass::Incomplete);
    assert_eq!(failed(vec![]).await.class, ErrorClass::Connection);
}

#[tokio::test]
async fn a_refusal_has_its_class_and_its_wait() {
    let limit = failed(plain(429, "retry-after: 2\r\n", "{\"error\":{\"message\":\"slow down\"}}")).await;
    assert_eq!((limit.class, limit.status, limit.retry_after_ms), (ErrorClass::RateLimit, Some(429), Some(2000)));
    assert!(limit.message.contains("slow down"), "{}", limit.message);
    let dates = "date: Sun, 06 Nov 1994 08:49:30 GMT\r\nretry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    assert_eq!(failed(plain(429, dates, "")).await.retry_after_ms, Some(7000));
    assert_eq!(failed(plain(429, "retry-after-ms: 350\r\n", "")).await.retry_after_ms, Some(350));
    let quota = failed(plain(429, "", "{\"error\":{\"code\":\"insufficient_quota\"}}")).await;
    assert_eq!(quota.class, ErrorClass::Billing);
    let window = failed(plain(400, "", "{\"error\":{\"code\":\"context_length_exceeded\"}}")).await;
    assert_eq!(window.class, ErrorClass::ContextOverflow);
    assert_eq!(failed(plain(503, "", "")).await.class, ErrorClass::Overloaded);
}

#[tokio::test]
async fn html_is_named_and_not_repeated() {
    let page = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>long</body></html>";
    let error = failed(plain(502, "content-type: text/html\r\n", page)).await;
    assert_eq!((error.class, error.status), (ErrorClass::ServerError, Some(502)));
    assert!(error.message.contains("HTML page") && !error.message.contains("<body>"), "{}", error.message);
    let error = failed(plain(200, "content-type: text/html\r\n", page)).await;
    assert_eq!(error.class, ErrorClass::InvalidResponse);
    let error = failed(plain(200, "content-type: image/png\r\n", "\u{1}PNG")).await;
    assert_eq!(error.class, ErrorClass::InvalidResponse);
    assert!(error.message.contains("image/png"), "{}", error.message);
}

#[tokio::test]
async fn an_endless_error_body_is_not_read_to_its_end() {
    let error = failed(plain(500, "", &"x".repeat(1 << 20))).await;
    assert_eq!(error.class, ErrorClass::ServerError);
    assert!(error.message.len() < 1000, "{}", error.message.len());
}

#[tokio::test]
async fn errors_name_profile_address_and_next_step_but_never_the_key() {
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}.\"}}}}");
    let error = failed(plain(401, "", &body)).await;
    assert_eq!(error.class, ErrorClass::Auth);
    for part in ["`stub`", "http://127.0.0.1:", "/v1/chat/completions", "[key]", "Next: check the key"] {
        assert!(error.message.contains(part), "{}", error.message);
    }
    assert!(!error.message.contains(KEY));
    assert!(!format!("{:?}", endpoint("127.0.0.1:1", 1)).contains(KEY));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let error = failed(plain(307, "location: http://127.0.0.1:1/elsewhere\r\n", "")).await;
    assert_eq!((error.class, error.status), (ErrorClass::BadRequest, Some(307)));
    assert!(error.message.contains("elsewhere"), "{}", error.message);
}

#[tokio::test]
async fn a_document_instead_of_a_stream_is_an_answer() {
    let body = "{\"choices\":[{\"message\":{\"content\":\"whole\"},\"finish_reason\":\"stop\"}]}";
    assert_eq!(one(plain(200, "content-type: application/json\r\n", body)).await.1.unwrap().text, "whole");
    let server = Server::start(vec![sse(ANSWER)]);
    assert_eq!(call(&endpoint(&server.address, 1000), false).await.1.unwrap().text, "日本🙂 é");
}

#[tokio::test]
async fn calls_share_a_connection() {
    let server = Server::start((0..5).map(|_| sse(ANSWER)).collect());
    let endpoint = endpoint(&server.address, 1000);
    for _ in 0..5 {
        call(&endpoint, true).await.1.unwrap();
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn dropping_the_answer_closes_the_connection() {
    let first = chunk(ANSWER.split_inclusive("\n\n").next().unwrap().as_bytes());
    let script = vec![Step::Write(server::SSE_HEAD.into()), Step::Write(first), Step::UntilClosed];
    let server = Server::start(vec![script]);
    let endpoint = endpoint(&server.address, 10_000);
    let mut events = endpoint.call(ModelCall { body: Bytes::from_static(b"{}"), stream: true });
    assert!(matches!(events.next().await, Some(Ok(ModelEvent::Text(_)))));
    drop(events);
    // The connection's task needs a moment of this thread.
    for _ in 0..100 {
        if server.saw_close() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the connection is still open");
}

#[tokio::test]
async fn nobody_there_is_a_connection_error() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = call(&endpoint(&free.to_string(), 1000), true).await.1.unwrap_err();
    assert_eq!(error.class, ErrorClass::Connection);
    assert!(error.message.contains("no connection") && error.message.contains("refused"), "{}", error.message);
}

#[tokio::test]
async fn without_its_key_a_profile_sends_nothing() {
    let server = Server::start(vec![sse(ANSWER)]);
    let url = Url::parse(&format!("http://{}/v1/chat/completions", server.address)).unwrap();
    let target = HttpTarget {
        profile: "stub".into(),
        url,
        key: None,
        missing_key: Some("STUB_KEY".into()),
        limits: Limits::default(),
        replay: ReplayReasoning::AsCame,
    };
    let error = call(&HttpEndpoint::new(target), true).await.1.unwrap_err();
    assert_eq!(error.class, ErrorClass::Auth);
    assert!(error.message.contains("set STUB_KEY"), "{}", error.message);
    assert_eq!(server.connections(), 0);
}

#[test]
fn this_machine_is_recognised() {
    for (url, here) in [
        ("http://127.0.0.1:9000/v1", true),
        ("http://127.9.9.9/v1", true),
        ("http://localhost/v1", true),
        ("http://model.localhost/v1", true),
        ("http://[::1]:80/v1", true),
        ("http://192.168.0.1/v1", false),
        ("https://localhost.example/v1", false),
    ] {
        assert_eq!(is_loopback(&Url::parse(url).unwrap()), here, "{url}");
    }
}
