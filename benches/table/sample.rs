//! Durations of one kind, and what is said about them.

use std::time::Duration;

/// Durations of one kind.
#[derive(Default)]
pub struct Sample(Vec<Duration>);

impl Sample {
    /// Takes one more.
    pub fn push(&mut self, length: Duration) {
        self.0.push(length);
    }

    /// Takes all of another.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest duration that so many percent of all do not exceed, in milliseconds.
    pub fn percentile_ms(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).map_or(f64::NAN, |length| length.as_secs_f64() * 1000.0)
    }
}
