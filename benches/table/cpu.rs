//! CPU time of this process. On a machine that does other work it is the figure to compare.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Wall and CPU time of something.
#[derive(Clone, Copy, Default)]
pub struct Times {
    /// By the clock on the wall.
    pub wall: Duration,
    /// Of all threads of this process.
    pub cpu: Duration,
}

impl Times {
    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }

    /// How many a second of the clock.
    pub fn rate(self, count: usize) -> f64 {
        count as f64 / self.wall.as_secs_f64()
    }

    /// CPU of one of so many, in microseconds.
    pub fn cpu_us(self, count: usize) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / count as f64
    }
}

/// A moment.
#[derive(Clone, Copy)]
pub struct Since {
    wall: Instant,
    cpu: Duration,
}

impl Since {
    /// Now.
    pub fn now() -> Self {
        Self { wall: Instant::now(), cpu: used() }
    }

    /// What has passed.
    pub fn times(self) -> Times {
        Times { wall: self.wall.elapsed(), cpu: used() - self.cpu }
    }
}

/// Runs something, with its times.
pub fn timed<T>(run: impl FnOnce() -> T) -> (T, Times) {
    let since = Since::now();
    let result = run();
    (result, since.times())
}

fn used() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
