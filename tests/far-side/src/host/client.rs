//! A client for the routes of the host.

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use super::reply::HostReply;
use super::stream::ChatStream;
use super::tls;

/// The routes of one run of the host. Cheap to clone; without a time limit, as a turn may take any time.
#[derive(Clone)]
pub struct HostClient {
    http: Client,
    url: String,
    token: String,
}

impl HostClient {
    pub(super) fn new(url: String) -> Self {
        Self { http: tls::client(), url, token: String::new() }
    }

    /// The same client with another token; an empty one sends no `Authorization` at all.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// The origin, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The API token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A request to a path, with the token, for whatever the methods below do not do.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        if self.token.is_empty() { request } else { request.bearer_auth(&self.token) }
    }

    /// The status that a path answers; none if nobody answers.
    pub(super) async fn probe(&self, path: &str) -> Option<u16> {
        self.request(Method::GET, path).send().await.ok().map(|response| response.status().as_u16())
    }

    /// Sends a request and reads the answer.
    ///
    /// # Panics
    /// If the connection fails.
    pub async fn send(&self, request: RequestBuilder) -> HostReply {
        self.try_send(request).await.unwrap_or_else(|why| panic!("the host did not answer: {why:?}"))
    }

    /// As [`Self::send`], for a host that may die meanwhile.
    ///
    /// # Errors
    /// If the connection fails.
    pub async fn try_send(&self, request: RequestBuilder) -> Result<HostReply, reqwest::Error> {
        HostReply::read(request.send().await?).await
    }

    /// `GET` with the token.
    ///
    /// # Panics
    /// If the connection fails.
    pub async fn get(&self, path: &str) -> HostReply {
        self.send(self.request(Method::GET, path)).await
    }

    /// `POST` of a JSON body with the token.
    ///
    /// # Panics
    /// If the connection fails.
    pub async fn post(&self, path: &str, body: &Value) -> HostReply {
        self.send(with_json(self.request(Method::POST, path), body)).await
    }

    /// A chat completion request of a durable session, not sent yet, so that a test can add headers such as
    /// `Idempotency-Key`.
    pub fn chat_request(&self, session: &str, text: &str, stream: bool) -> RequestBuilder {
        let body = json!({"model": "dispatch", "stream": stream, "messages": [{"role": "user", "content": text}]});
        with_json(self.request(Method::POST, "/v1/chat/completions").header("X-Dispatch-Session", session), &body)
    }

    /// One turn of a durable session, as one JSON answer.
    ///
    /// # Panics
    /// If the connection fails.
    pub async fn chat(&self, session: &str, text: &str) -> HostReply {
        self.send(self.chat_request(session, text, false)).await
    }

    /// One streamed turn of a durable session. Dropping the stream hangs up.
    ///
    /// # Panics
    /// If the connection fails or the answer is no event stream.
    pub async fn chat_stream(&self, session: &str, text: &str) -> ChatStream {
        let sent = self.chat_request(session, text, true).send().await;
        ChatStream::open(sent.unwrap_or_else(|why| panic!("the host did not answer: {why:?}"))).await
    }

    /// An event stream of the host by `GET`, for example `/api/sessions/main/events?from=1`.
    ///
    /// # Panics
    /// If the connection fails or the answer is no event stream.
    pub async fn follow(&self, path: &str) -> ChatStream {
        let sent = self.request(Method::GET, path).send().await;
        ChatStream::open(sent.unwrap_or_else(|why| panic!("the host did not answer: {why:?}"))).await
    }

    /// A view of a session, as of now.
    ///
    /// # Panics
    /// If the answer is not 200 with JSON.
    pub async fn view(&self, session: &str, view: &str) -> Value {
        self.get(&format!("/api/sessions/{session}/view/{view}")).await.ok().json()
    }
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header("content-type", "application/json").body(body.to_string())
}
