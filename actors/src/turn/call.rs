//! One call to the model: text goes to the viewers as it comes, the whole answer to the session.

use super::{Shown, TurnStart, clean::clean};
use crate::{
    handle::Update,
    hub,
    ports::{ErrorClass, ModelError, ModelEvent},
    provider::{Acquire, CallEnded},
    session::{Outgoing, Report, Streamed},
};
use futures_util::StreamExt;
use std::{cell::RefCell, rc::Rc, time::Duration};
use tokio::time::Instant;

/// Least time between two records of what was shown.
const STREAMED_EVERY: Duration = Duration::from_secs(1);

/// Sends the request and reports how it ended.
pub(super) async fn call(start: &TurnStart, outgoing: Outgoing, shown: &Rc<RefCell<Shown>>) -> Report {
    let attempt = outgoing.attempt;
    *shown.borrow_mut() = Shown { attempt, ..Shown::default() };
    let provider = start.shared.provider(&outgoing.model);
    let permit = match start.activity.in_line(provider.send(Acquire)).await {
        Ok(permit) => permit,
        Err(error) => return failed(attempt, broken_off(&format!("the provider did not answer ({error})")), shown),
    };
    let result = stream(start, &permit.model, outgoing, shown).await;
    let (class, retry_after_ms) = match &result {
        Ok(_) => (None, None),
        Err(error) => (Some(error.class), error.retry_after_ms),
    };
    if provider.try_send(CallEnded { class, retry_after_ms }).is_err() {
        tracing::debug!("the provider is busy; it learns from the next call");
    }
    match result {
        // What was shown stays at hand until the answer is on the disk: a stop may come before that.
        Ok(report) => report,
        Err(error) => {
            tracing::warn!(class = error.class.as_str(), status = error.status, %error, "the model call failed");
            failed(attempt, error, shown)
        }
    }
}

async fn stream(
    start: &TurnStart,
    model: &crate::ports::Model,
    outgoing: Outgoing,
    shown: &Rc<RefCell<Shown>>,
) -> Result<Report, ModelError> {
    let attempt = outgoing.attempt;
    let began = Instant::now();
    // What the model sends is a sign of life, whatever becomes of it.
    let sent = model.endpoint.call(outgoing.call).inspect(|_| start.activity.touch());
    let mut events = clean(sent);
    let mut first_token_ms = None;
    let mut recorded = Recorded { at: began, bytes: 0 };
    while let Some(event) = events.next().await {
        match event? {
            ModelEvent::Text(text) => {
                first_token_ms.get_or_insert_with(|| millis(began));
                let at = shown.borrow().text.len() as u64;
                shown.borrow_mut().text.push_str(&text);
                hub::delta(&start.shared.hub, start.stream, Update::Delta { turn: start.turn, attempt, at, text });
                recorded.record(start, attempt, &shown.borrow().text);
            }
            ModelEvent::Reasoning(_) => {
                first_token_ms.get_or_insert_with(|| millis(began));
            }
            ModelEvent::Finished(answer) => {
                let duration_ms = millis(began);
                let first_token_ms = first_token_ms.or(Some(duration_ms));
                return Ok(Report::Answered { attempt, answer: Box::new(answer), first_token_ms, duration_ms });
            }
        }
    }
    Err(broken_off("the answer ended without its end mark"))
}

/// What was shown so far and is in the log.
struct Recorded {
    at: Instant,
    bytes: usize,
}

impl Recorded {
    /// Has the session record what is new, at most once a second; nobody waits for it.
    fn record(&mut self, start: &TurnStart, attempt: u32, shown: &str) {
        if self.at.elapsed() < STREAMED_EVERY || shown.len() == self.bytes {
            return;
        }
        let streamed =
            Streamed { turn: start.turn, generation: start.generation, attempt, text: shown[self.bytes..].to_owned() };
        self.at = Instant::now();
        if start.session.try_send(streamed).is_ok() {
            self.bytes = shown.len();
        }
    }
}

fn failed(attempt: u32, error: ModelError, shown: &Rc<RefCell<Shown>>) -> Report {
    Report::CallFailed { attempt, error, shown: shown.borrow().text.clone() }
}

fn broken_off(why: &str) -> ModelError {
    ModelError { class: ErrorClass::Incomplete, status: None, retry_after_ms: None, message: why.to_owned() }
}

fn millis(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
