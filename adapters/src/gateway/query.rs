//! What stands behind the question mark.

use super::problem::Problem;
use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Query};
use serde::de::DeserializeOwned;
use std::future::{Ready, ready};

/// The query of a request, in the form that the route takes. An unknown or unreadable parameter is refused.
pub(super) struct Given<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Given<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(match Query::from_query(request.query_string()) {
            Ok(Query(given)) => Ok(Self(given)),
            Err(error) => Err(Problem::invalid(format!(
                "the query is not what this route takes: {error}; `GET /openapi.json` describes it"
            ))),
        })
    }
}
