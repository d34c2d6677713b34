//! Reading a request's body, up to the limit and no further.

use super::{
    problem::{Code, Problem},
    routes,
    state::Gateway,
};
use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header, web::Bytes, web::BytesMut, web::Data};
use futures_util::{StreamExt, future::LocalBoxFuture};
use serde::de::DeserializeOwned;

/// A body as it came.
pub(super) struct RawBody(pub Bytes);

/// A body that is JSON of this shape; an empty one counts as `{}`.
pub(super) struct JsonBody<T>(pub T);

impl FromRequest for RawBody {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = payload.take();
        let limit = request.app_data::<Data<Gateway>>().map_or(0, |gateway| gateway.settings.max_body);
        let openai = routes::speaks_openai(request.path());
        let announced =
            request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        Box::pin(async move {
            let body = read(payload, limit, announced.unwrap_or(0)).await;
            body.map(Self).map_err(|problem| if openai { problem.for_openai() } else { problem })
        })
    }
}

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = RawBody::from_request(request, payload);
        Box::pin(async move {
            let RawBody(bytes) = body.await?;
            let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
            if text.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
                return Err(Problem::invalid("the body is not a JSON object; `GET /openapi.json` describes it"));
            }
            serde_json::from_slice(text).map(Self).map_err(|error| not_understood(&error))
        })
    }
}

/// What to say about a body that is not the JSON that the route takes.
pub(super) fn not_understood(error: &serde_json::Error) -> Problem {
    Problem::invalid(format!("the body is not what this route takes: {error}; `GET /openapi.json` describes it"))
}

/// The rest of a refused body is thrown away by the server, so the client can read why.
async fn read(mut payload: Payload, limit: usize, announced: usize) -> Result<Bytes, Problem> {
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    let mut length = 0;
    if announced <= limit {
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|error| Problem::invalid(format!("the body did not arrive: {error}")))?;
            length += chunk.len();
            if length > limit {
                break;
            }
            match (whole.is_empty(), joined.is_empty()) {
                // Most bodies come in one piece, which needs no copy.
                (true, true) => whole = chunk,
                (false, _) => {
                    joined.reserve(announced.max(length));
                    joined.extend_from_slice(&std::mem::take(&mut whole));
                    joined.extend_from_slice(&chunk);
                }
                (true, false) => joined.extend_from_slice(&chunk),
            }
        }
    }
    if announced > limit || length > limit {
        let size = if announced > limit { format!("has {announced} bytes") } else { "is longer".to_owned() };
        let why = format!("the body {size}, the limit is {limit} bytes: send less at once");
        return Err(Problem::new(Code::TooLarge, why));
    }
    Ok(if joined.is_empty() { whole } else { joined.freeze() })
}
