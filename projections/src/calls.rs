//! Requests to models, and the digests that prove their bytes.

use dispatch_events::{
    Digest, Event, RawJson, Recorded, Timestamp, TurnId, Version,
    catalogue::model::{ModelRequested, Usage},
};
use serde::{Deserialize, Serialize};

mod inherit;
#[cfg(test)]
mod tests;

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    /// With a whole answer.
    Responded {
        /// Finish reason.
        finish: String,
        /// Tokens, where known.
        usage: Option<Usage>,
        /// Milliseconds to the first text.
        first_token_ms: Option<u64>,
        /// Milliseconds to the end.
        duration_ms: u64,
    },
    /// With an error.
    Failed {
        /// Class.
        class: String,
        /// What followed.
        action: String,
        /// Cause and next step.
        message: String,
    },
}

/// One request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelRequest {
    /// Version of its event.
    pub version: Version,
    /// When.
    pub at: Timestamp,
    /// Turn.
    pub turn: TurnId,
    /// Number within the turn.
    pub attempt: u32,
    /// What it was for.
    pub purpose: String,
    /// Profile.
    pub profile: String,
    /// Model.
    pub model: String,
    /// Dialect.
    pub dialect: String,
    /// Version of the renderer.
    pub dialect_version: u16,
    /// Parameters as they were sent.
    pub parameters: RawJson,
    /// Digest of the head.
    pub head: Digest,
    /// Messages behind the head.
    pub messages: u32,
    /// Rolling digest over head and fragments.
    pub prefix: Digest,
    /// Length of the body in bytes.
    pub length: u64,
    /// Whether it repeats everything that the request before it sent.
    pub extends_previous: bool,
    /// Index of the first fragment that differs from the request before it; 0 is the head.
    pub diverged_at: Option<u32>,
    /// Why it diverged.
    pub cause: Option<String>,
    /// How it ended; `None` while it is under way, and for ever after a crash.
    pub end: Option<CallEnd>,
}

/// All requests of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ModelCalls {
    requests: Vec<ModelRequest>,
    head: Option<Digest>,
    fragments: Vec<Digest>,
    divergence: Option<(u32, String)>,
    /// Why the next request need not extend the last one: the conversation itself was changed.
    changed: Option<String>,
    /// The last request of the parent, if this is a fork.
    before: Option<ModelRequest>,
    /// The profile that the fork was given.
    wanted: Option<String>,
}

impl ModelCalls {
    /// In order.
    pub fn requests(&self) -> &[ModelRequest] {
        &self.requests
    }

    /// Digest of the head of the last request.
    pub fn head(&self) -> Option<Digest> {
        self.head
    }

    /// Digests of the fragments of the last request, in order.
    pub fn fragments(&self) -> &[Digest] {
        &self.fragments
    }

    /// Why the next request need not extend the last one, where an event says so.
    pub fn changed(&self) -> Option<&str> {
        self.changed.as_deref()
    }

    /// Folds one event.
    pub fn apply(&mut self, recorded: &Recorded) {
        match recorded.event() {
            Some(Event::SessionRewound(event)) => {
                self.changed = Some(format!("rewound to before version {}", event.to.version));
            }
            Some(Event::SessionRestored(event)) => {
                self.changed = Some(format!("the rewind of version {} was taken back", event.rewound));
            }
            Some(Event::SessionReset(_)) => self.changed = Some("the conversation began anew".to_owned()),
            Some(Event::PrefixDiverged(event)) => self.divergence = Some((event.at, event.cause.clone())),
            Some(Event::ModelRequested(event)) => self.requested(recorded, event),
            Some(Event::ModelResponded(event)) => self.end(event.turn, event.attempt, || CallEnd::Responded {
                finish: event.finish.clone(),
                usage: event.usage,
                first_token_ms: event.first_token_ms,
                duration_ms: event.duration_ms,
            }),
            Some(Event::ModelFailed(event)) => self.end(event.turn, event.attempt, || CallEnd::Failed {
                class: event.class.clone(),
                action: event.action.clone(),
                message: event.message.clone(),
            }),
            _ => {}
        }
    }

    fn requested(&mut self, recorded: &Recorded, event: &ModelRequested) {
        let same_head = self.head.is_none_or(|head| head == event.head);
        let extends_previous = same_head && event.extends as usize >= self.fragments.len();
        let diverged_at = match (extends_previous, same_head) {
            (true, _) => None,
            (false, true) => Some(event.extends + 1),
            (false, false) => Some(0),
        };
        let cause = self.changed.take().or_else(|| self.divergence.take().map(|(_, cause)| cause));
        let cause = cause.filter(|_| !extends_previous);
        self.divergence = None;
        self.head = Some(event.head);
        self.fragments.truncate(event.extends as usize);
        self.fragments.extend_from_slice(&event.fragments);
        self.requests.push(ModelRequest {
            version: recorded.version,
            at: recorded.recorded_at,
            turn: event.turn,
            attempt: event.attempt,
            purpose: event.purpose.clone(),
            profile: event.profile.clone(),
            model: event.model.clone(),
            dialect: event.dialect.clone(),
            dialect_version: event.dialect_version,
            parameters: event.parameters.clone(),
            head: event.head,
            messages: event.messages,
            prefix: event.prefix,
            length: event.length,
            extends_previous,
            diverged_at,
            cause: cause.or_else(|| diverged_at.map(|_| "unknown".to_owned())),
            end: None,
        });
    }

    fn end(&mut self, turn: TurnId, attempt: u32, end: impl FnOnce() -> CallEnd) {
        let request = self.requests.iter_mut().rev().find(|request| request.turn == turn && request.attempt == attempt);
        if let Some(request) = request {
            request.end = Some(end());
        }
    }
}
