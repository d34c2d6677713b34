//! When a turn gave its last sign of life, and what it does.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// Time between two signs of life of a turn that waits in a line.
const IN_LINE_EVERY: Duration = Duration::from_millis(100);
/// While a person is asked nobody counts.
const HELD: u64 = u64::MAX;

/// The activity clock of one attempt of a turn. It is monotonic: nobody sets it back. Everything that shows that the turn
/// moves touches it; the renewal of its lease does not.
#[derive(Debug)]
pub struct Activity {
    began: Instant,
    last_ms: AtomicU64,
    phase: Mutex<Phase>,
}

/// What a turn does, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It recalls, and reads the memory files.
    Preparing,
    /// It waits for the model: the number of its request.
    Calling(u32),
    /// Its tools run.
    Tools(Vec<String>),
    /// It waits before it tries again.
    Waiting,
    /// A person is asked.
    Asking(String),
    /// Its session records.
    Recording,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preparing => f.write_str("while it prepared its first request"),
            Self::Calling(attempt) => write!(f, "while it waited for the model (request {attempt} of the turn)"),
            Self::Tools(names) if names.len() == 1 => write!(f, "while the tool `{}` ran", names[0]),
            Self::Tools(names) => write!(f, "while the tools `{}` ran", names.join("`, `")),
            Self::Waiting => f.write_str("while it waited to try again"),
            Self::Asking(tool) => write!(f, "while a person was asked about `{tool}`"),
            Self::Recording => f.write_str("while it was recorded"),
        }
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self { began: Instant::now(), last_ms: AtomicU64::new(0), phase: Mutex::new(Phase::Preparing) }
    }
}

impl Activity {
    /// A sign of life.
    pub fn touch(&self) {
        self.last_ms.store(self.now_ms(), Ordering::SeqCst);
    }

    /// A sign of life: the turn does something else from here on.
    pub fn enter(&self, phase: Phase) {
        *self.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
        self.touch();
    }

    /// The turn waits for this long, as it was decided: its silence counts from then on.
    pub fn rest(&self, wait: Duration) {
        self.enter(Phase::Waiting);
        let wait = u64::try_from(wait.as_millis()).unwrap_or(HELD);
        self.last_ms.store(self.now_ms().saturating_add(wait), Ordering::SeqCst);
    }

    /// A person is asked, and takes the time that it takes: the next sign of life starts the clock again.
    pub fn hold(&self, tool: &str) {
        self.enter(Phase::Asking(tool.to_owned()));
        self.last_ms.store(HELD, Ordering::SeqCst);
    }

    /// Waits in a line: that is no silence.
    pub async fn in_line<T>(&self, place: impl Future<Output = T>) -> T {
        let mut place = std::pin::pin!(place);
        loop {
            tokio::select! {
                biased;
                done = &mut place => {
                    self.touch();
                    return done;
                }
                () = tokio::time::sleep(IN_LINE_EVERY) => self.touch(),
            }
        }
    }

    /// Milliseconds since the last sign of life.
    pub fn still_ms(&self) -> u64 {
        self.now_ms().saturating_sub(self.last_ms.load(Ordering::SeqCst))
    }

    /// The last sign of life, as a number that no other one has.
    pub fn last(&self) -> u64 {
        self.last_ms.load(Ordering::SeqCst)
    }

    /// What it does.
    pub fn phase(&self) -> Phase {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(HELD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(activity: &mut Activity, ms: u64) {
        activity.began -= Duration::from_millis(ms);
    }

    #[test]
    fn silence_counts_from_the_last_sign_of_life() {
        let mut activity = Activity { began: Instant::now() - Duration::from_secs(60), ..Activity::default() };
        activity.touch();
        passed(&mut activity, 20_000);
        let near = |activity: &Activity, ms: u64| (ms..ms + 5_000).contains(&activity.still_ms());
        assert!(near(&activity, 20_000));
        activity.enter(Phase::Calling(2));
        assert!(near(&activity, 0));
        activity.rest(Duration::from_secs(300));
        passed(&mut activity, 310_000);
        assert!(near(&activity, 10_000), "a wait that was decided is no silence");
        activity.hold("act");
        passed(&mut activity, 1_000_000);
        assert!(near(&activity, 0), "a person takes the time that it takes");
        activity.touch();
        passed(&mut activity, 70_000);
        assert!(near(&activity, 70_000));
        assert_eq!(activity.phase(), Phase::Asking("act".into()));
    }

    #[test]
    fn a_place_in_a_line_is_no_silence() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let activity = Activity::default();
            let served = activity.in_line(tokio::time::sleep(Duration::from_secs(3_600)));
            let look = async {
                for _ in 0..100 {
                    tokio::time::sleep(Duration::from_secs(30)).await;
                    assert!(activity.still_ms() <= 200, "{}", activity.still_ms());
                }
            };
            tokio::join!(served, look);
        });
    }
}
