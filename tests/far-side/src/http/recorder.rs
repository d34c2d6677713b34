//! The requests that came in, and waiting for the next ones.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::request::Request;

/// A list of requests that several threads look at.
pub struct Recorder {
    kept: Mutex<Kept>,
    /// How many came in, also those that are no longer kept.
    seen: watch::Sender<usize>,
}

struct Kept {
    requests: VecDeque<Arc<Request>>,
    limit: usize,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// An empty list that keeps everything.
    pub fn new() -> Self {
        let kept = Kept { requests: VecDeque::new(), limit: usize::MAX };
        Self { kept: Mutex::new(kept), seen: watch::Sender::new(0) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("nothing panics while it holds the list")
    }

    /// Keeps only the newest requests from now on, so that a long benchmark does not fill the memory.
    pub fn keep(&self, limit: usize) {
        let mut kept = self.kept();
        kept.limit = limit;
        let excess = kept.requests.len().saturating_sub(limit);
        kept.requests.drain(..excess);
    }

    /// Takes note of a request.
    pub fn record(&self, request: &Arc<Request>) {
        let mut kept = self.kept();
        kept.requests.push_back(request.clone());
        if kept.requests.len() > kept.limit {
            kept.requests.pop_front();
        }
        drop(kept);
        self.seen.send_modify(|seen| *seen += 1);
    }

    /// The kept requests in order of arrival.
    pub fn all(&self) -> Vec<Arc<Request>> {
        self.kept().requests.iter().cloned().collect()
    }

    /// How many came in, also those that are no longer kept.
    pub fn seen(&self) -> usize {
        *self.seen.borrow()
    }

    /// Waits until so many requests have come in.
    ///
    /// # Panics
    /// If they have not within the time, naming those that have.
    pub async fn wait_for(&self, count: usize, within: Duration) -> Vec<Arc<Request>> {
        let mut seen = self.seen.subscribe();
        // The wait cannot end by a closed channel: `self` holds the sender.
        if tokio::time::timeout(within, seen.wait_for(|seen| *seen >= count)).await.is_err() {
            panic!("waited {within:?} for {count} requests and saw {}: {:?}", self.seen(), self.all());
        }
        self.all()
    }
}

/// The largest number of these requests that were in flight at one moment: arrived, and not yet answered in full.
pub fn peak_in_flight<'a>(requests: impl IntoIterator<Item = &'a Arc<Request>>) -> usize {
    let now = Instant::now();
    let mut marks = Vec::new();
    for request in requests {
        marks.push((request.arrived, 1_isize));
        // A request that is still under way ends later than everything that is known.
        marks.push((request.ended_at().unwrap_or(now).max(request.arrived), -1));
    }
    // At the same instant an end comes before an arrival: one after the other is not two at once.
    marks.sort();
    let mut open = 0;
    let mut peak = 0;
    for (_, change) in marks {
        open += change;
        peak = peak.max(open);
    }
    usize::try_from(peak).unwrap_or_default()
}
