//! The scripted model: OpenAI chat completions over HTTP.
//!
//! For each completion request it asks, in this order: the STRICT check (if on), the rules, the queue, the fallback.
//! A request that none of them answers gets status 400 and is noted in [`ScriptedModel::refusals`], because a call that
//! a test did not expect is a finding.

mod answer;
mod asked;
mod call;
mod content;
mod delivery;
mod faults;
mod frames;
mod render;
mod script;
mod strict;
mod whole;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

pub use answer::Answer;
pub use call::Call;
pub use content::{Usage, UsageChunks};

use crate::http::{Recorder, Reply, Request, Server, peak_in_flight};
use script::Script;

/// How long [`ScriptedModel::wait_for`] waits. A debug build on a busy machine needs a few seconds to start a turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// A model server on loopback, answering from a script. Dropping it closes every connection.
pub struct ScriptedModel {
    server: Server,
    shared: Arc<Shared>,
}

struct Shared {
    script: Script,
    strict: AtomicBool,
    completions: Recorder,
    others: Recorder,
}

impl ScriptedModel {
    /// Starts on a free port with an empty script.
    ///
    /// # Panics
    /// If no port of the loopback address can be bound.
    pub fn start() -> Self {
        Self::start_on((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port on loopback")
    }

    /// Starts on this address: for a server that comes back where it was, or for a process of its own.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub fn start_on(address: SocketAddr) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            script: Script::default(),
            strict: AtomicBool::new(false),
            completions: Recorder::new(),
            others: Recorder::new(),
        });
        let answering = shared.clone();
        let server = Server::start("scripted-model", address, Arc::new(move |request| answering.answer(request)))?;
        Ok(Self { server, shared })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// What a profile's `base_url` is set to: with `/v1`, without a slash at the end.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    /// Adds one answer to the end of the queue.
    pub fn push(&self, answer: Answer) {
        self.shared.script.push(answer);
    }

    /// Adds answers to the end of the queue.
    pub fn push_all(&self, answers: impl IntoIterator<Item = Answer>) {
        answers.into_iter().for_each(|answer| self.push(answer));
    }

    /// Asks this closure before the queue; the first rule that returns an answer wins. For requests that are not part
    /// of the test's main line (a title, a summary) and for checks of a key or a field.
    pub fn rule(&self, rule: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) {
        self.shared.script.rule(Arc::new(rule));
    }

    /// Answers with this closure whatever neither a rule nor the queue answers.
    pub fn fallback(&self, answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.shared.script.fallback(Arc::new(answer));
    }

    /// Answers like this whatever neither a rule nor the queue answers.
    pub fn always(&self, answer: Answer) {
        self.fallback(move |_| answer.clone());
    }

    /// Answers 400 to every request whose messages a strict vendor would refuse: see the rules in `strict.rs`.
    pub fn strict(&self, on: bool) {
        self.shared.strict.store(on, Ordering::Relaxed);
    }

    /// Keeps only the newest requests from now on; without it all are kept.
    pub fn keep(&self, newest: usize) {
        self.shared.completions.keep(newest);
        self.shared.others.keep(newest);
    }

    /// The completion requests in order of arrival, also those that were refused.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.completions.all()
    }

    /// How many completion requests came in, also those that are no longer kept.
    pub fn received(&self) -> usize {
        self.shared.completions.seen()
    }

    /// All other requests: model lists and unknown paths.
    pub fn other_requests(&self) -> Vec<Arc<Request>> {
        self.shared.others.all()
    }

    /// Waits until so many completion requests have come in, at most 20 s, and returns those that are kept.
    ///
    /// # Panics
    /// If they have not come in by then.
    pub async fn wait_for(&self, count: usize) -> Vec<Arc<Request>> {
        self.wait_for_within(count, PATIENCE).await
    }

    /// As [`Self::wait_for`], with another limit.
    ///
    /// # Panics
    /// If they have not come in by then.
    pub async fn wait_for_within(&self, count: usize, within: Duration) -> Vec<Arc<Request>> {
        self.shared.completions.wait_for(count, within).await
    }

    /// Why requests were refused with status 400, by STRICT or because the script had no answer.
    pub fn refusals(&self) -> Vec<String> {
        self.shared.script.refusals()
    }

    /// The largest number of completion requests that were in flight at one moment.
    pub fn max_in_flight(&self) -> usize {
        peak_in_flight(&self.requests())
    }
}

impl Shared {
    fn answer(&self, request: &Arc<Request>) -> Reply {
        // With or without `/v1` in front, so that both forms of a base URL work.
        let route = request.route();
        if request.method == "POST" && route.ends_with("/chat/completions") {
            self.completions.record(request);
            return self.complete(request);
        }
        self.others.record(request);
        if request.method == "GET" && route.ends_with("/models") {
            let model =
                json!({"id": "scripted", "object": "model", "created": frames::CREATED, "owned_by": "far-side"});
            return Reply::json(200, &json!({"object": "list", "data": [model]}));
        }
        Reply::json(404, &faults::error_body("not_found", &format!("{request:?} is no route of the scripted model")))
    }

    fn complete(&self, request: &Arc<Request>) -> Reply {
        if self.strict.load(Ordering::Relaxed)
            && let Err(why) = strict::check(&request.body)
        {
            return self.script.refuse(why.to_string());
        }
        match self.script.next(request) {
            Some(answer) => answer.render(request, self.completions.seen()),
            None => self.script.refuse(format!("the script has no answer for {request:?}")),
        }
    }
}
