//! Answers that go wrong on purpose.

use std::time::{Duration, Instant};

use far_side::{Answer, Ended, ScriptedModel};
use serde_json::json;

use crate::client::{data, raw_reads, send, streaming, text, whole};

const SHORT: Duration = Duration::from_millis(120);

fn with(answer: Answer) -> ScriptedModel {
    let model = ScriptedModel::start();
    model.push(answer);
    model
}

#[tokio::test]
async fn a_cut_breaks_the_body_and_an_early_end_does_not() {
    let model = with(Answer::chunks(["a", "b", "c"]).cut_after(2));
    assert!(send(&model, &streaming()).await.text().await.is_err());
    assert_eq!(model.requests()[0].finished().await.ended, Ended::Cut);
    model.push(Answer::text("a long enough text").cut_after(1));
    assert!(send(&model, &whole()).await.text().await.is_err());
    model.push(Answer::chunks(["a", "b", "c"]).ends_after(2));
    let frames = data(&model, &streaming()).await;
    assert_eq!(frames.len(), 3);
    assert!(frames[2].contains("\"b\"") && frames[2].contains("\"finish_reason\":null"));
    model.push(Answer::text("a").without_done());
    let frames = data(&model, &streaming()).await;
    assert!(frames.last().unwrap().contains("\"finish_reason\":\"stop\""));
}

#[tokio::test]
async fn an_error_comes_inside_a_stream_of_status_200() {
    let model = with(Answer::chunks(["a", "b"]).error_after(1, &json!({"message": "overloaded", "code": 529})));
    let answer = send(&model, &streaming()).await;
    assert_eq!(answer.status(), 200);
    let text = answer.text().await.unwrap();
    assert!(text.contains("\"a\"") && !text.contains("\"b\"") && !text.contains("[DONE]"));
    assert!(text.ends_with("data: {\"error\":{\"message\":\"overloaded\",\"code\":529}}\n\n"));
}

#[tokio::test]
async fn errors_carry_status_headers_and_body() {
    let model = with(Answer::rate_limited("2"));
    let limited = send(&model, &streaming()).await;
    assert_eq!((limited.status().as_u16(), limited.headers()["retry-after"].to_str().unwrap()), (429, "2"));
    model.push(Answer::context_too_long(120_000, 130_000));
    let long = send(&model, &streaming()).await;
    assert_eq!(long.status(), 400);
    assert!(long.text().await.unwrap().contains("maximum context length is 120000 tokens"));
    for status in [200, 502] {
        model.push(Answer::html(status));
        let page = send(&model, &streaming()).await;
        assert_eq!(page.status().as_u16(), status);
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
        assert!(page.text().await.unwrap().starts_with("<!DOCTYPE html>"));
    }
    model.push(Answer::error(500, "server_error", "boom"));
    assert_eq!(send(&model, &whole()).await.status(), 500);
}

#[tokio::test]
async fn stalls_fall_where_the_script_says() {
    let model = with(Answer::text("a").stall_before_headers(SHORT));
    let start = Instant::now();
    send(&model, &streaming()).await;
    assert!(start.elapsed() >= SHORT);

    model.push(Answer::text("a").stall_after_headers(SHORT * 4));
    let start = Instant::now();
    let answer = send(&model, &streaming()).await;
    assert!(start.elapsed() < SHORT * 3, "the head came at once");
    assert!(answer.text().await.unwrap().contains("[DONE]"));
    assert!(start.elapsed() >= SHORT * 4);

    model.push(Answer::chunks(["a", "b"]).stall_after(1, SHORT * 4));
    let mut answer = send(&model, &streaming()).await;
    let start = Instant::now();
    let mut first = String::new();
    while !first.contains("\"content\":\"a\"") {
        first.push_str(&String::from_utf8_lossy(&answer.chunk().await.unwrap().unwrap()));
    }
    assert!(start.elapsed() < SHORT * 3 && !first.contains("\"content\":\"b\""));
    let rest = answer.text().await.unwrap();
    assert!(start.elapsed() >= SHORT * 3 && rest.contains("\"content\":\"b\""));
}

#[tokio::test]
async fn a_client_that_hangs_up_in_a_stall_is_noticed_at_once() {
    let model = with(Answer::text("a").stall_before_headers(Duration::from_secs(60)));
    let url = format!("{}/chat/completions", model.base_url());
    let sent = crate::client::http().post(url).body(streaming().to_string()).timeout(SHORT).send().await;
    assert!(sent.is_err());
    let request = model.wait_for(1).await.remove(0);
    let outcome = request.finished().await;
    assert_eq!((outcome.ended, outcome.first_byte), (Ended::HungUp, None));
}

#[tokio::test]
async fn lines_end_with_crlf_and_comments_stand_between() {
    let model = with(Answer::text("a").crlf().comments("wait"));
    let text = text(&model, &streaming()).await;
    assert_eq!(text.matches(": wait\r\n\r\ndata: ").count(), 4);
    assert!(text.ends_with("data: [DONE]\r\n\r\n"));
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
}

#[test]
fn bytes_arrive_one_by_one() {
    let model = with(Answer::text("日🙂").byte_by_byte(Duration::from_millis(1)));
    let reads = raw_reads(&model, &streaming(), Duration::from_millis(500));
    // Each chunk is "1\r\nX\r\n"; the first read also holds the head.
    let single = reads.iter().filter(|read| read.len() == 6 && read.starts_with(b"1\r\n")).count();
    assert!(single > reads.len() / 2, "{single} of {} reads are single bytes", reads.len());
    let body: Vec<u8> = reads[1..].iter().filter(|read| read.len() == 6).map(|read| read[3]).collect();
    assert!(body.windows(7).any(|seven| seven == "日🙂".as_bytes()), "{}", String::from_utf8_lossy(&body));
}

#[tokio::test]
async fn raw_streams_and_responses_are_sent_as_they_are() {
    let model = with(Answer::raw_stream(["data: {\"cho", "ices\":[]}\n\n", "\u{feff}"]).pause_between(SHORT / 4));
    let start = Instant::now();
    assert_eq!(text(&model, &streaming()).await, "data: {\"choices\":[]}\n\n\u{feff}");
    assert!(start.elapsed() >= SHORT / 2);
    model.push(Answer::raw_response(["HTTP/1.1 299 Odd\r\ncontent-length: 2\r\n", "\r\nok"]));
    let odd = send(&model, &whole()).await;
    assert_eq!((odd.status().as_u16(), odd.text().await.unwrap().as_str()), (299, "ok"));
    model.push(Answer::raw_response([b"\x00\xff garbage".to_vec()]));
    let reads = raw_reads(&model, &whole(), Duration::from_millis(500));
    assert_eq!(reads.concat(), b"\x00\xff garbage");
}

#[tokio::test]
async fn frames_are_sent_verbatim_and_need_a_stream() {
    let model = with(Answer::frames(["{\"choices\":[]}", "{ }"]));
    assert_eq!(data(&model, &streaming()).await, ["{\"choices\":[]}", "{ }", "[DONE]"]);
    model.push(Answer::frames(["{}"]));
    assert_eq!(send(&model, &whole()).await.status(), 400);
}
