//! The HTTP clients of this process: one for the network, one for this machine.
//!
//! - Trust roots are the platform's (`SSL_CERT_FILE` and `SSL_CERT_DIR` count). In a container without any, Mozilla's
//!   list takes their place, compiled in: an empty list would refuse every vendor. It is never added to a platform's
//!   list, because whoever removed a root there meant it.
//! - `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` count for the network, and never for this machine: a
//!   local model behind a company's proxy setting is the usual surprise.
//! - Redirects are not followed: they would carry the key to another host.
//! - Nothing is sent twice here; what is repeated is decided, and recorded, elsewhere.

use super::{
    super::failure::{excerpt, fault},
    is_loopback,
};
use dispatch_actors::ports::{ErrorClass, ModelError};
use reqwest::{Certificate, Client, ClientBuilder, Url, redirect::Policy};
use std::{error::Error, sync::OnceLock, time::Duration};

/// How long a connection may take, TLS included.
const CONNECT: Duration = Duration::from_secs(10);

/// Idle connections that are kept for each host: a thousand sessions may talk to one.
const IDLE_PER_HOST: usize = 1024;

/// How long they are kept. Shorter than what common servers allow, so that a request seldom meets a closing one.
const IDLE: Duration = Duration::from_secs(30);

struct Clients {
    network: Client,
    this_machine: Client,
}

/// The client for an address.
pub fn for_url(url: &Url) -> Result<&'static Client, ModelError> {
    static CLIENTS: OnceLock<Result<Clients, String>> = OnceLock::new();
    let clients = CLIENTS
        .get_or_init(build)
        .as_ref()
        .map_err(|why| fault(ErrorClass::Connection, format!("the HTTP client can't be made: {why}")))?;
    Ok(if is_loopback(url) { &clients.this_machine } else { &clients.network })
}

fn build() -> Result<Clients, String> {
    // An error says that the process has a provider already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let network = with_roots(base)?;
    let this_machine = with_roots(|| base().no_proxy())?;
    Ok(Clients { network, this_machine })
}

fn base() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("dispatch/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
}

fn with_roots(builder: impl Fn() -> ClientBuilder) -> Result<Client, String> {
    let Err(why) = builder().build() else { return builder().build().map_err(|error| causes(&error)) };
    tracing::warn!(cause = %causes(&why), "no usable trust roots on this machine; the compiled-in list is used");
    builder().tls_certs_only(compiled_in()?).build().map_err(|error| causes(&error))
}

fn compiled_in() -> Result<Vec<Certificate>, String> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS
        .iter()
        .map(|root| Certificate::from_der(root).map_err(|error| causes(&error)))
        .collect()
}

/// A request that got no answer.
pub fn not_sent(error: &reqwest::Error) -> ModelError {
    let why = causes(error);
    let message = match (error.is_connect(), error.is_timeout()) {
        (true, true) => format!("no connection within {} s", CONNECT.as_secs()),
        (true, false) if why.contains("certificate") => format!(
            "no connection: {why} (a root of one's own belongs into the system's store, or into a file that \
             SSL_CERT_FILE names)"
        ),
        (true, false) => format!("no connection: {why}"),
        _ => format!("the connection broke before an answer: {why}"),
    };
    fault(ErrorClass::Connection, message)
}

/// An answer that broke off.
pub fn cut(error: &reqwest::Error) -> ModelError {
    fault(ErrorClass::Connection, format!("the connection broke before the end of the answer: {}", causes(error)))
}

/// The innermost cause says what happened; the outer ones repeat the address.
fn causes(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    excerpt(&cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiled_in_roots_make_a_client() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let roots = compiled_in().unwrap();
        assert!(roots.len() > 50, "{}", roots.len());
        base().tls_certs_only(roots).build().unwrap();
    }

    /// Also holds with `SSL_CERT_FILE` naming a file that is not there.
    #[test]
    fn there_is_a_client_for_every_address() {
        for url in ["https://api.example", "http://127.0.0.1:9/v1"] {
            for_url(&Url::parse(url).unwrap()).unwrap();
        }
    }
}
