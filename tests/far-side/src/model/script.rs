//! Which answer comes next.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use super::answer::Answer;
use super::faults::error_body;
use crate::http::{Reply, Request};

type Rule = Arc<dyn Fn(&Request) -> Option<Answer> + Send + Sync>;
type Fallback = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

/// The script of one model. A test may extend it while the host runs.
#[derive(Default)]
pub(super) struct Script {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rules: Vec<Rule>,
    queue: VecDeque<Answer>,
    fallback: Option<Fallback>,
    refusals: Vec<String>,
}

impl Script {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing of a test runs while the script is held")
    }

    pub(super) fn push(&self, answer: Answer) {
        self.state().queue.push_back(answer);
    }

    pub(super) fn rule(&self, rule: Rule) {
        self.state().rules.push(rule);
    }

    pub(super) fn fallback(&self, fallback: Fallback) {
        self.state().fallback = Some(fallback);
    }

    /// The answer to this request. Closures of the test run without the lock, so they may panic or extend the script.
    pub(super) fn next(&self, request: &Request) -> Option<Answer> {
        let rules = self.state().rules.clone();
        if let Some(answer) = rules.iter().find_map(|rule| rule(request)) {
            return Some(answer);
        }
        let mut state = self.state();
        if let Some(answer) = state.queue.pop_front() {
            return Some(answer);
        }
        let fallback = state.fallback.clone();
        drop(state);
        fallback.map(|answer| answer(request))
    }

    /// Notes why a request is refused, and refuses it with a status that nobody retries.
    pub(super) fn refuse(&self, why: String) -> Reply {
        let reply = Reply::json(400, &error_body("invalid_request_error", &why));
        self.state().refusals.push(why);
        reply
    }

    pub(super) fn refusals(&self) -> Vec<String> {
        self.state().refusals.clone()
    }
}
