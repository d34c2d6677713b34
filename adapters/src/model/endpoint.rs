//! The transport: one request out, one answer in, within limits.

pub mod client;
pub mod limits;
pub mod retry_after;

#[cfg(test)]
mod tests;

pub use limits::Limits;

use super::{
    chat_completions::{
        body::{self, Reading},
        bounds,
    },
    failure::{self, fault},
    profile::{ApiKey, ReplayReasoning},
};
use dispatch_actors::ports::{ErrorClass, ModelCall, ModelEndpoint, ModelError, ModelEvent};
use dispatch_events::SystemClock;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use reqwest::{
    Response, Url,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION},
};
use std::sync::Arc;

/// Where the requests of one profile go, and how.
#[derive(Clone, Debug)]
pub struct HttpTarget {
    /// Name of the profile, for messages.
    pub profile: String,
    /// The operation's address. Holds no secret.
    pub url: Url,
    /// The key, where there is one.
    pub key: Option<ApiKey>,
    /// The variable that should hold a key and does not: every call then says so.
    pub missing_key: Option<String>,
    /// Time limits.
    pub limits: Limits,
    /// What of an answer is kept for later requests.
    pub replay: ReplayReasoning,
}

/// An endpoint that speaks `chat_completions` over HTTP.
#[derive(Clone, Debug)]
pub struct HttpEndpoint(Arc<HttpTarget>);

type Answer = BoxStream<'static, Result<ModelEvent, ModelError>>;

impl HttpEndpoint {
    /// An endpoint for a target. All endpoints of a process share their connections.
    pub fn new(target: HttpTarget) -> Self {
        HttpEndpoint(Arc::new(target))
    }
}

impl ModelEndpoint for HttpEndpoint {
    fn call(&self, call: ModelCall) -> Answer {
        let target = self.0.clone();
        let for_errors = self.0.clone();
        stream::once(async move {
            match target.open(call).await {
                Ok(answer) => answer,
                Err(error) => stream::iter([Err(error)]).boxed(),
            }
        })
        .flatten()
        .map(move |item| item.map_err(|error| for_errors.explain(error)))
        .boxed()
    }
}

impl HttpTarget {
    /// Sends the request and reads the head of the answer.
    async fn open(&self, call: ModelCall) -> Result<Answer, ModelError> {
        if let Some(variable) = &self.missing_key {
            return Err(fault(ErrorClass::Auth, format!("there is no key: set {variable}")));
        }
        let accept = if call.stream { "text/event-stream, application/json" } else { "application/json" };
        let mut request = client::for_url(&self.url)?
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, accept)
            // A compressed stream arrives in the compressor's pieces, not in the model's.
            .header(ACCEPT_ENCODING, "identity")
            .body(call.body);
        if let Some(key) = &self.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.reveal()))
                .map_err(|_| fault(ErrorClass::Auth, "the key holds characters that no key has".into()))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let response = match tokio::time::timeout(self.limits.first_byte, request.send()).await {
            Ok(sent) => sent.map_err(|error| client::not_sent(&error))?,
            Err(_) => return Err(limits::no_byte(self.limits.first_byte)),
        };
        if !response.status().is_success() {
            return Err(refused(response).await);
        }
        let content_type = header(&response, CONTENT_TYPE.as_str());
        let body = response.bytes_stream().map(|piece| piece.map_err(|error| client::cut(&error))).boxed();
        let limited = limits::between_bytes(body, self.limits.between_bytes);
        let reading = Reading { content_type, replay: self.replay, without_event: self.limits.without_event };
        Ok(body::events(limited, reading))
    }

    /// The cause with the profile, the address and the next step around it, and the key taken out.
    fn explain(&self, error: ModelError) -> ModelError {
        let cause = match &self.key {
            Some(key) => key.hide_in(&error.message),
            None => error.message,
        };
        let step = failure::next_step(error.class);
        // An answer that is too large brings a step of its own.
        let next = if cause.ends_with(bounds::NEXT) { String::new() } else { format!(". Next: {step}") };
        let message = format!("model profile `{}` at {}: {cause}{next}", self.profile, self.url);
        ModelError { message, ..error }
    }
}

/// Reads what a refusal says.
async fn refused(response: Response) -> ModelError {
    let status = response.status();
    let named = retry_after::named_wait(response.headers(), &SystemClock);
    let location = header(&response, LOCATION.as_str());
    let text = limits::error_text(response).await;
    let wait = named.or_else(|| failure::named_wait(&text));
    let mut message = format!("status {}: {}", status.as_u16(), failure::said(&text));
    if status.is_redirection() {
        message =
            format!("status {}: redirects are not followed (to {})", status.as_u16(), failure::excerpt(&location));
    }
    ModelError {
        class: failure::classify(status.as_u16(), &text, wait),
        status: Some(status.as_u16()),
        retry_after_ms: wait,
        message,
    }
}

fn header(response: &Response, name: &str) -> String {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Whether an address is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
