//! Events as they come, from either kind of host, in one form.

use super::client::Client;
use crate::{cli::exit::Failure, event_json::EventJson};
use dispatch_actors::handle::{Subscription, Update};
use eventsource_stream::Eventsource;
use futures_util::{StreamExt, stream::BoxStream};
use serde_json::{Value, json};

/// What is watched.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// One session; numbers are versions.
    Session(&'a str),
    /// The whole log; numbers are positions.
    Log,
}

/// Something that was seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// An event of the log.
    Event(Value),
    /// A piece of text that is not recorded yet: `{turn, attempt, text}`.
    Delta(Value),
    /// The turn gave up without being able to record it: `{turn, code, message}`.
    Broken(Value),
}

/// Events as they come.
pub struct Watch(BoxStream<'static, Result<Seen, Failure>>);

impl Watch {
    /// From a host inside.
    pub(super) fn inside(subscription: Subscription) -> Self {
        let seen = subscription.into_stream().map(|update| Ok(translate(update?)));
        Self(seen.boxed())
    }

    /// From the running host.
    pub(super) async fn far(client: &Client, scope: Scope<'_>, from: u64) -> Result<Self, Failure> {
        let query = [("from", from.to_string())];
        let answer = match scope {
            Scope::Session(session) => client.stream(&["api", "sessions", session, "events"], &query).await?,
            Scope::Log => client.stream(&["api", "events"], &query).await?,
        };
        let seen = answer.bytes_stream().eventsource().map(|frame| {
            let frame = frame.map_err(|error| Failure::failed(format!("the line to the host broke: {error}")))?;
            let data: Value = serde_json::from_str(&frame.data)
                .map_err(|_| Failure::failed("the host sent an event that is not JSON: is it of another release?"))?;
            match frame.event.as_str() {
                "delta" => Ok(Seen::Delta(data)),
                "broken" => Ok(Seen::Broken(data)),
                "error" => {
                    let word = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                    Err(Failure::answered(&word("code"), word("detail")))
                }
                _ => Ok(Seen::Event(data)),
            }
        });
        Ok(Self(seen.boxed()))
    }

    /// The next; `None` when the host ends the line.
    pub async fn next(&mut self) -> Option<Result<Seen, Failure>> {
        self.0.next().await
    }
}

fn translate(update: Update) -> Seen {
    match update {
        Update::Event(recorded) => Seen::Event(serde_json::to_value(EventJson::of(&recorded)).unwrap_or_default()),
        Update::Delta { turn, attempt, at, text } => {
            Seen::Delta(json!({"turn": turn, "attempt": attempt, "at": at, "text": text}))
        }
        Update::Broken { turn, code, message } => Seen::Broken(json!({"turn": turn, "code": code, "message": message})),
    }
}
