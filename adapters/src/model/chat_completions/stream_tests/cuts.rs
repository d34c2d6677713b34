//! The same bytes in other pieces are the same answer; fewer bytes are never an answer.

use super::*;
use proptest::prelude::*;

fn sample() -> String {
    let chunks = [
        r#"{"id":"r1","choices":[{"index":0,"delta":{"role":"assistant","content":"日本"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"é\ud83d"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"\ude42"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"🙂 é"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":\"日\\ud83d"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"y","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\ude42本🙂\"}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
        "[DONE]",
    ];
    format!(": hello\r\n\r\n{}", events(&chunks).replace("\n\n", "\r\n\r\n"))
}

fn whole() -> ModelAnswer {
    let answer = answer(&sample()).unwrap();
    assert_eq!(answer.text, "日本🙂 é");
    assert_eq!(answer.reasoning.as_deref(), Some("é🙂"));
    assert_eq!(answer.calls[0].arguments.as_str(), r#"{"p":"日\ud83d\ude42本🙂"}"#);
    answer
}

#[test]
fn one_byte_at_a_time() {
    let body = sample();
    let pieces: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
    assert_eq!(answer_of(run(&pieces, End::Clean, ReplayReasoning::AsCame)).unwrap(), whole());
}

#[test]
fn cut_in_two_anywhere() {
    let (body, whole) = (sample(), whole());
    for at in 0..=body.len() {
        let (left, right) = body.as_bytes().split_at(at);
        assert_eq!(answer_of(run(&[left, right], End::Clean, ReplayReasoning::AsCame)).unwrap(), whole, "{at}");
    }
}

#[test]
fn a_broken_connection_before_the_end_mark_is_never_an_answer() {
    let body = sample();
    let end = body.find("[DONE]").unwrap() + "[DONE]\r\n".len();
    for at in 0..end {
        let events = run(&[&body.as_bytes()[..at]], End::Broken, ReplayReasoning::AsCame);
        assert!(answer_of(events).is_err(), "{at}");
    }
}

#[test]
fn a_clean_end_is_an_answer_only_behind_the_finish_reason() {
    let (body, whole) = (sample(), whole());
    let reason = r#""finish_reason":"tool_calls"}]}"#;
    let finished = body.find(reason).unwrap() + reason.len();
    for at in 0..body.len() {
        match answer_of(run(&[&body.as_bytes()[..at]], End::Clean, ReplayReasoning::AsCame)) {
            Ok(answer) => {
                assert!(at >= finished, "{at}");
                assert_eq!(ModelAnswer { usage: whole.usage, ..answer }, whole, "{at}");
            }
            Err(error) => assert_eq!(error.class, ErrorClass::Incomplete, "{at}: {}", error.message),
        }
    }
}

proptest! {
    #[test]
    fn cut_in_many_pieces(mut cuts in proptest::collection::vec(0usize..1400, 0..40)) {
        let body = sample();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut start = 0;
        for cut in cuts {
            let cut = cut.min(body.len());
            pieces.push(&body.as_bytes()[start..cut]);
            start = cut;
        }
        pieces.push(&body.as_bytes()[start..]);
        prop_assert_eq!(answer_of(run(&pieces, End::Clean, ReplayReasoning::AsCame)).unwrap(), whole());
    }

    #[test]
    fn any_bytes_end_in_an_answer_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let events = run(&[b"data: ", &bytes], End::Clean, ReplayReasoning::AsCame);
        prop_assert!(events.last().is_some_and(|last| matches!(last, Err(_) | Ok(ModelEvent::Finished(_)))));
    }

    #[test]
    fn a_damaged_stream_never_panics(at in 0usize..1400, byte in any::<u8>()) {
        let mut body = sample().into_bytes();
        let at = at.min(body.len() - 1);
        body[at] = byte;
        let events = run(&[&body], End::Clean, ReplayReasoning::AsCame);
        prop_assert!(events.last().is_some_and(|last| matches!(last, Err(_) | Ok(ModelEvent::Finished(_)))));
    }
}
