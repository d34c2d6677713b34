//! One HTTP client for all calls to the host.

use std::sync::OnceLock;

use reqwest::Client;

/// A client without proxies: a proxy in the developer's environment must not see calls to loopback.
pub(super) fn client() -> Client {
    static PROVIDER: OnceLock<()> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        // The client wants a crypto provider although no URL here is https. It fails if a test has installed one.
        rustls::crypto::ring::default_provider().install_default().ok();
    });
    Client::builder().no_proxy().build().expect("a client without special settings")
}
