//! Work that may hold up a thread: reads of the log, long folds, heavy sealing, files.
//!
//! It goes to the blocking pool. A host whose whole run must be the same each time does it where it stands instead, so
//! that no second thread decides what comes first.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where such work is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocking {
    /// On the blocking pool of the caller's runtime.
    #[default]
    Pool,
    /// On the caller's thread, at once.
    InLine,
}

/// The work gave nothing: it panicked, or its runtime stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work was cut off: {0}")]
pub struct CutOff(String);

impl Blocking {
    /// Does the work and gives what it gave.
    ///
    /// # Errors
    /// [`CutOff`] if it panicked.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, CutOff> {
        match self {
            Self::Pool => tokio::task::spawn_blocking(work).await.map_err(|error| CutOff(error.to_string())),
            // Unwind safety: nothing of the work is looked at after a panic.
            Self::InLine => catch_unwind(AssertUnwindSafe(work)).map_err(|_| CutOff("it panicked".to_owned())),
        }
    }

    /// Has the work done; nobody waits for it.
    pub fn detach(self, work: impl FnOnce() + Send + 'static) {
        match self {
            Self::Pool => drop(tokio::task::spawn_blocking(work)),
            Self::InLine => {
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    tracing::error!("work that nobody waits for panicked");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_line_work_is_done_on_the_same_thread_and_a_panic_is_an_answer() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let here = std::thread::current().id();
            assert_eq!(Blocking::InLine.run(move || std::thread::current().id()).await, Ok(here));
            assert_ne!(Blocking::Pool.run(move || std::thread::current().id()).await, Ok(here));
            for place in [Blocking::Pool, Blocking::InLine] {
                assert!(place.run(|| panic!("a panic of the test")).await.is_err(), "{place:?}");
            }
        });
    }
}
