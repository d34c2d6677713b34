//! One real, tiny call to a model.

use dispatch_actors::ports::{HeadInput, Model, ModelCall, ModelError, ModelEvent};
use dispatch_projections::replay::WireMessage;
use futures_util::StreamExt;
use std::time::{Duration, Instant};

/// Longest wait for the whole answer: a local model may have to be loaded first.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a call gave.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The text, as it came.
    pub text: String,
    /// Until the first piece of text.
    pub first: Option<Duration>,
    /// Until the end mark.
    pub whole: Duration,
}

/// Asks the model for one word, through the same renderer and transport that a turn uses.
///
/// # Errors
/// Cause and next step, in words.
pub async fn probe(model: &Model) -> Result<Answered, String> {
    let head = model.dialect.head(HeadInput {
        model: &model.profile.model,
        system: "This is a test of the connection.",
        tools: "[]",
    });
    let asked = model.dialect.message(&WireMessage::User { text: "Answer with the one word: ready".to_owned() });
    let parameters = model.dialect.parameters(model.profile.stream);
    let body = model.dialect.body(&head, &[&asked], &parameters);
    let call = ModelCall { body, stream: model.profile.stream };
    let answered = tokio::time::timeout(PATIENCE, listen(model, call)).await;
    match answered {
        Ok(Ok(answered)) => Ok(answered),
        Ok(Err(error)) => Err(error.message),
        Err(_) => Err(format!("no whole answer within {} s: is the model loaded?", PATIENCE.as_secs())),
    }
}

async fn listen(model: &Model, call: ModelCall) -> Result<Answered, ModelError> {
    let begun = Instant::now();
    let mut first = None;
    let mut pieces = model.endpoint.call(call);
    while let Some(piece) = pieces.next().await {
        match piece? {
            ModelEvent::Text(_) | ModelEvent::Reasoning(_) => first = first.or_else(|| Some(begun.elapsed())),
            ModelEvent::Finished(answer) => return Ok(Answered { text: answer.text, first, whole: begun.elapsed() }),
        }
    }
    Err(ModelError {
        class: dispatch_actors::ports::ErrorClass::Incomplete,
        status: None,
        retry_after_ms: None,
        message: "the answer ended without its end mark: try again".to_owned(),
    })
}
