//! A pause for a backend that fails again and again, so that a dead one costs turns nothing.

use dispatch_events::Timestamp;
use std::sync::{Mutex, PoisonError};

/// Failures in a row that open the breaker (hermes-behaviour.md §3.4).
pub const FAILURES: u32 = 5;
/// Milliseconds that it stays open; then one failure more opens it again.
pub const PAUSE_MS: u64 = 120_000;

/// Counts failures in a row.
#[derive(Debug, Default)]
pub struct Breaker(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    failures: u32,
    opened_at: Option<Timestamp>,
}

impl Breaker {
    /// Whether a call may go out.
    ///
    /// # Errors
    /// Milliseconds that are left of the pause.
    pub fn admit(&self, now: Timestamp) -> Result<(), u64> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(opened_at) = counted.opened_at else { return Ok(()) };
        // A clock that was set back would make the pause longer than it is: then the pause is over.
        let waited = if now < opened_at { PAUSE_MS } else { now.since_ms(opened_at) };
        if waited < PAUSE_MS {
            return Err(PAUSE_MS - waited);
        }
        counted.opened_at = None;
        Ok(())
    }

    /// A call went well.
    pub fn succeeded(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Counted::default();
    }

    /// A call failed in a way that says something about the backend's health.
    pub fn failed(&self, now: Timestamp) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.failures = counted.failures.saturating_add(1);
        if counted.failures >= FAILURES {
            counted.opened_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(n: i64) -> Timestamp {
        Timestamp(n * 1_000_000)
    }

    #[test]
    fn five_failures_in_a_row_pause_for_two_minutes() {
        let breaker = Breaker::default();
        for n in 0..4 {
            breaker.failed(second(n));
        }
        breaker.admit(second(4)).unwrap();
        breaker.failed(second(4));
        assert_eq!(breaker.admit(second(5)), Err(119_000));
        breaker.admit(second(124)).unwrap();
        breaker.failed(second(124));
        assert_eq!(breaker.admit(second(125)), Err(119_000), "the next failure pauses again");
    }

    #[test]
    fn a_success_between_starts_the_count_anew() {
        let breaker = Breaker::default();
        for n in 0..12 {
            breaker.failed(second(n));
            if n % 4 == 3 {
                breaker.succeeded();
            }
        }
        breaker.admit(second(12)).unwrap();
    }

    #[test]
    fn a_clock_set_back_ends_the_pause() {
        let breaker = Breaker::default();
        for _ in 0..5 {
            breaker.failed(second(1000));
        }
        assert!(breaker.admit(second(1001)).is_err());
        breaker.admit(second(10)).unwrap();
    }
}
