//! What every external backend has to do, against a scripted server on a real socket. A new backend is a new line in
//! [`BACKENDS`].

use super::{
    backend::backend,
    scripted_http::{Play, ScriptedHttp},
};
use dispatch_actors::ports::memory::{Exchange, MemoryBackend, MemoryError, RecallQuery};
use dispatch_events::{Clock, StreamId, Timestamp, TurnId, clock::FixedClock};
use std::sync::Arc;

/// One backend, and how its far side speaks.
struct Case {
    name: &'static str,
    /// Settings, with `{url}` where the server's address goes.
    settings: &'static str,
    /// An answer to a recall that holds `KNOWN`.
    hit: &'static str,
    /// An answer to a recall without a hit.
    miss: &'static str,
    /// An answer to a write.
    written: &'static str,
}

const KNOWN: &str = "likes green tea";

const BACKENDS: &[Case] = &[Case {
    name: "mem0",
    settings: "backend = \"mem0\"\n[mem0]\nbase_url = \"{url}\"",
    hit: r#"{"results":[{"id":"1","memory":"likes green tea","score":0.8}]}"#,
    miss: r#"{"results":[]}"#,
    written: r#"{"results":[]}"#,
}];

impl Case {
    fn start(&self, plays: Vec<Play>) -> (ScriptedHttp, Arc<dyn MemoryBackend>, Arc<FixedClock>) {
        let server = ScriptedHttp::start(plays);
        let settings = toml::from_str(&self.settings.replace("{url}", &server.url)).unwrap();
        let clock = Arc::new(FixedClock::at(Timestamp(1_000_000_000)));
        let made = backend(&settings, &|_| Some("secret-key".to_owned()), clock.clone()).unwrap().unwrap();
        (server, made, clock)
    }
}

fn ok(body: &str) -> Play {
    Play::Answer(200, body.to_owned())
}

fn query(text: &str) -> RecallQuery {
    RecallQuery { text: text.to_owned(), session: StreamId::from_bytes([7; 16]) }
}

fn exchange() -> Exchange {
    Exchange {
        user: "I like green tea".to_owned(),
        assistant: "Noted: 緑茶".to_owned(),
        session: StreamId::from_bytes([7; 16]),
        turn: TurnId::from_bytes([8; 16]),
        key: "key-1".to_owned(),
    }
}

#[tokio::test]
async fn it_says_who_it_is_and_where_things_go() {
    for case in BACKENDS {
        let (server, backend, _) = case.start(vec![ok(case.miss)]);
        assert_eq!(backend.name(), case.name);
        let destination = backend.destination();
        assert!(destination.contains(&server.url) && !destination.contains('\n'), "{destination}");
        assert!(!destination.contains("secret-key"));
        assert!(server.asked().is_empty(), "{}: nothing is sent before it is asked", case.name);
    }
}

#[tokio::test]
async fn recall_gives_hits_and_none_for_a_miss() {
    for case in BACKENDS {
        let (_server, backend, _) = case.start(vec![ok(case.hit), ok(case.miss)]);
        assert!(backend.recall(query("tea?")).await.unwrap().unwrap().contains(KNOWN), "{}", case.name);
        assert_eq!(backend.recall(query("tea?")).await.unwrap(), None, "{}", case.name);
        assert_eq!(backend.recall(query(" \n")).await.unwrap(), None, "{}: nothing to look for", case.name);
    }
}

#[tokio::test]
async fn a_write_carries_both_sides_and_the_same_key_each_time() {
    for case in BACKENDS {
        let (server, backend, _) = case.start(vec![Play::Answer(503, String::new()), ok(case.written)]);
        assert!(matches!(backend.sync(exchange()).await, Err(MemoryError::Temporary(_))), "{}", case.name);
        backend.sync(exchange()).await.unwrap();
        for asked in server.asked() {
            let body = asked.body.to_string();
            assert!(body.contains("I like green tea") && body.contains("緑茶") && body.contains("key-1"), "{body}");
        }
        assert_eq!(server.asked().len(), 2);
    }
}

#[tokio::test]
async fn failures_say_whether_a_repeat_may_help() {
    for case in BACKENDS {
        for (play, temporary) in [
            (Play::Answer(500, "broken".to_owned()), true),
            (Play::Answer(429, "slow down".to_owned()), true),
            (Play::Cut, true),
            (Play::Flood, true),
            (ok("<html>a login page</html>"), true),
            (Play::Answer(400, "bad".to_owned()), false),
            (Play::Answer(401, "who are you".to_owned()), false),
            (Play::Answer(404, "no such thing".to_owned()), false),
            (Play::Redirect("http://127.0.0.1:9/".to_owned()), false),
        ] {
            let (_server, backend, _) = case.start(vec![play.clone()]);
            let error = backend.recall(query("tea?")).await.unwrap_err();
            assert_eq!(matches!(error, MemoryError::Temporary(_)), temporary, "{}: {play:?} gave {error:?}", case.name);
            assert!(!error.to_string().contains("secret-key"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_hanging_backend_can_be_let_go() {
    for case in BACKENDS {
        let (_server, backend, _) = case.start(vec![Play::Hang]);
        let wait = std::time::Duration::from_millis(200);
        assert!(tokio::time::timeout(wait, backend.recall(query("tea?"))).await.is_err(), "{}", case.name);
    }
}

#[tokio::test]
async fn five_failures_in_a_row_pause_it_for_two_minutes() {
    for case in BACKENDS {
        let mut plays = vec![Play::Answer(404, String::new()); 6];
        plays.extend(vec![Play::Answer(500, String::new()); 5]);
        plays.push(ok(case.hit));
        let (server, backend, clock) = case.start(plays);
        for _ in 0..11 {
            backend.recall(query("tea?")).await.unwrap_err();
        }
        assert!(matches!(backend.recall(query("tea?")).await, Err(MemoryError::Temporary(_))));
        assert!(matches!(backend.sync(exchange()).await, Err(MemoryError::Temporary(_))));
        assert_eq!(server.asked().len(), 11, "{}: it is not asked while paused", case.name);
        clock.set(clock.now().plus_ms(120_000));
        assert!(backend.recall(query("tea?")).await.unwrap().is_some(), "{}", case.name);
    }
}

#[tokio::test]
async fn a_warmed_recall_is_used_once_and_only_for_the_same_words() {
    for case in BACKENDS {
        let (server, backend, _) = case.start(vec![ok(case.hit), ok(case.miss)]);
        backend.warm(query("tea?")).await.unwrap();
        assert_eq!(backend.recall(query("coffee?")).await.unwrap(), None, "{}: other words", case.name);
        assert!(backend.recall(query("tea?")).await.unwrap().is_some(), "{}", case.name);
        assert_eq!(backend.recall(query("tea?")).await.unwrap(), None, "{}: once", case.name);
        assert_eq!(server.asked().len(), 3);
        backend.warm(query("tea?")).await.unwrap();
        backend.sync(exchange()).await.unwrap();
        backend.recall(query("tea?")).await.unwrap();
        assert_eq!(server.asked().len(), 6, "{}: a write makes it ask anew", case.name);
    }
}
