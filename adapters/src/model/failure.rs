//! From what the far side said to the class of the failure.
//!
//! 429 means four different things, 400 at least five, and the words decide. So the table is data, read from the top,
//! first match wins; a vendor with a new way to say something is a new line.

use dispatch_actors::ports::{ErrorClass, ModelError};
use serde_json::Value;
use std::ops::RangeInclusive;

/// Longest piece of a far side's text in a message, in characters.
const EXCERPT_CHARS: usize = 300;

/// One line: a status in this range, words of which one has to be there (none given: always), and the class.
struct Rule {
    status: RangeInclusive<u16>,
    words: &'static [&'static str],
    class: ErrorClass,
}

const fn rule(status: RangeInclusive<u16>, words: &'static [&'static str], class: ErrorClass) -> Rule {
    Rule { status, words, class }
}

const WINDOW: &[&str] = &[
    "context_length",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "max_model_len",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "maximum number of tokens",
    "reduce the length",
    "exceed_context",
];
const USED_UP: &[&str] = &[
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient credits",
    "credit balance",
    "billing",
    "exceeded your current quota",
    "quota exceeded",
    "quota_exceeded",
    "out of credits",
    "payment required",
    "used-up quota",
    "quota",
];
const BUSY: &[&str] = &["overloaded", "over capacity", "at capacity", "engine_overloaded", "server is busy"];
const POLICY: &[&str] = &[
    "content_policy",
    "content policy",
    "content_filter",
    "content management policy",
    "responsibleaipolicy",
    "safety system",
    "moderation",
    "flagged",
];
const KEY: &[&str] =
    &["invalid api key", "invalid_api_key", "api key not valid", "api_key_invalid", "authentication_error"];
const LIMIT: &[&str] = &["rate_limit", "rate limit", "too many requests", "resource_exhausted"];

/// 0 stands for an error object inside an answer with status 200 that names no status.
const RULES: &[Rule] = &[
    rule(401..=401, &[], ErrorClass::Auth),
    rule(402..=402, &["try again", "temporar"], ErrorClass::RateLimit),
    rule(402..=402, &[], ErrorClass::Billing),
    rule(403..=403, POLICY, ErrorClass::ContentPolicy),
    rule(403..=403, USED_UP, ErrorClass::Billing),
    rule(403..=403, &[], ErrorClass::Auth),
    rule(408..=408, &[], ErrorClass::Timeout),
    rule(413..=413, &[], ErrorClass::ContextOverflow),
    rule(429..=429, BUSY, ErrorClass::Overloaded),
    rule(429..=429, USED_UP, ErrorClass::Billing),
    rule(429..=429, &[], ErrorClass::RateLimit),
    rule(400..=499, WINDOW, ErrorClass::ContextOverflow),
    rule(400..=499, POLICY, ErrorClass::ContentPolicy),
    rule(400..=499, KEY, ErrorClass::Auth),
    rule(400..=499, &["credit balance", "insufficient_quota", "billing"], ErrorClass::Billing),
    rule(300..=499, &[], ErrorClass::BadRequest),
    rule(500..=500, WINDOW, ErrorClass::ContextOverflow),
    rule(503..=503, &[], ErrorClass::Overloaded),
    rule(529..=529, &[], ErrorClass::Overloaded),
    rule(500..=599, BUSY, ErrorClass::Overloaded),
    rule(500..=599, &[], ErrorClass::ServerError),
    rule(0..=299, WINDOW, ErrorClass::ContextOverflow),
    rule(0..=299, BUSY, ErrorClass::Overloaded),
    rule(0..=299, LIMIT, ErrorClass::RateLimit),
    rule(0..=299, USED_UP, ErrorClass::Billing),
    rule(0..=299, POLICY, ErrorClass::ContentPolicy),
    rule(0..=299, KEY, ErrorClass::Auth),
    rule(0..=299, &["invalid_request", "model_not_found"], ErrorClass::BadRequest),
    rule(0..=u16::MAX, &[], ErrorClass::ServerError),
];

/// The class of a failure. `wait_ms` is the wait that the far side named: a quota that comes back soon is a limit, not
/// the end of the account (one vendor uses the same words for both), unless the code says that it is used up.
pub fn classify(status: u16, text: &str, wait_ms: Option<u64>) -> ErrorClass {
    let text = text.to_lowercase();
    let class = RULES
        .iter()
        .find(|rule| {
            rule.status.contains(&status)
                && (rule.words.is_empty() || rule.words.iter().any(|word| text.contains(word)))
        })
        .map_or(ErrorClass::ServerError, |rule| rule.class);
    let comes_back = wait_ms.is_some_and(|wait| wait <= 600_000) && !text.contains("insufficient_quota");
    if class == ErrorClass::Billing && status == 429 && comes_back { ErrorClass::RateLimit } else { class }
}

/// What a person does next, for each class.
pub fn next_step(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::RateLimit => {
            "what has shown no text is asked for again a few times, after a wait of bearable length; else send it again \
             later, raise the limit, or use another profile"
        }
        ErrorClass::Overloaded | ErrorClass::ServerError => {
            "what has shown no text is asked for again a few times; else look at the vendor's status page, and send it \
             again"
        }
        ErrorClass::Timeout => "check that the server answers; `stall_timeout_s` of the profile sets how long to wait",
        ErrorClass::Connection => "check that the server runs and that `base_url` of the profile is right",
        ErrorClass::Incomplete => {
            "what has shown no text is asked for again a few times; else look at the server's log, and send it again"
        }
        ErrorClass::InvalidResponse => {
            "check that `base_url` of the profile points to the API itself, usually ending in /v1"
        }
        ErrorClass::Auth => "check the key, and that it may use this model",
        ErrorClass::Billing => "add credit to the account, or use another profile",
        ErrorClass::ContextOverflow => "shorten the session, or use a profile with a larger window",
        ErrorClass::BadRequest => "check `base_url` and `model` of the profile",
        ErrorClass::ContentPolicy => "rephrase, or use another profile",
    }
}

/// An error without status.
pub fn fault(class: ErrorClass, message: String) -> ModelError {
    ModelError { class, status: None, retry_after_ms: None, message }
}

/// An error object inside an answer whose status was 200.
pub fn from_error_object(json: &str) -> ModelError {
    let value: Value = serde_json::from_str(json).unwrap_or(Value::Null);
    let code = value.get("code").or_else(|| value.get("status"));
    let status = code
        .and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()))
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code));
    let wait = named_wait(json);
    ModelError {
        class: classify(status.unwrap_or_default(), json, wait),
        status,
        retry_after_ms: wait,
        message: format!("the far side reported an error inside its answer: {}", said(json)),
    }
}

/// The wait that an error body names, where the vendor puts it there: `"retryDelay": "32s"`.
pub fn named_wait(body: &str) -> Option<u64> {
    let rest = body.split_once("\"retryDelay\"")?.1.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let seconds: f64 = rest.split_once("s\"")?.0.parse().ok()?;
    (0.0..=86_400.0).contains(&seconds).then_some((seconds * 1000.0).ceil() as u64)
}

/// What a far side said, for a message: the text of its error where there is one, the title of an HTML page, else the
/// beginning of the body.
pub fn said(body: &str) -> String {
    let trimmed = body.trim_start_matches('\u{feff}').trim();
    if trimmed.is_empty() {
        return "(an empty body)".to_owned();
    }
    if trimmed.starts_with('<') {
        let lower = trimmed.to_lowercase();
        let title =
            lower.find("<title>").zip(lower.find("</title>")).and_then(|(start, end)| lower.get(start + 7..end));
        return match title.map(str::trim).filter(|title| !title.is_empty()) {
            Some(title) => format!("an HTML page titled \"{}\", probably from a proxy", excerpt(title)),
            None => "an HTML page, probably from a proxy".to_owned(),
        };
    }
    let value: Value = serde_json::from_str(trimmed).unwrap_or(Value::Null);
    let value = value.get(0).unwrap_or(&value);
    let error = value.get("error").unwrap_or(value);
    let text = error.as_str().or_else(|| ["message", "detail"].iter().find_map(|key| error.get(key)?.as_str()));
    excerpt(text.unwrap_or(trimmed))
}

/// One line, shortened.
pub fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
