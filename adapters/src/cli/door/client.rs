//! A small client of the running host's API.

use crate::{
    cli::{
        exit::{Exit, Failure},
        paper::{progress::Progress, words::at},
    },
    http_client::{self, HttpLimits},
};
use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use reqwest::{Method, Url, header};
use serde_json::Value;
use std::time::Duration;

/// For the connection to a host on this machine, or near.
const CONNECT: Duration = Duration::from_secs(2);
/// A host that says nothing for so long hangs; a stream comments every fifteen seconds.
const SILENCE: Duration = Duration::from_secs(120);

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";

/// A client of one host.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    token: String,
}

/// Query parameters.
pub type Query = (&'static str, String);

impl Client {
    /// A client of the host at `base`.
    ///
    /// # Errors
    /// When the address can't be used.
    pub fn new(base: &str, token: String) -> Result<Self, Failure> {
        let base = http_client::base_address(base).map_err(|error| Failure::failed(error.to_string()))?;
        let limits = HttpLimits { connect: CONNECT, read: Some(SILENCE), total: None };
        let http = http_client::client(&base, limits).map_err(|error| Failure::failed(error.to_string()))?;
        Ok(Self { http, base, token })
    }

    /// Where the host is.
    pub fn url(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Whether the host answers within `patience`.
    pub async fn alive(&self, patience: Duration) -> bool {
        let asked = self.http.get(self.address(&["healthz"], &[])).timeout(patience).send().await;
        asked.is_ok_and(|answer| answer.status().is_success())
    }

    /// Reads.
    pub async fn get(&self, steps: &[&str], query: &[Query]) -> Result<Value, Failure> {
        json(self.send(Method::GET, steps, query, None, JSON).await?).await
    }

    /// Asks for something to be done.
    pub async fn post(&self, steps: &[&str], body: &Value) -> Result<Value, Failure> {
        json(self.send(Method::POST, steps, &[], Some(body), JSON).await?).await
    }

    /// Changes something.
    pub async fn patch(&self, steps: &[&str], body: &Value) -> Result<Value, Failure> {
        json(self.send(Method::PATCH, steps, &[], Some(body), JSON).await?).await
    }

    /// Reads what goes on.
    pub async fn stream(&self, steps: &[&str], query: &[Query]) -> Result<reqwest::Response, Failure> {
        self.send(Method::GET, steps, query, None, SSE).await
    }

    /// Takes something away.
    pub async fn delete(&self, steps: &[&str], query: &[Query]) -> Result<Value, Failure> {
        json(self.send(Method::DELETE, steps, query, None, JSON).await?).await
    }

    /// Asks for work that takes as long as the log is, and shows how far it is. Without a body it is a reading.
    pub async fn long(
        &self,
        steps: &[&str],
        query: &[Query],
        body: Option<&Value>,
        progress: &mut Progress,
    ) -> Result<Value, Failure> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut frames = self.send(method, steps, query, body, SSE).await?.bytes_stream().eventsource();
        while let Some(frame) = frames.next().await {
            let frame = frame.map_err(|error| Failure::failed(format!("the line to the host broke: {error}")))?;
            let data: Value = serde_json::from_str(&frame.data).unwrap_or_default();
            match frame.event.as_str() {
                "done" => return Ok(data),
                "error" => return Err(Failure::answered(&at(&data, "code"), at(&data, "detail"))),
                _ => progress.tell_far(&data),
            }
        }
        Err(Failure::failed("the host ended before the work was done: look at its output, and start it again"))
    }

    fn address(&self, steps: &[&str], query: &[Query]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(steps);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    async fn send(
        &self,
        method: Method,
        steps: &[&str],
        query: &[Query],
        body: Option<&Value>,
        accept: &'static str,
    ) -> Result<reqwest::Response, Failure> {
        let mut request = self
            .http
            .request(method, self.address(steps, query))
            .bearer_auth(&self.token)
            .header(header::ACCEPT, accept)
            .header("x-dispatch-client", "cli");
        if let Some(body) = body {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let answer = request.send().await.map_err(|error| self.lost(&error))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let text = answer.text().await.unwrap_or_default();
        Err(refused(status.as_u16(), &text))
    }

    fn lost(&self, error: &reqwest::Error) -> Failure {
        let cause = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source()).last();
        let cause = cause.map(ToString::to_string).unwrap_or_default();
        Failure::failed(format!(
            "the host at {} does not answer ({cause}): look at its output, or start it again with \
                                 `dispatch serve`",
            self.url()
        ))
    }
}

async fn json(answer: reqwest::Response) -> Result<Value, Failure> {
    let bytes =
        answer.bytes().await.map_err(|error| Failure::failed(format!("the host's answer broke off: {error}")))?;
    serde_json::from_slice(&bytes)
        .map_err(|_| Failure::failed("the host's answer is not JSON: is it a host of another release?"))
}

/// A problem document as a failure.
fn refused(status: u16, text: &str) -> Failure {
    let problem: Value = serde_json::from_str(text).unwrap_or_default();
    let word = |name: &str| problem.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let detail = word("detail").or_else(|| word("title"));
    match (word("code"), detail) {
        (Some("unauthorized"), _) => Failure {
            code: "unauthorized".to_owned(),
            ..Failure::new(
                Exit::Refused,
                "the host does not take this folder's token: was `token` changed while it \
                                           ran? Stop the host and start it again",
            )
        },
        (Some(code), Some(detail)) => Failure::answered(code, detail),
        _ => Failure::failed(format!("the host answered with status {status}: is it a host of another release?")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_step_of_the_path_whatever_is_in_it() {
        let client = Client::new("http://127.0.0.1:1", "t".to_owned()).unwrap();
        let url = client.address(&["api", "sessions", "a/b c?d"], &[("at", "1&2".to_owned())]);
        assert_eq!(url.as_str(), "http://127.0.0.1:1/api/sessions/a%2Fb%20c%3Fd?at=1%262");
    }

    #[test]
    fn a_problem_document_becomes_an_exit_code() {
        let failure = refused(404, "{\"code\":\"not_found\",\"detail\":\"no such session\"}");
        assert_eq!((failure.exit, failure.message.as_str()), (Exit::NotFound, "no such session"));
        assert_eq!(refused(502, "<html>").exit, Exit::Failed);
        assert_eq!(refused(401, "{\"code\":\"unauthorized\",\"title\":\"x\"}").exit, Exit::Refused);
    }
}
