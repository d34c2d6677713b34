//! A model that can be called: profile, dialect and endpoint together.

use super::Dialect;
use bytes::Bytes;
use dispatch_events::{
    RawJson,
    catalogue::{message::ToolCall, model::Usage},
};
use futures_util::stream::BoxStream;
use std::sync::Arc;

/// What people and settings know of a model. Holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelProfile {
    /// Name of the profile, for example `local`.
    pub name: String,
    /// Model name as the vendor knows it.
    pub model: String,
    /// Dialect that it speaks.
    pub dialect: String,
    /// Where requests go, for people.
    pub base_url: String,
    /// Window in tokens, where known.
    pub context_window: Option<u64>,
    /// Whether answers are asked for as a stream.
    pub stream: bool,
    /// True for the built-in scripted model, which every surface has to say.
    pub rehearsal: bool,
}

/// A profile with the means to call it.
#[derive(Clone)]
pub struct Model {
    /// What people know of it.
    pub profile: ModelProfile,
    /// Renderer for new sessions.
    pub dialect: Arc<dyn Dialect>,
    /// Where the bytes go.
    pub endpoint: Arc<dyn ModelEndpoint>,
}

/// One request, its bytes fixed and recorded.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// The body.
    pub body: Bytes,
    /// Whether a stream was asked for.
    pub stream: bool,
}

/// What comes back, in order. The last item is [`ModelEvent::Finished`] or an error; a stream that ends without either
/// is a fault of the endpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// A piece of text for the person.
    Text(String),
    /// A piece of reasoning.
    Reasoning(String),
    /// The answer is whole: its end mark was seen.
    Finished(ModelAnswer),
}

/// A whole answer in the normal form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// Text for the person.
    pub text: String,
    /// Reasoning, where the vendor sends it as text.
    pub reasoning: Option<String>,
    /// Tool calls, in order, with the argument text as it came. Ids are never empty.
    pub calls: Vec<ToolCall>,
    /// Other fields of the vendor's message that have to be replayed, as a JSON object in the text that came.
    pub extra: Option<RawJson>,
    /// Finish reason in the vendor's word.
    pub finish: String,
    /// Tokens, where the vendor said.
    pub usage: Option<Usage>,
    /// The vendor's id of the answer.
    pub response: Option<String>,
}

/// Class of a failed call; decides what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// Too many requests; retry after the named wait.
    RateLimit,
    /// The far side is overloaded (503, 529, 429 with such words).
    Overloaded,
    /// 5xx.
    ServerError,
    /// No byte in time, or none for too long.
    Timeout,
    /// No connection, or it broke before the end mark.
    Connection,
    /// The stream ended without its end mark, or held nothing.
    Incomplete,
    /// The answer is not what the dialect says (HTML from a proxy, broken JSON).
    InvalidResponse,
    /// 401 or 403.
    Auth,
    /// The account is used up.
    Billing,
    /// The request is longer than the window.
    ContextOverflow,
    /// The far side refuses the request (400, 404, 422).
    BadRequest,
    /// The vendor's policy refuses the content.
    ContentPolicy,
}

impl ErrorClass {
    /// The name in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Incomplete => "incomplete",
            Self::InvalidResponse => "invalid_response",
            Self::Auth => "auth",
            Self::Billing => "billing",
            Self::ContextOverflow => "context_overflow",
            Self::BadRequest => "bad_request",
            Self::ContentPolicy => "content_policy",
        }
    }

    /// Whether the same request may succeed later.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimit
                | Self::Overloaded
                | Self::ServerError
                | Self::Timeout
                | Self::Connection
                | Self::Incomplete
                | Self::InvalidResponse
        )
    }
}

/// Why a call gave no whole answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// Class.
    pub class: ErrorClass,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// The wait that the far side named, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Cause and next step, with what the far side said, shortened. Never a secret.
    pub message: String,
}

/// Where requests of one profile go.
pub trait ModelEndpoint: Send + Sync {
    /// Sends a request. Dropping the stream closes the connection.
    fn call(&self, call: ModelCall) -> BoxStream<'static, Result<ModelEvent, ModelError>>;
}

/// The configured models.
pub trait Models: Send + Sync {
    /// The model that new sessions use.
    fn default_model(&self) -> Arc<Model>;

    /// A model by the name of its profile.
    fn model(&self, profile: &str) -> Option<Arc<Model>>;

    /// All of them, for people.
    fn list(&self) -> Vec<ModelProfile>;

    /// A released renderer; `None` if this build does not have it.
    fn dialect(&self, name: &str, version: u16) -> Option<Arc<dyn Dialect>>;
}
