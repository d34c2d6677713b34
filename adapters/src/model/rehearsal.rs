//! The built-in scripted model. It reads the very bytes that a vendor would get and answers in pieces, so that every
//! path of the host (recall, memory, tools, streams, replay) can be walked with no key and no network. Each answer says
//! that it is rehearsed and ends with the line that switches to a real model. The same request gets the same answer.

mod recalled;
mod request;
mod script;

#[cfg(test)]
mod tests;

use super::{ChatCompletions, chat_completions, failure::fault};
use dispatch_actors::ports::{
    ErrorClass, Model, ModelAnswer, ModelCall, ModelEndpoint, ModelError, ModelEvent, ModelProfile,
};
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use std::sync::Arc;

/// Name of the profile and of the model.
pub const NAME: &str = "rehearsal";

/// What every answer starts with.
pub const LABEL: &str = "[rehearsal]";

/// What every answer ends with.
pub const SWITCH: &str = "This is the built-in scripted model: set OPENAI_API_KEY or run `dispatch config init` to talk \
                          to a real one.";

/// The endpoint of the scripted model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rehearsal;

impl Rehearsal {
    /// The model with its profile.
    pub fn model() -> Model {
        let profile = ModelProfile {
            name: NAME.to_owned(),
            model: NAME.to_owned(),
            dialect: chat_completions::NAME.to_owned(),
            base_url: "built in".to_owned(),
            context_window: None,
            stream: true,
            rehearsal: true,
        };
        Model { profile, dialect: Arc::new(ChatCompletions), endpoint: Arc::new(Rehearsal) }
    }
}

impl ModelEndpoint for Rehearsal {
    fn call(&self, call: ModelCall) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        stream::iter(events(&call.body)).boxed()
    }
}

fn events(body: &[u8]) -> Vec<Result<ModelEvent, ModelError>> {
    let request = match request::Request::read(body) {
        Ok(request) => request,
        Err(why) => {
            let message = format!("the rehearsal model can't read the request: {why}");
            return vec![Err(fault(ErrorClass::BadRequest, message))];
        }
    };
    let answer = match script::next(&request) {
        script::Move::Call(call) => {
            ModelAnswer { calls: vec![call], finish: "tool_calls".into(), ..ModelAnswer::default() }
        }
        script::Move::Say(what) => {
            ModelAnswer { text: format!("{LABEL} {what}\n\n{SWITCH}"), finish: "stop".into(), ..ModelAnswer::default() }
        }
    };
    let pieces = answer.text.split_inclusive(' ').map(|piece| Ok(ModelEvent::Text(piece.to_owned())));
    let mut events: Vec<_> = pieces.collect();
    events.push(Ok(ModelEvent::Finished(answer)));
    events
}
