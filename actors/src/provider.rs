//! One model endpoint: how many calls run at once, and how long to hold back after it asked for a pause.

use crate::ports::{ErrorClass, Model};
use actix::{Actor, Context, Handler, Message, ResponseFuture};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// Calls that run at once towards one endpoint; more wait.
const CALLS_MAX: usize = 512;
/// Longest time that a call is held back because the endpoint asked for a pause.
const HOLD_MAX: Duration = Duration::from_secs(60);

/// The actor.
pub struct Provider {
    model: Arc<Model>,
    calls: Arc<Semaphore>,
    /// Not before this: the endpoint named a wait.
    held_until: Option<Instant>,
}

impl Provider {
    /// The provider of a model.
    pub fn new(model: Arc<Model>) -> Self {
        Self { model, calls: Arc::new(Semaphore::new(CALLS_MAX)), held_until: None }
    }
}

impl Actor for Provider {
    type Context = Context<Self>;
}

/// The right to make one call; given back when dropped.
pub struct CallPermit {
    /// The model to call.
    pub model: Arc<Model>,
    _permit: Option<OwnedSemaphorePermit>,
}

/// Ask for the right to make one call. Waits while the endpoint is held back or full.
#[derive(Message)]
#[rtype(result = "CallPermit")]
pub struct Acquire;

impl Handler<Acquire> for Provider {
    type Result = ResponseFuture<CallPermit>;

    fn handle(&mut self, _: Acquire, _: &mut Self::Context) -> Self::Result {
        let (model, calls, held) = (self.model.clone(), self.calls.clone(), self.held_until);
        Box::pin(async move {
            if let Some(until) = held {
                tokio::time::sleep_until(until).await;
            }
            // The semaphore is never closed, so the permit is only missing if that changes.
            CallPermit { model, _permit: calls.acquire_owned().await.ok() }
        })
    }
}

/// How a call went.
#[derive(Message)]
#[rtype(result = "()")]
pub struct CallEnded {
    /// Class of the error, if it was one.
    pub class: Option<ErrorClass>,
    /// The wait that the endpoint named.
    pub retry_after_ms: Option<u64>,
}

impl Handler<CallEnded> for Provider {
    type Result = ();

    fn handle(&mut self, ended: CallEnded, _: &mut Self::Context) {
        let class = ended.class.map_or("ok", ErrorClass::as_str);
        metrics::counter!("dispatch_model_calls_total", "class" => class).increment(1);
        match ended.class {
            Some(ErrorClass::RateLimit | ErrorClass::Overloaded) => {
                let wait = ended.retry_after_ms.map(Duration::from_millis).filter(|wait| *wait <= HOLD_MAX);
                self.held_until = wait.map(|wait| Instant::now() + wait);
            }
            Some(_) => {}
            None => self.held_until = None,
        }
    }
}
