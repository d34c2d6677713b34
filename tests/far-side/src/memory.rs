//! The scripted memory backend: the self-hosted HTTP interface of mem0.
//!
//! | request | what it answers without a script |
//! |---|---|
//! | `POST /search {query, top_k, filters}` | `{"results": []}` |
//! | `POST /memories {messages, user_id, …}` | `{"results": [{id, memory, event}]}`, one for each message |
//! | `PUT /memories/{id}`, `DELETE /memories/{id}` | `{"message": …}` |
//!
//! It is no memory: what was added is not found again unless the script says so, because the tests are about what the
//! host asks, when, and what it does with the answer.

mod answer;
mod defaults;

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub use answer::MemoryAnswer;

use crate::http::{Recorder, Reply, Request, Server, peak_in_flight};

/// How long the waits take at most; a memory write leaves only after the turn is over.
const PATIENCE: Duration = Duration::from_secs(20);

/// A mem0 server on loopback, answering from a script. Dropping it closes every connection.
pub struct ScriptedMemory {
    server: Server,
    shared: Arc<Shared>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Search,
    Add,
    Other,
}

struct Shared {
    searches: Line,
    additions: Line,
    others: Line,
}

/// The script and the requests of one kind.
struct Line {
    queue: Mutex<VecDeque<MemoryAnswer>>,
    always: Mutex<Option<MemoryAnswer>>,
    recorder: Recorder,
}

impl Line {
    fn new() -> Self {
        Self { queue: Mutex::default(), always: Mutex::default(), recorder: Recorder::new() }
    }

    fn next(&self) -> Option<MemoryAnswer> {
        held(&self.queue).pop_front().or_else(|| held(&self.always).clone())
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds the script")
}

impl ScriptedMemory {
    /// Starts on a free port.
    ///
    /// # Panics
    /// If no port of the loopback address can be bound.
    pub fn start() -> Self {
        Self::start_on((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port on loopback")
    }

    /// Starts on this address: for a backend that comes back where it was.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub fn start_on(address: SocketAddr) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { searches: Line::new(), additions: Line::new(), others: Line::new() });
        let answering = shared.clone();
        let server = Server::start("scripted-memory", address, Arc::new(move |request| answering.answer(request)))?;
        Ok(Self { server, shared })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// What `[memory.mem0] base_url` is set to.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Adds an answer to the queue of the searches.
    pub fn push_search(&self, answer: MemoryAnswer) {
        held(&self.shared.searches.queue).push_back(answer);
    }

    /// Answers every search like this once the queue is empty.
    pub fn always_search(&self, answer: MemoryAnswer) {
        *held(&self.shared.searches.always) = Some(answer);
    }

    /// Adds an answer to the queue of the additions.
    pub fn push_addition(&self, answer: MemoryAnswer) {
        held(&self.shared.additions.queue).push_back(answer);
    }

    /// Answers every addition like this once the queue is empty.
    pub fn always_addition(&self, answer: MemoryAnswer) {
        *held(&self.shared.additions.always) = Some(answer);
    }

    /// The searches in order of arrival.
    pub fn searches(&self) -> Vec<Arc<Request>> {
        self.shared.searches.recorder.all()
    }

    /// The additions in order of arrival.
    pub fn additions(&self) -> Vec<Arc<Request>> {
        self.shared.additions.recorder.all()
    }

    /// Updates, removals and unknown paths, in order of arrival.
    pub fn other_requests(&self) -> Vec<Arc<Request>> {
        self.shared.others.recorder.all()
    }

    /// All requests in order of arrival.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        let mut all = [self.searches(), self.additions(), self.other_requests()].concat();
        all.sort_by_key(|request| request.arrived);
        all
    }

    /// Waits until so many searches have come in, at most 20 s.
    ///
    /// # Panics
    /// If they have not come in by then.
    pub async fn wait_for_searches(&self, count: usize) -> Vec<Arc<Request>> {
        self.shared.searches.recorder.wait_for(count, PATIENCE).await
    }

    /// Waits until so many additions have come in, at most 20 s.
    ///
    /// # Panics
    /// If they have not come in by then.
    pub async fn wait_for_additions(&self, count: usize) -> Vec<Arc<Request>> {
        self.shared.additions.recorder.wait_for(count, PATIENCE).await
    }

    /// The largest number of requests that were in flight at one moment.
    pub fn max_in_flight(&self) -> usize {
        peak_in_flight(&self.requests())
    }

    /// The largest number of searches that were in flight at one moment.
    pub fn max_searches_in_flight(&self) -> usize {
        peak_in_flight(&self.searches())
    }

    /// The largest number of additions that were in flight at one moment.
    pub fn max_additions_in_flight(&self) -> usize {
        peak_in_flight(&self.additions())
    }
}

impl Shared {
    fn answer(&self, request: &Arc<Request>) -> Reply {
        let kind = match (request.method.as_str(), request.route().trim_end_matches('/')) {
            ("POST", "/search") => Kind::Search,
            ("POST", "/memories") => Kind::Add,
            _ => Kind::Other,
        };
        let line = match kind {
            Kind::Search => &self.searches,
            Kind::Add => &self.additions,
            Kind::Other => &self.others,
        };
        line.recorder.record(request);
        let scripted = line.next();
        scripted
            .unwrap_or_else(|| match kind {
                Kind::Search => MemoryAnswer::nothing(),
                Kind::Add => defaults::added(request, line.recorder.seen()),
                Kind::Other => defaults::other(request),
            })
            .into_reply()
    }
}
