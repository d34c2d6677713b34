//! Work that takes as long as the log is. It is answered with one JSON document; who accepts server-sent events is told
//! how far it is (`progress`) until the document comes (`done`), or what came in between (`error`).

use super::{
    problem::{Code, Problem},
    sse::{self, Frame, Source},
    state::Gateway,
};
use actix_web::{HttpRequest, HttpResponse, http::header, web::Data};
use dispatch_actors::{Refusal, handle::Step};
use serde::Serialize;
use std::time::Duration;
use tokio::{sync::watch, task::JoinHandle, time::Instant};

/// Time between two words on how far it is.
const PAUSE: Duration = Duration::from_millis(200);

/// Where the work tells how far it is.
pub(super) struct Tell(watch::Sender<Option<Step>>);

impl Tell {
    /// Tells it. Costs nothing if nobody listens.
    pub fn tell(&self, step: Step) {
        self.0.send_replace(Some(step));
    }
}

/// Does the work, and answers in the form that the caller accepts. A caller who hangs up does not end it.
pub(super) async fn answer<T, F>(
    gateway: Data<Gateway>,
    request: &HttpRequest,
    work: impl FnOnce(Tell) -> F,
) -> Result<HttpResponse, Problem>
where
    T: Serialize + 'static,
    F: Future<Output = Result<T, Refusal>> + 'static,
{
    let (tell, steps) = watch::channel(None);
    let work = actix_rt::spawn(work(Tell(tell)));
    if !wants_events(request) {
        return Ok(HttpResponse::Ok().json(work.await.map_err(cut_off)??));
    }
    let line = Line { work, steps: Some(steps), next: Instant::now() };
    Ok(sse::respond(gateway, line, HttpResponse::Ok()))
}

fn wants_events(request: &HttpRequest) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/event-stream"))
}

fn cut_off(error: impl std::fmt::Display) -> Problem {
    Problem::new(Code::StorageUnavailable, format!("the work was cut off: {error}"))
}

struct Line<T> {
    work: JoinHandle<Result<T, Refusal>>,
    /// None when the work has nothing more to tell.
    steps: Option<watch::Receiver<Option<Step>>>,
    next: Instant,
}

impl<T: Serialize + 'static> Source for Line<T> {
    async fn next(&mut self) -> Frame {
        loop {
            let (next, steps) = (self.next, &mut self.steps);
            let told = async {
                match steps {
                    None => std::future::pending().await,
                    Some(steps) => {
                        tokio::time::sleep_until(next).await;
                        steps.changed().await.map(|()| *steps.borrow_and_update())
                    }
                }
            };
            tokio::select! {
                biased;
                done = &mut self.work => return Frame::Last(match done {
                    Ok(Ok(document)) => sse::json_event("done", &document),
                    Ok(Err(refusal)) => sse::error_event(&refusal.into()),
                    Err(error) => sse::error_event(&cut_off(error)),
                }),
                step = told => match step {
                    Ok(Some(step)) => {
                        self.next = Instant::now() + PAUSE;
                        return Frame::More(sse::json_event("progress", &step));
                    }
                    Ok(None) => {}
                    Err(_) => self.steps = None,
                },
            }
        }
    }
}
