//! One POST at a time towards Mem0: bounded in time and size, classified, counted by the breaker.

use crate::{
    http_client::{HttpLimits, base_address, client},
    memory::{
        backend::MemorySetupError,
        breaker::Breaker,
        settings::{BackendName, Mem0Settings},
    },
    model::profile::ApiKey,
};
use dispatch_actors::ports::memory::MemoryError;
use dispatch_events::Clock;
use reqwest::{
    StatusCode, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// For the whole exchange (hermes-behaviour.md §3.4).
const TOTAL: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);
/// Further attempts to connect to a server of one's own; nothing was sent yet, so a repeat is harmless.
const CONNECT_RETRIES: u32 = 2;
const CONNECT_PAUSE: Duration = Duration::from_millis(200);
/// Bytes of an answer that are read.
const ANSWER_BYTES: usize = 1024 * 1024;
/// Bytes of an error's text that are repeated.
const SAID_BYTES: usize = 300;

/// The two sets of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    Platform,
    SelfHosted,
}

impl Flavour {
    pub(super) fn search_path(self) -> &'static str {
        match self {
            Self::Platform => "v3/memories/search/",
            Self::SelfHosted => "search",
        }
    }

    pub(super) fn add_path(self) -> &'static str {
        match self {
            Self::Platform => "v3/memories/add/",
            Self::SelfHosted => "memories",
        }
    }
}

pub(super) struct Transport {
    base: Url,
    flavour: Flavour,
    headers: HeaderMap,
    /// The same key as in the headers, so that it can be taken out of what the far side says.
    key: Option<ApiKey>,
    client: reqwest::Client,
    breaker: Breaker,
    clock: Arc<dyn Clock>,
}

/// What went wrong, and whether it says something about the backend's health.
struct Failure {
    error: MemoryError,
    counts: bool,
}

impl Transport {
    pub(super) fn new(
        base: &str,
        flavour: Flavour,
        key: Option<&str>,
        settings: &Mem0Settings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, MemorySetupError> {
        let mut base = base_address(base)?;
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let limits = HttpLimits { connect: CONNECT, read: None, total: Some(TOTAL) };
        let client = client(&base, limits)?;
        let headers = headers(flavour, key, settings)?;
        let key = key.and_then(ApiKey::new);
        Ok(Self { base, flavour, headers, key, client, breaker: Breaker::default(), clock })
    }

    pub(super) fn base(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    pub(super) fn flavour(&self) -> Flavour {
        self.flavour
    }

    /// Sends a body and gives the answer's bytes.
    pub(super) async fn post(&self, path: &str, body: &Value, key: Option<&str>) -> Result<Vec<u8>, MemoryError> {
        if let Err(left_ms) = self.breaker.admit(self.clock.now()) {
            let seconds = left_ms.div_ceil(1000);
            return Err(MemoryError::Temporary(format!(
                "mem0 failed again and again and is left alone for {seconds} s"
            )));
        }
        let result = match tokio::time::timeout(TOTAL, self.exchange(path, body, key)).await {
            Ok(result) => result,
            Err(_) => Err(temporary(format!("mem0 did not answer within {} s", TOTAL.as_secs()))),
        };
        match result {
            Ok(bytes) => {
                self.breaker.succeeded();
                Ok(bytes)
            }
            Err(failure) => {
                if failure.counts {
                    self.breaker.failed(self.clock.now());
                }
                Err(failure.error)
            }
        }
    }

    async fn exchange(&self, path: &str, body: &Value, key: Option<&str>) -> Result<Vec<u8>, Failure> {
        let url = self.base.join(path).map_err(|error| permanent(format!("the address can't be made: {error}")))?;
        let body =
            serde_json::to_vec(body).map_err(|error| permanent(format!("the request can't be made: {error}")))?;
        let mut answer = self.send(url, body, key).await?;
        let status = answer.status();
        let mut bytes = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| temporary(words(&error)))? {
            if bytes.len() + piece.len() > ANSWER_BYTES {
                return Err(temporary(format!("mem0 answered more than {ANSWER_BYTES} bytes")));
            }
            bytes.extend_from_slice(&piece);
        }
        if status.is_success() { Ok(bytes) } else { Err(refused(status, &self.said(&bytes))) }
    }

    /// The beginning of an error's text, on one line. The key is taken out before the rest is cut off, so that no half of
    /// it stays.
    fn said(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let text = self.key.as_ref().map_or_else(|| text.to_string(), |key| key.hide_in(&text));
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text[..text.floor_char_boundary(SAID_BYTES)].trim().to_owned()
    }

    async fn send(&self, url: Url, body: Vec<u8>, key: Option<&str>) -> Result<reqwest::Response, Failure> {
        let retries = if self.flavour == Flavour::SelfHosted { CONNECT_RETRIES } else { 0 };
        let mut attempt = 0;
        loop {
            let mut request = self.client.post(url.clone()).headers(self.headers.clone()).body(body.clone());
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            match request.send().await {
                Ok(answer) => return Ok(answer),
                Err(error) if error.is_connect() && attempt < retries => {
                    attempt += 1;
                    tracing::debug!(attempt, %error, "mem0 can't be reached yet");
                    tokio::time::sleep(CONNECT_PAUSE).await;
                }
                Err(error) if error.is_builder() => return Err(permanent(words(&error))),
                Err(error) => return Err(temporary(words(&error))),
            }
        }
    }
}

fn headers(flavour: Flavour, key: Option<&str>, settings: &Mem0Settings) -> Result<HeaderMap, MemorySetupError> {
    let value = |name: &'static str, text: &str, secret: bool| {
        let mut value = HeaderValue::from_str(text).map_err(|_| MemorySetupError::Value {
            backend: BackendName::Mem0,
            key: name,
            why: "it holds characters that no HTTP header carries".to_owned(),
        })?;
        value.set_sensitive(secret);
        Ok::<_, MemorySetupError>(value)
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match (flavour, key) {
        (Flavour::Platform, Some(key)) => {
            headers.insert(AUTHORIZATION, value("api_key_env", &format!("Token {}", key.trim()), true)?);
            headers.insert(HeaderName::from_static("mem0-user-id"), value("user_id", &settings.user_id, false)?);
        }
        (Flavour::SelfHosted, Some(key)) => {
            headers.insert(HeaderName::from_static("x-api-key"), value("api_key_env", key.trim(), true)?);
        }
        (_, None) => {}
    }
    Ok(headers)
}

/// 404 and validation errors are about the request, so they say nothing about the backend's health.
fn refused(status: StatusCode, said: &str) -> Failure {
    let text = format!("mem0 answered {status}: {said}");
    match status.as_u16() {
        408 | 425 | 429 | 500..=599 => temporary(text),
        401 | 403 => Failure { error: MemoryError::Permanent(format!("{text}; check its API key")), counts: true },
        300..=399 => permanent(format!("{text}; redirects are not followed, correct `base_url`")),
        _ => permanent(text),
    }
}

fn temporary(text: String) -> Failure {
    Failure { error: MemoryError::Temporary(text), counts: true }
}

fn permanent(text: String) -> Failure {
    Failure { error: MemoryError::Permanent(text), counts: false }
}

/// An error with its causes: the outermost alone says only that something failed.
fn words(error: &reqwest::Error) -> String {
    let mut text = format!("mem0 can't be reached: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}
