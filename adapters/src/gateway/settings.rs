//! What the gateway is told at start.

use crate::config::DataFolder;
use std::{fmt, net::SocketAddr};
use subtle::ConstantTimeEq;

/// Shortest token that may guard an address which other machines can reach.
const PUBLIC_TOKEN_CHARS: usize = 16;

/// Settings of the gateway. [`GatewaySettings::new`] has the defaults.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// Address and port, for example `127.0.0.1:8642`; port 0 picks a free one.
    pub listen: String,
    /// The token that every request carries, but those for `/healthz` and `/readyz`.
    pub token: Token,
    /// Longest request body in bytes.
    pub max_body: usize,
    /// Longest text of one input in bytes, over all its parts.
    pub max_input: usize,
    /// Most bytes in the names and values of a request's headers.
    pub max_header: usize,
    /// Most connections at one time; more wait in the backlog.
    pub max_connections: usize,
    /// Names and addresses that a `Host` header may give, without the port. An empty list means none.
    pub allowed_hosts: Vec<String>,
    /// Host names that an `Origin` header may give, or whole origins (`https://console.example`). An empty list means
    /// none: then no web page can use the API.
    pub allowed_origins: Vec<String>,
    /// Threads that parse and write HTTP. They only forward, so few are enough.
    pub workers: usize,
    /// Milliseconds between two comments on a silent event stream, so that nothing on the way closes it.
    pub keep_alive_ms: u64,
    /// Seconds that [`stop`](super::Running::stop) waits for running requests.
    pub stop_timeout_s: u64,
    /// The data folder, of whose settings and memories a backup takes a copy along; without it a backup has the log alone.
    pub folder: Option<DataFolder>,
}

impl GatewaySettings {
    /// The defaults for an address and a token: loopback names only.
    pub fn new(listen: impl Into<String>, token: Token) -> Self {
        let loopback = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        Self {
            listen: listen.into(),
            token,
            max_body: 10 * 1024 * 1024,
            max_input: 4 * 1024 * 1024,
            max_header: 32 * 1024,
            max_connections: 1024,
            allowed_hosts: loopback.clone(),
            allowed_origins: loopback,
            workers: 2,
            keep_alive_ms: 15_000,
            stop_timeout_s: 5,
            folder: None,
        }
    }
}

/// The API token. It is never shown: `Debug` hides it, and nothing prints it.
#[derive(Clone)]
pub struct Token(String);

/// The token can't guard anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It has no characters.
    #[error("the API token is empty: delete the file `token` in the data folder, and the next start makes a new one")]
    Empty,
    /// It has characters that a header can't carry.
    #[error(
        "the API token may hold only printable ASCII characters without spaces: delete the file `token` in the data \
         folder, and the next start makes a new one"
    )]
    Unprintable,
}

impl Token {
    /// A token from the text of its file; white space around it is dropped.
    ///
    /// # Errors
    /// [`TokenError`], in words for the operator.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(TokenError::Empty);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Unprintable);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether a request carries this token. Takes the same time whichever byte differs.
    pub(super) fn matches(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }

    /// Whether it is long enough for an address that other machines reach.
    pub(super) fn guards(&self, address: SocketAddr) -> bool {
        address.ip().is_loopback() || self.0.len() >= PUBLIC_TOKEN_CHARS
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_never_shown_and_only_itself_matches() {
        let token = Token::new("  a-long-enough-token\n").unwrap();
        assert_eq!(format!("{token:?}"), "Token(hidden)");
        assert!(token.matches(b"a-long-enough-token"));
        for other in ["", "a-long-enough-toke", "a-long-enough-tokem", "a-long-enough-token2"] {
            assert!(!token.matches(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_token_that_guards_nothing_is_refused() {
        assert_eq!(Token::new(" \n").unwrap_err(), TokenError::Empty);
        assert_eq!(Token::new("two words").unwrap_err(), TokenError::Unprintable);
        let short = Token::new("short").unwrap();
        assert!(short.guards("127.0.0.1:1".parse().unwrap()) && short.guards("[::1]:1".parse().unwrap()));
        assert!(!short.guards("0.0.0.0:1".parse().unwrap()));
    }
}
