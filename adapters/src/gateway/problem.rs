//! How the API says no: `application/problem+json` (RFC 9457) with a code that never changes its meaning.

use actix_web::{HttpResponse, ResponseError, http::StatusCode, http::header};
use dispatch_actors::Refusal;
use serde::Serialize;
use std::fmt;

/// A stable code of `interface.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the contract, and `title` says each in words")]
pub enum Code {
    InvalidParams,
    NotFound,
    Unauthorized,
    PermissionDenied,
    AdmissionConflict,
    NameTaken,
    RevisionConflict,
    StaleGeneration,
    StaleEpoch,
    UnknownExecution,
    SessionBusy,
    QueueFull,
    Draining,
    TooLarge,
    RateLimited,
    StorageUnavailable,
    PersistenceFailed,
    ModelFailed,
    NotBuilt,
}

impl Code {
    /// Every code with its text, its usual status and its title.
    pub const TABLE: &'static [(Self, &'static str, u16, &'static str)] = &[
        (Self::InvalidParams, "invalid_params", 400, "The request is not well formed"),
        (Self::NotFound, "not_found", 404, "There is no such thing"),
        (Self::Unauthorized, "unauthorized", 401, "The token is missing or wrong"),
        (Self::PermissionDenied, "permission_denied", 403, "Not allowed from here"),
        (Self::AdmissionConflict, "admission_conflict", 409, "The request id belongs to another input"),
        (Self::NameTaken, "name_taken", 409, "The name belongs to another session"),
        (Self::RevisionConflict, "revision_conflict", 409, "The session has changed"),
        (Self::StaleGeneration, "stale_generation", 409, "The attempt is over"),
        (Self::StaleEpoch, "stale_epoch", 409, "The host run is over"),
        (Self::UnknownExecution, "unknown_execution", 409, "An outcome is unknown"),
        (Self::SessionBusy, "session_busy", 503, "Busy"),
        (Self::QueueFull, "queue_full", 429, "Too many inputs wait"),
        (Self::Draining, "draining", 503, "The host is shutting down"),
        (Self::TooLarge, "too_large", 413, "Too large"),
        (Self::RateLimited, "rate_limited", 429, "Too many requests"),
        (Self::StorageUnavailable, "storage_unavailable", 503, "The log can't be read"),
        (Self::PersistenceFailed, "persistence_failed", 503, "The log can't be written"),
        (Self::ModelFailed, "model_failed", 502, "The model gave no answer"),
        (Self::NotBuilt, "not_built", 501, "Not built yet"),
    ];

    fn row(self) -> (&'static str, u16, &'static str) {
        let row = Self::TABLE.iter().find(|row| row.0 == self);
        row.map(|(_, text, status, title)| (*text, *status, *title)).expect("the table has every code")
    }

    /// Its text.
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The status that it has unless a route says otherwise.
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.row().1).expect("the table has valid statuses")
    }

    /// The code that the host named; a word that is none of the contract's stands for a failed model.
    pub fn named(text: &str) -> Self {
        Self::TABLE.iter().find(|row| row.1 == text).map_or(Self::ModelFailed, |row| row.0)
    }
}

/// An answer that says no.
#[derive(Clone, Debug)]
pub struct Problem {
    code: Code,
    status: StatusCode,
    detail: String,
    /// Methods that the route has, for a 405.
    allow: Option<String>,
    /// Whether an OpenAI client reads it: then it has their `error` member too.
    openai: bool,
}

#[derive(Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<OpenAiError<'a>>,
}

/// The error member that OpenAI clients look for.
#[derive(Serialize)]
pub(super) struct OpenAiError<'a> {
    message: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    param: Option<()>,
    code: &'a str,
}

impl Problem {
    /// A problem with its usual status. `detail` is the cause and the next step.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, status: code.status(), detail: detail.into(), allow: None, openai: false }
    }

    /// The request is not well formed.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(Code::InvalidParams, detail)
    }

    /// With another status than the usual one.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The route has only these methods.
    #[must_use]
    pub fn allow(self, methods: String) -> Self {
        Self { status: StatusCode::METHOD_NOT_ALLOWED, allow: Some(methods), ..self }
    }

    /// With the `error` member of OpenAI's API beside the others.
    #[must_use]
    pub fn for_openai(self) -> Self {
        Self { openai: true, ..self }
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The cause and the next step.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The `error` member of OpenAI's API.
    pub(super) fn openai_error(&self) -> OpenAiError<'_> {
        let kind = if self.status.is_client_error() { "invalid_request_error" } else { "server_error" };
        OpenAiError { message: &self.detail, kind, param: None, code: self.code.as_str() }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let code = Code::TABLE.iter().find(|row| row.1 == refusal.code()).map_or(Code::StorageUnavailable, |row| row.0);
        let problem = Self::new(code, refusal.to_string());
        match refusal {
            // Of this one session, not of the host: to ask again is not enough.
            Refusal::AtWork => problem.with_status(StatusCode::CONFLICT),
            _ => problem,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.detail)
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let (code, _, title) = self.code.row();
        let body = Body {
            kind: format!("urn:dispatch:problem:{code}"),
            title,
            status: self.status.as_u16(),
            detail: &self.detail,
            code,
            error: self.openai.then(|| self.openai_error()),
        };
        let mut response = HttpResponse::build(self.status);
        response.content_type("application/problem+json");
        match self.code {
            Code::Unauthorized => {
                response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
            }
            Code::QueueFull | Code::SessionBusy | Code::RateLimited | Code::Draining => {
                response.insert_header((header::RETRY_AFTER, "1"));
            }
            _ => {}
        }
        if let Some(methods) = &self.allow {
            response.insert_header((header::ALLOW, methods.as_str()));
        }
        // A struct of strings and numbers always has a JSON form.
        response.body(serde_json::to_vec(&body).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
