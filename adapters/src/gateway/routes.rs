//! Every route, once: what is registered and what `GET /openapi.json` says are the same table.

mod table;

pub(super) use table::ROUTES;

use super::problem::{Code, Problem};
use actix_web::{
    HttpRequest, HttpResponse, Route,
    http::Method,
    web::{self, ServiceConfig},
};

/// Method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
    Patch,
    Delete,
}

impl Verb {
    /// As it stands in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    fn route(self) -> Route {
        match self {
            Self::Get => web::get(),
            Self::Post => web::post(),
            Self::Patch => web::patch(),
            Self::Delete => web::delete(),
        }
    }
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
    Header,
}

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub place: Place,
    pub name: &'static str,
    /// JSON type.
    pub kind: &'static str,
    pub required: bool,
    pub what: &'static str,
}

/// What a route answers when all is well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Good {
    pub status: u16,
    /// Media types with the names of their schemas; an empty name is plain text.
    pub content: &'static [(&'static str, &'static str)],
}

/// One route.
pub(super) struct Definition {
    pub verb: Verb,
    /// The path, with parameters in braces.
    pub path: &'static str,
    pub summary: &'static str,
    /// Answered without a token.
    pub open: bool,
    pub parameters: &'static [Parameter],
    /// Name of the body's schema.
    pub body: Option<&'static str>,
    pub good: Good,
    /// Codes beside those that every route can answer.
    pub errors: &'static [Code],
    /// Puts the handler behind the method.
    pub handler: fn(Route) -> Route,
}

/// Registers the table.
pub(super) fn register(config: &mut ServiceConfig) {
    for (index, first) in ROUTES.iter().enumerate() {
        if ROUTES[..index].iter().any(|before| before.path == first.path) {
            continue;
        }
        let methods = ROUTES.iter().filter(|route| route.path == first.path);
        let mut resource = web::resource(first.path);
        let mut allowed = Vec::new();
        for route in methods {
            resource = resource.route((route.handler)(route.verb.route()));
            allowed.push(route.verb.as_str());
        }
        let allowed = allowed.join(", ");
        config.service(resource.default_service(web::to(move |request| other_method(request, allowed.clone()))));
    }
}

/// Whether a path is answered without a token.
pub(super) fn is_open(path: &str) -> bool {
    ROUTES.iter().any(|route| route.open && route.path == path)
}

/// Whether an OpenAI client is on the other side.
pub(super) fn speaks_openai(path: &str) -> bool {
    path.starts_with("/v1/")
}

/// The method as a label: no caller can make up new ones.
pub(super) fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

async fn other_method(request: HttpRequest, allowed: String) -> Result<HttpResponse, Problem> {
    let why = format!("{} is not a method of this route: it has {allowed}", request.method());
    Err(spoken(&request, Problem::invalid(why).allow(allowed)))
}

/// A path that is in no route.
pub(super) async fn unknown(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let why = "there is no such route: `GET /openapi.json` lists them";
    Err(spoken(&request, Problem::new(Code::NotFound, why)))
}

/// A route whose work this build can't do yet.
async fn not_built(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let why = format!("{} {} is not built yet", request.method(), request.match_pattern().unwrap_or_default());
    Err(spoken(&request, Problem::new(Code::NotBuilt, why)))
}

fn spoken(request: &HttpRequest, problem: Problem) -> Problem {
    if speaks_openai(request.path()) { problem.for_openai() } else { problem }
}
