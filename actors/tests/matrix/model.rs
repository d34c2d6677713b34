//! A strict model: it refuses orphan and duplicate tool results, results that do not stand behind their call, empty ids
//! and empty messages. What it answers follows from the conversation alone, so that a repeated request has the same
//! answer.

use crate::{
    strict::{JsonLines, check},
    support::Outside,
};
use dispatch_actors::ports::*;
use dispatch_events::{RawJson, catalogue::message::ToolCall};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use std::sync::{Arc, Mutex, Weak};

/// The model, and what it saw.
pub struct Strict {
    outside: Weak<Outside>,
    /// Every request, in order.
    pub bodies: Mutex<Vec<String>>,
    /// What it refused, and why.
    pub complaints: Mutex<Vec<String>>,
}

impl Strict {
    pub fn new(outside: &Arc<Outside>) -> Arc<Self> {
        let outside = Arc::downgrade(outside);
        Arc::new(Self { outside, bodies: Mutex::default(), complaints: Mutex::default() })
    }

    fn answer(&self, body: &str) -> Result<ModelAnswer, String> {
        let messages: Vec<Value> = body
            .lines()
            .skip(1)
            .filter(|line| !line.starts_with("{\"stream\""))
            .map(|line| serde_json::from_str(line).map_err(|error| format!("{error} in {line}")))
            .collect::<Result<_, _>>()?;
        check(&messages)?;
        let announced = self.outside.upgrade().is_none_or(|outside| {
            let requested = outside.count("model.requested");
            requested >= self.bodies.lock().unwrap().len()
        });
        if !announced {
            return Err("the request was not announced".into());
        }
        Ok(reply(&messages))
    }
}

/// `one` wants two calls of each effect class, in two steps; everything else is answered at once.
fn reply(messages: &[Value]) -> ModelAnswer {
    let said = |message: &Value| message["text"].as_str().unwrap_or_default().lines().next().unwrap_or("").to_owned();
    let users: Vec<_> = messages.iter().enumerate().filter(|(_, message)| message["role"] == "user").collect();
    let (last, message) = users.last().expect("checked");
    let final_after = |at: usize| {
        messages[at..].iter().any(|m| m["role"] == "assistant" && m["calls"].as_array().is_none_or(Vec::is_empty))
    };
    let one = users.iter().find(|(at, message)| said(message) == "one" && !final_after(*at)).map(|(at, _)| *at);
    let at = one.unwrap_or(*last);
    let steps = messages[at..].iter().filter(|message| message["role"] == "assistant").count();
    let calls: &[(&str, u32)] = match (one, steps) {
        (Some(_), 0) => &[("look", 1), ("look", 2), ("put", 1), ("act", 1)],
        (Some(_), 1) => &[("put", 2), ("act", 2)],
        _ => &[],
    };
    let calls: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(index, (tool, number))| ToolCall {
            id: format!("c{steps}{index}"),
            tool: (*tool).to_owned(),
            arguments: RawJson(format!("{{\"n\":{number}}}")),
        })
        .collect();
    if calls.is_empty() {
        let mut text = format!("done {}", said(&messages[at]));
        if one.is_some() && *last > at {
            text.push_str(&format!(", and {}", said(message)));
        }
        return ModelAnswer { text, finish: "stop".into(), ..ModelAnswer::default() };
    }
    ModelAnswer { calls, finish: "tool_calls".into(), ..ModelAnswer::default() }
}

/// The one model of the host.
pub struct StrictModels(Arc<Model>);

impl StrictModels {
    pub fn of(strict: &Arc<Strict>) -> Arc<dyn Models> {
        let profile = ModelProfile {
            name: "strict".into(),
            model: "strict-1".into(),
            dialect: "json_lines".into(),
            base_url: "nowhere".into(),
            context_window: None,
            stream: true,
            rehearsal: false,
        };
        let endpoint = Arc::new(Endpoint(strict.clone()));
        Arc::new(Self(Arc::new(Model { profile, dialect: Arc::new(JsonLines), endpoint })))
    }
}

impl Models for StrictModels {
    fn default_model(&self) -> Arc<Model> {
        self.0.clone()
    }
    fn model(&self, profile: &str) -> Option<Arc<Model>> {
        (profile == "strict").then(|| self.0.clone())
    }
    fn list(&self) -> Vec<ModelProfile> {
        vec![self.0.profile.clone()]
    }
    fn dialect(&self, name: &str, version: u16) -> Option<Arc<dyn Dialect>> {
        (name == "json_lines" && version == 1).then(|| self.0.dialect.clone())
    }
}

struct Endpoint(Arc<Strict>);

impl ModelEndpoint for Endpoint {
    fn call(&self, call: ModelCall) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let body = String::from_utf8(call.body.to_vec()).unwrap();
        self.0.bodies.lock().unwrap().push(body.clone());
        let event = self.0.answer(&body).map(ModelEvent::Finished).map_err(|why| {
            self.0.complaints.lock().unwrap().push(why.clone());
            ModelError { class: ErrorClass::BadRequest, status: Some(400), retry_after_ms: None, message: why }
        });
        let text = match &event {
            Ok(ModelEvent::Finished(answer)) if !answer.text.is_empty() => {
                Some(Ok(ModelEvent::Text(answer.text.clone())))
            }
            _ => None,
        };
        stream::iter(text.into_iter().chain([event])).boxed()
    }
}
