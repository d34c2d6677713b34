//! The web page next door: a browser can be made to call a loopback address, by a page of another origin or through a
//! name that resolves to 127.0.0.1. So both headers are held against lists; an empty list means none.

use super::super::{
    problem::{Code, Problem},
    settings::GatewaySettings,
};
use actix_web::{
    dev::ServiceRequest,
    http::header::{self, HeaderMap},
};

/// Holds each name that the request calls this server by against the list.
pub(super) fn host(settings: &GatewaySettings, request: &ServiceRequest) -> Result<(), Problem> {
    let allowed = |authority: &str| {
        let name = name_of(authority);
        settings.allowed_hosts.iter().any(|host| name_of(host).eq_ignore_ascii_case(name))
    };
    let mut named = false;
    for value in request.headers().get_all(header::HOST) {
        let text = value.to_str().unwrap_or_default();
        if !allowed(text) {
            return Err(refused(text));
        }
        named = true;
    }
    match request.uri().authority() {
        Some(authority) if !allowed(authority.as_str()) => Err(refused(authority.as_str())),
        Some(_) => Ok(()),
        None if named => Ok(()),
        None => Err(Problem::new(Code::PermissionDenied, "the request has no Host header: send one")),
    }
}

fn refused(host: &str) -> Problem {
    let why = format!(
        "the Host `{}` is not one that this server answers to: use a name of the setting `gateway.allowed_hosts`, or \
         add this one there",
        host.escape_default()
    );
    Problem::new(Code::PermissionDenied, why)
}

/// Holds the origin of a web page against the list. A request without one comes from no page.
pub(super) fn origin(settings: &GatewaySettings, headers: &HeaderMap) -> Result<(), Problem> {
    for value in headers.get_all(header::ORIGIN) {
        let origin = value.to_str().unwrap_or_default();
        let host = origin.split_once("://").map(|(_, authority)| name_of(authority));
        let allowed = settings.allowed_origins.iter().any(|entry| {
            if entry.contains("://") {
                entry.eq_ignore_ascii_case(origin)
            } else {
                host.is_some_and(|host| name_of(entry).eq_ignore_ascii_case(host))
            }
        });
        if !allowed {
            let why = format!(
                "pages of `{}` may not use this server: add the origin to the setting `gateway.allowed_origins` if it \
                 is yours",
                origin.escape_default()
            );
            return Err(Problem::new(Code::PermissionDenied, why));
        }
    }
    Ok(())
}

/// The name or address without the port, and without the brackets of an IPv6 address.
fn name_of(authority: &str) -> &str {
    if let Some((inside, _)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inside;
    }
    match authority.rsplit_once(':') {
        // Two colons and no brackets: an IPv6 address as a list gives it.
        Some((name, _)) if !name.contains(':') => name,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::Token;
    use actix_web::test::TestRequest;

    fn settings() -> GatewaySettings {
        GatewaySettings::new("127.0.0.1:0", Token::new("t").unwrap())
    }

    fn hosts(settings: &GatewaySettings, given: &[&str]) -> bool {
        let mut request = TestRequest::default();
        for value in given {
            request = request.append_header((header::HOST, *value));
        }
        host(settings, &request.to_srv_request()).is_ok()
    }

    fn origins(settings: &GatewaySettings, given: &str) -> bool {
        let request = TestRequest::default().insert_header((header::ORIGIN, given)).to_srv_request();
        origin(settings, request.headers()).is_ok()
    }

    #[test]
    fn only_listed_hosts_are_answered() {
        let settings = settings();
        for good in ["localhost", "LOCALHOST:8642", "127.0.0.1:1", "[::1]:8642"] {
            assert!(hosts(&settings, &[good]), "{good}");
        }
        let bad = [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8642",
            "evil:localhost",
            "",
            "127.0.0.2",
        ];
        for bad in bad {
            assert!(!hosts(&settings, &[bad]), "{bad}");
        }
        assert!(!hosts(&settings, &[]), "no Host at all");
        assert!(!hosts(&settings, &["localhost", "evil.example"]), "one of two");
        let none = GatewaySettings { allowed_hosts: Vec::new(), ..settings };
        assert!(!hosts(&none, &["localhost"]), "an empty list means none");
    }

    #[test]
    fn only_listed_origins_may_call() {
        let settings = settings();
        assert!(origins(&settings, "http://localhost:3000") && origins(&settings, "http://[::1]:8642"));
        for bad in ["null", "http://evil.example", "http://localhost.evil.example", "localhost", "*"] {
            assert!(!origins(&settings, bad), "{bad}");
        }
        let whole = GatewaySettings { allowed_origins: vec!["https://console.example".into()], ..settings.clone() };
        assert!(origins(&whole, "https://console.example") && !origins(&whole, "http://console.example"));
        let none = GatewaySettings { allowed_origins: Vec::new(), ..settings };
        assert!(!origins(&none, "http://localhost"), "an empty list means none");
    }
}
