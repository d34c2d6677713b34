//! The one way to make an HTTP client that talks to the outside.
//!
//! A redirect is never followed: it would carry a credential, and what a session said, to a host that nobody chose. A
//! request is never repeated behind the caller's back either: every attempt is a decision, and counted.

use std::{sync::Once, time::Duration};

/// Time limits of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// For the connection, name look-up and TLS included.
    pub connect: Duration,
    /// Between two pieces of an answer; `None` for no limit.
    pub read: Option<Duration>,
    /// For the whole exchange; `None` for no limit (streams).
    pub total: Option<Duration>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum HttpClientError {
    /// The address can't be used.
    #[error("`{url}` is not a usable address ({why}); write it as https://HOST[:PORT][/PATH]")]
    Address {
        /// The address as it was given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// TLS could not be set up.
    #[error("the HTTP client can't be made: {0}; check that the system's certificate store is readable")]
    Build(#[source] reqwest::Error),
}

/// Reads a base address: `http` or `https`, with a host, without credentials, query or fragment.
///
/// # Errors
/// [`HttpClientError::Address`] says what is wrong.
pub fn base_address(text: &str) -> Result<reqwest::Url, HttpClientError> {
    let refuse = |why: &str| HttpClientError::Address { url: text.to_owned(), why: why.to_owned() };
    let url = reqwest::Url::parse(text.trim()).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("the scheme is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // The text is not repeated: it holds a secret.
        let why = "it holds a user name or a password".to_owned();
        return Err(HttpClientError::Address { url: url.host_str().unwrap_or("it").to_owned(), why });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refuse("a base address has no query and no fragment"));
    }
    Ok(url)
}

/// A client for one destination. A proxy from the environment is used, except towards this machine itself.
///
/// # Errors
/// [`HttpClientError::Build`] when TLS can't be set up.
pub fn client(destination: &reqwest::Url, limits: HttpLimits) -> Result<reqwest::Client, HttpClientError> {
    install_provider();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("dispatch/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(limits.connect);
    if let Some(read) = limits.read {
        builder = builder.read_timeout(read);
    }
    if let Some(total) = limits.total {
        builder = builder.timeout(total);
    }
    if is_loopback(destination) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(HttpClientError::Build)
}

/// Whether an address is this machine.
pub fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Names the cryptography that rustls uses, once in the process.
pub fn install_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            tracing::debug!("another TLS provider was installed before; it stays");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_is_checked() {
        for good in ["http://127.0.0.1:8000", "https://api.example.test/v1/"] {
            base_address(good).unwrap();
        }
        for bad in ["", "127.0.0.1:8000", "ftp://host/", "https://host/?a=1", "https://host/#x", "/v1"] {
            assert!(base_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        let error = base_address("https://me:hunter2@host.test/").unwrap_err().to_string();
        assert!(error.contains("password") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn loopback_is_known_by_name_and_number() {
        for (text, is) in [
            ("http://localhost:1/", true),
            ("http://127.8.9.1/", true),
            ("http://[::1]:9/", true),
            ("http://10.0.0.1/", false),
            ("http://localhost.example.test/", false),
        ] {
            assert_eq!(is_loopback(&base_address(text).unwrap()), is, "{text}");
        }
    }

    #[test]
    fn a_client_can_be_made_for_both_schemes() {
        let limits = HttpLimits { connect: Duration::from_secs(1), read: None, total: Some(Duration::from_secs(2)) };
        for text in ["http://127.0.0.1:1/", "https://api.example.test/"] {
            client(&base_address(text).unwrap(), limits).unwrap();
        }
    }
}
