//! What every request passes before its handler: who may speak to this address at all, with which token, and in which
//! form. And what is noted about it after.

mod origin;

use super::{
    problem::{Code, Problem},
    routes,
    settings::GatewaySettings,
    state::Gateway,
};
use actix_web::{
    Error, ResponseError,
    body::{EitherBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header},
    middleware::Next,
    web::Data,
};
use std::time::Instant;
use tracing::Instrument;

/// Lets a request in, or says why not.
pub(super) async fn admit<B: MessageBody + 'static>(
    gateway: Data<Gateway>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    match check(&gateway.settings, &request) {
        Ok(()) => Ok(next.call(request).await?.map_into_left_body()),
        Err(problem) => {
            let problem = if routes::speaks_openai(request.path()) { problem.for_openai() } else { problem };
            Ok(request.into_response(problem.error_response()).map_into_right_body())
        }
    }
}

fn check(settings: &GatewaySettings, request: &ServiceRequest) -> Result<(), Problem> {
    let headers = request.headers();
    let length: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if length > settings.max_header {
        let why = format!("the headers have {length} bytes, the limit is {}: send fewer", settings.max_header);
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Err(Problem::new(Code::TooLarge, why).with_status(status));
    }
    origin::host(settings, request)?;
    origin::origin(settings, headers)?;
    if !routes::is_open(request.path()) {
        token(settings, headers)?;
    }
    content_type(request)
}

fn token(settings: &GatewaySettings, headers: &header::HeaderMap) -> Result<(), Problem> {
    let no = |why: &str| Err(Problem::new(Code::Unauthorized, why));
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return no(
            "send the API token as `Authorization: Bearer TOKEN`; it stands in the file `token` of the data folder",
        );
    };
    let given = value.as_bytes();
    let Some(given) = given.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case(b"bearer ")).map(|_| &given[7..])
    else {
        return no("the Authorization header has another scheme: send `Authorization: Bearer TOKEN`");
    };
    if settings.token.matches(given.trim_ascii()) {
        Ok(())
    } else {
        no("this is not the API token: it stands in the file `token` of the data folder")
    }
}

/// A body is JSON and says so: a web page can send other forms without asking first.
fn content_type(request: &ServiceRequest) -> Result<(), Problem> {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let headers = request.headers();
    let given = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let json = given.is_some_and(|given| {
        let essence = given.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json") || essence.to_ascii_lowercase().ends_with("+json")
    });
    let empty = !headers.contains_key(header::TRANSFER_ENCODING)
        && headers.get(header::CONTENT_LENGTH).is_none_or(|length| length.as_bytes() == b"0");
    if json || given.is_none() && empty {
        return Ok(());
    }
    let why = format!(
        "the body is said to be `{}`: send JSON with `Content-Type: application/json`",
        given.unwrap_or("nothing")
    );
    Err(Problem::invalid(why).with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

/// Gives the request its span, counts it and logs what went wrong. Neither the query nor a header is logged.
pub(super) async fn observe<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let span = tracing::info_span!(
        "request",
        method = %request.method(),
        path = request.path(),
        session = tracing::field::Empty,
        turn = tracing::field::Empty,
        correlation = tracing::field::Empty,
    );
    let begun = Instant::now();
    let method = request.method().clone();
    let outcome = next.call(request).instrument(span.clone()).await;
    let (status, route) = match &outcome {
        Ok(response) => (response.status(), response.request().match_pattern()),
        Err(error) => (error.as_response_error().status_code(), None),
    };
    let route = route.unwrap_or_else(|| "unknown".to_owned());
    let seconds = begun.elapsed().as_secs_f64();
    metrics::counter!("dispatch_http_requests_total", "method" => routes::method_label(&method), "route" => route.clone(), "status" => status_label(status)).increment(1);
    metrics::histogram!("dispatch_http_request_seconds", "route" => route).record(seconds);
    span.in_scope(|| {
        if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
            tracing::warn!(status = status.as_u16(), seconds, "request failed");
        } else {
            tracing::debug!(status = status.as_u16(), seconds, "request answered");
        }
    });
    outcome
}

/// A label without an allocation for the statuses that this API has.
fn status_label(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200 => "200",
        201 => "201",
        202 => "202",
        400 => "400",
        401 => "401",
        403 => "403",
        404 => "404",
        405 => "405",
        409 => "409",
        413 => "413",
        415 => "415",
        429 => "429",
        431 => "431",
        501 => "501",
        502 => "502",
        503 => "503",
        _ => "other",
    }
}
