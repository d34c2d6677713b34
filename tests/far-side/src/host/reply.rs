//! An answer of the host, read to its end.

use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// Status, headers and body of an answer.
#[derive(Clone, Debug)]
pub struct HostReply {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as text.
    pub body: String,
}

impl HostReply {
    pub(super) async fn read(response: Response) -> Result<Self, reqwest::Error> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = response.bytes().await?;
        let body = String::from_utf8(bytes.into()).expect("the host answers in UTF-8");
        Ok(Self { status, headers, body })
    }

    /// The same answer, if its status is 2xx.
    ///
    /// # Panics
    /// If it is not.
    pub fn ok(self) -> Self {
        assert!((200..300).contains(&self.status), "the host answered {}: {}", self.status, self.body);
        self
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("no JSON ({why}): {}", self.body))
    }

    /// The text of a chat completion.
    ///
    /// # Panics
    /// If the answer is no completion with a text.
    pub fn text(&self) -> String {
        let text = self.json()["choices"][0]["message"]["content"].as_str().map(ToOwned::to_owned);
        text.unwrap_or_else(|| panic!("no completion with a text, but {}: {}", self.status, self.body))
    }

    /// The `code` of an error.
    ///
    /// # Panics
    /// If the answer is no problem document with a code.
    pub fn code(&self) -> String {
        let code = self.json()["code"].as_str().map(ToOwned::to_owned);
        code.unwrap_or_else(|| panic!("no problem document, but {}: {}", self.status, self.body))
    }

    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}
