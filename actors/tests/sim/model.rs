//! A model that says what chance says, and takes no conversation that a vendor would refuse.

use crate::{
    strict::{JsonLines, check},
    world::World,
};
use dispatch_actors::ports::*;
use dispatch_events::{RawJson, catalogue::message::ToolCall};
use futures_util::stream::{self, BoxStream, StreamExt};
use std::{sync::Arc, time::Duration};

const NAME: &str = "simulated";

pub fn of(world: &Arc<World>) -> Arc<dyn Models> {
    let profile = ModelProfile {
        name: NAME.into(),
        model: "simulated-1".into(),
        dialect: JsonLines.name().into(),
        base_url: "nowhere".into(),
        context_window: None,
        stream: true,
        rehearsal: false,
    };
    Arc::new(One(Arc::new(Model {
        profile,
        dialect: Arc::new(JsonLines),
        endpoint: Arc::new(Endpoint(world.clone())),
    })))
}

struct One(Arc<Model>);

impl Models for One {
    fn default_model(&self) -> Arc<Model> {
        self.0.clone()
    }
    fn model(&self, profile: &str) -> Option<Arc<Model>> {
        (profile == NAME).then(|| self.0.clone())
    }
    fn list(&self) -> Vec<ModelProfile> {
        vec![self.0.profile.clone()]
    }
    fn dialect(&self, name: &str, version: u16) -> Option<Arc<dyn Dialect>> {
        (name == JsonLines.name() && version == JsonLines.version()).then(|| self.0.dialect.clone())
    }
}

struct Endpoint(Arc<World>);

impl ModelEndpoint for Endpoint {
    fn call(&self, call: ModelCall) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let world = &self.0;
        world.calls.lock().unwrap().push((world.store.log_head().position, call.body.len() as u64));
        if let Err(why) = read(&call.body) {
            world.complaints.lock().unwrap().push(why);
        }
        let words = format!("said {}", world.number());
        let text = |words: &str| Ok(ModelEvent::Text(words.to_owned()));
        let wait_ms = if world.goes_wrong(30) { world.choose(|random| random.below(5_000)) } else { 0 };
        let late = |event| {
            let wait = async move { tokio::time::sleep(Duration::from_millis(wait_ms)).await };
            stream::once(async move {
                wait.await;
                event
            })
        };
        let first = stream::iter([text(&words)]);
        if world.goes_wrong(6) {
            return first.chain(stream::pending()).boxed();
        }
        if world.goes_wrong(6) {
            return first.chain(late(Err(failure(ErrorClass::Connection)))).boxed();
        }
        if world.goes_wrong(10) {
            let classes =
                [ErrorClass::RateLimit, ErrorClass::Overloaded, ErrorClass::BadRequest, ErrorClass::Connection];
            let class = world.choose(|random| random.one(&classes).copied()).unwrap();
            return late(Err(failure(class))).boxed();
        }
        if world.goes_wrong(45) {
            let finish = "tool_calls".to_owned();
            let answer = ModelAnswer { calls: calls(world), finish, ..ModelAnswer::default() };
            return late(Ok(ModelEvent::Finished(answer))).boxed();
        }
        let answer = ModelAnswer { text: words, finish: "stop".into(), ..ModelAnswer::default() };
        first.chain(late(Ok(ModelEvent::Finished(answer)))).boxed()
    }
}

/// The conversation of a body, which a vendor would take.
fn read(body: &[u8]) -> Result<(), String> {
    let body = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    let lines = body.lines().skip(1).filter(|line| !line.starts_with("{\"stream\""));
    let messages: Vec<serde_json::Value> =
        lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    check(&messages)
}

/// One to three calls; the number in their arguments is never given twice.
fn calls(world: &World) -> Vec<ToolCall> {
    let many = 1 + world.choose(|random| random.below(3));
    let one = |index| {
        let tool = world.choose(|random| random.one(&["look", "put", "act", "act", "no_such_tool"]).copied()).unwrap();
        let number = world.number();
        let arguments = if world.goes_wrong(4) { "not an object".to_owned() } else { format!("{{\"n\":{number}}}") };
        ToolCall { id: format!("call_{number}_{index}"), tool: tool.to_owned(), arguments: RawJson(arguments) }
    };
    (0..many).map(one).collect()
}

fn failure(class: ErrorClass) -> ModelError {
    ModelError { class, status: None, retry_after_ms: None, message: "simulated".into() }
}
